import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

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
