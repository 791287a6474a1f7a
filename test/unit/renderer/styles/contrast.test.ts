import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

type Colour = readonly [red: number, green: number, blue: number, alpha: number];
type Tokens = ReadonlyMap<string, Colour>;

const styles = readFileSync('src-renderer/styles/tokens.css', 'utf8');

/** Least contrasts of WCAG 2.2: of text (1.4.3), and of what must be seen to use or understand something (1.4.11). */
const TEXT = 4.5;
const GRAPHIC = 3;

const GROUNDS = ['surface', 'canvas', 'sidebar', 'sunken'] as const;
/** What lies over a ground while the pointer is there, or while it is chosen. */
const VEILS = ['hover', 'selected'] as const;
const CLASSES = ['2xx', '3xx', '4xx', '5xx', 'xxx'] as const;
const VALUES = ['series-in', 'series-out', ...numbered('value', 12), 'value-others'];
const NAMES = ['green', 'pink', 'brown', 'cyan', 'olive', 'indigo'].map((name) => `name-${name}`);
const TEXTS = ['text-1', 'text-2', 'text-3', 'accent'];
const INKS = ['up-ink', 'part-ink', 'down-ink', ...CLASSES.map((name) => `${name}-ink`)];
const WHITE: Colour = [255, 255, 255, 1];

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, place) => `${name}-${String(place + 1)}`);
}

function parseColour(text: string): Colour {
  const hex = /^#(..)(..)(..)$/u
    .exec(text)
    ?.slice(1)
    .map((part) => parseInt(part, 16));
  const parts = hex ?? text.match(/[\d.]+/gu)?.map(Number) ?? [];
  const [red = NaN, green = NaN, blue = NaN, alpha = 1] = parts;
  return [red, green, blue, alpha];
}

/** The colours of a theme, by their names without the prefix. */
function readTokens(theme: 'light' | 'dark'): Tokens {
  const blocks = [...styles.matchAll(new RegExp(`\\.${theme} \\{(.*?)\\n\\}`, 'gsu'))].map(
    ([, block]) => block,
  );
  const found = blocks.join('\n').matchAll(/--cs-([\w-]+): (#\w{6}|rgb\([^)]*\));/gu);
  return new Map([...found].map(([, name = '', value = '']) => [name, parseColour(value)]));
}

function layOver([red, green, blue, alpha]: Colour, ground: Colour): Colour {
  const mix = (upper: number, lower: number): number => upper * alpha + lower * (1 - alpha);
  return [mix(red, ground[0]), mix(green, ground[1]), mix(blue, ground[2]), 1];
}

/** As WCAG 2 defines it. */
function toLuminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.slice(0, 3).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function toContrast(a: Colour, b: Colour): number {
  const [darker = 0, lighter = 0] = [toLuminance(a), toLuminance(b)].sort((x, y) => x - y);
  return (lighter + 0.05) / (darker + 0.05);
}

describe.each(['light', 'dark'] as const)('the colours of the %s theme', (theme) => {
  const tokens = readTokens(theme);
  const read = (name: string): Colour => {
    const colour = tokens.get(name);
    if (colour === undefined) throw new Error(`No colour is called --cs-${name}.`);
    return colour;
  };

  /** Returns the pairs that are too much alike. */
  function findPale(
    names: readonly string[],
    grounds: Readonly<Record<string, Colour>>,
    least: number,
  ): string[] {
    return names.flatMap((name) =>
      Object.entries(grounds).flatMap(([ground, colour]) => {
        const contrast = toContrast(read(name), colour);
        return contrast >= least ? [] : [`${name} on ${ground}: ${contrast.toFixed(2)}`];
      }),
    );
  }

  const plain = (names: readonly string[]): Record<string, Colour> =>
    Object.fromEntries(names.map((name) => [name, read(name)]));
  /** What is chosen lies on nothing sunken. */
  const veiled = Object.fromEntries(
    VEILS.flatMap((veil) =>
      GROUNDS.filter((ground) => veil === 'hover' || ground !== 'sunken').map((ground) => [
        `${ground} under ${veil}`,
        layOver(read(veil), read(ground)),
      ]),
    ),
  );

  it('leave text readable on every ground, also under the pointer and where it is chosen', () => {
    expect(findPale([...TEXTS, ...INKS], { ...plain(GROUNDS), ...veiled }, TEXT)).toEqual([]);
    expect(findPale(['text-1', 'text-2'], plain(['track', 'accent-tint']), TEXT)).toEqual([]);
    expect(findPale(['accent'], plain(['accent-tint']), TEXT)).toEqual([]);
    expect(findPale(['tooltip-text'], plain(['tooltip']), TEXT)).toEqual([]);
  });

  it('leave words on tints and on buttons readable', () => {
    for (const name of CLASSES) {
      expect(findPale([`${name}-ink`, 'text-1'], plain([`${name}-tint`]), TEXT)).toEqual([]);
    }
    for (const name of ['accent-solid', 'accent-solid-hover']) {
      expect(toContrast(WHITE, read(name)), name).toBeGreaterThanOrEqual(TEXT);
    }
  });

  it('let what charts draw be seen on their surface', () => {
    expect(findPale([...CLASSES, ...VALUES, ...NAMES], plain(['surface']), GRAPHIC)).toEqual([]);
  });

  it('let states, the focus and the edges of fields be seen', () => {
    const grounds = plain(['surface', 'canvas', 'sidebar']);
    expect(findPale(['up', 'down', 'part'], plain(['surface', 'canvas']), GRAPHIC)).toEqual([]);
    const tints = plain(['sunken', 'track', 'accent-tint', ...CLASSES.map((name) => `${name}-tint`)]);
    expect(findPale(['accent'], { ...grounds, ...tints, ...veiled }, GRAPHIC)).toEqual([]);
    expect(findPale(['text-3', 'accent-solid'], grounds, GRAPHIC)).toEqual([]);
    expect(findPale(['border-field'], grounds, GRAPHIC)).toEqual([]);
  });
});
