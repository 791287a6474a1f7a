import type { TSchema } from 'typebox';

/** A source of numbers in [0, 1). */
export type Random = () => number;

/** A source that gives the same numbers for the same seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Numbers at which something begins or ends: of bytes, words, doubles, dates. */
export const EXTREME_NUMBERS: readonly number[] = [
  ...[0, -0, 1, -1, 0.5, 1e-300, 5e-324, 255, 65_536, 2 ** 31, -(2 ** 31), 2 ** 32, 2 ** 53, -(2 ** 53)],
  ...[2 ** 53 + 2, 2 ** 62, 2 ** 63, -(2 ** 63), 2 ** 64, 1e19, -1e19, 1e21, 1e300, Number.MAX_VALUE],
  ...[-Number.MAX_VALUE, 8.64e15, -8.64e15, 8.64e15 + 1, -62_135_596_800_000, 253_402_300_800_000],
];
const HOSTILE_TEXTS: readonly string[] = [
  ...[
    '',
    ' ',
    '\0',
    'a\0b',
    "'",
    '"',
    "';--",
    '%',
    '_',
    '\\',
    '\ud800',
    '\udfff',
    'İ',
    'ß',
    '😀',
    '\r\n',
    '$1',
  ],
  ...[
    '<img src=x onerror=alert(1)>',
    '=1+1',
    '__proto__',
    'constructor',
    '../../etc/passwd',
    '/*'.repeat(50),
  ],
  ...[
    '('.repeat(2000),
    '[',
    'x'.repeat(500),
    'SELECT 1',
    'main.inbound',
    '1e999',
    'NaN',
    'null',
    '9'.repeat(60),
  ],
];

interface AnySchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly TSchema[];
  readonly allOf?: readonly TSchema[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly items?: TSchema;
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Draws inputs that a schema nearly always accepts. `known` are values that mean something, by the name of their property. */
export function createInputDrawer(random: Random, known: Readonly<Record<string, readonly unknown[]>>) {
  const below = (count: number): number => Math.floor(random() * count);
  const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value;

  const drawNumber = ({ minimum = -Infinity, maximum = Infinity }: AnySchema, isWhole: boolean): number => {
    const fitting = EXTREME_NUMBERS.filter(
      (one) => one >= minimum && one <= maximum && (!isWhole || Number.isInteger(one)),
    );
    if (random() < 0.6 && fitting.length > 0) return pick(fitting);
    const low = Math.max(minimum, -1000);
    const drawn = low + random() * (Math.min(maximum, 1000) - low);
    return isWhole ? Math.round(drawn) : drawn;
  };
  const drawText = ({ minLength = 0, maxLength = 5000 }: AnySchema): string => {
    const text = pick(HOSTILE_TEXTS).slice(0, maxLength);
    return text.length >= minLength ? text : 'a'.repeat(minLength);
  };
  const draw = (schema: TSchema, name = ''): unknown => {
    const one = schema as AnySchema;
    const meant = known[name];
    if (meant !== undefined && random() < 0.8) return pick(meant);
    if (one.const !== undefined) return one.const;
    if (one.enum !== undefined) return pick(one.enum);
    if (one.anyOf !== undefined) return draw(pick(one.anyOf), name);
    if (one.allOf !== undefined) return Object.assign({}, ...one.allOf.map((part) => draw(part) as object));
    if (one.type === 'object') return drawObject(one);
    if (one.type === 'array') {
      const { minItems = 0, maxItems = 5, items } = one;
      const count = Math.min(maxItems, minItems + below(3));
      return Array.from({ length: count }, () => (items === undefined ? null : draw(items)));
    }
    if (one.type === 'integer' || one.type === 'number') return drawNumber(one, one.type === 'integer');
    if (one.type === 'boolean') return random() < 0.5;
    return one.type === 'string' ? drawText(one) : null;
  };
  const drawObject = ({ properties = {}, required = [], patternProperties = {} }: AnySchema): object => {
    const entries = Object.entries(properties)
      .filter(([key]) => required.includes(key) || random() < 0.4)
      .map(([key, schema]) => [key, draw(schema, key)] as const);
    const [anyKey] = Object.values(patternProperties);
    const others = anyKey === undefined ? [] : [[drawText({}), draw(anyKey)] as const];
    return Object.fromEntries([...entries, ...others]);
  };
  return draw;
}
