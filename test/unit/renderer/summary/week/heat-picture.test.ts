import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CHART_FONT, type ChartColours } from '../../../../../src-renderer/charts/chart-style.ts';
import { drawHeatMap } from '../../../../../src-renderer/screens/summary/charts/week/week-hours.ts';

test('a picture has every hour that is shown, hatches what is not known, and prints the scale', () => {
  const drawn = { fills: new Map<string, number>(), texts: [] as string[], hatched: 0 };
  const context = {
    fillStyle: '',
    font: '',
    textBaseline: '',
    textAlign: '',
    strokeStyle: '',
    lineWidth: 1,
    fillRect() {
      drawn.fills.set(this.fillStyle, (drawn.fills.get(this.fillStyle) ?? 0) + 1);
    },
    fillText: (text: string) => drawn.texts.push(text),
    clip: () => (drawn.hatched += 1),
    measureText: () => ({ width: 20 }),
    ...Object.fromEntries(
      ['save', 'restore', 'beginPath', 'rect', 'moveTo', 'lineTo', 'stroke'].map((name) => [name, () => 0]),
    ),
  };
  const colours = new Proxy({} as ChartColours, { get: (_, name) => String(name) });
  drawHeatMap(context as unknown as CanvasRenderingContext2D, { width: 640, height: 200 }, colours, {
    days: ['Mon', 'Tue'],
    marks: [0, 4, 4, 'hatched', null],
    hatchedWords: 'too little',
    edges: ['0', '1', '2', '3', '4', '5'],
  });
  // One of each is the scale's.
  expect(Object.fromEntries(drawn.fills)).toEqual({ heat1: 2, heat2: 1, heat3: 1, heat4: 1, heat5: 3 });
  expect(drawn.hatched).toBe(2);
  expect(drawn.texts).toEqual(expect.arrayContaining(['00', '21', 'Mon', 'Tue', '0', '5', 'too little']));
  expect(context.font).toContain(CHART_FONT.family);
});

test('the steps of colour differ in lightness, so that they are told apart without hues, in both themes', () => {
  const css = readFileSync('src-renderer/styles/tokens.css', 'utf8');
  const shades = [...css.matchAll(/--cs-heat-\d: #(\w{6});/g)].map(([, hex = '']) => toLuminance(hex));
  expect(shades).toHaveLength(10);
  for (const steps of [shades.slice(0, 5).toReversed(), shades.slice(5)]) {
    for (const [place, shade] of steps.entries()) {
      const next = steps[place + 1];
      if (next !== undefined) expect((next + 0.05) / (shade + 0.05)).toBeGreaterThan(1.35);
    }
  }
});

/** As WCAG 2 defines it. */
function toLuminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const part = parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
