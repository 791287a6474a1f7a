import fc from 'fast-check';
import type { TSchema } from 'typebox';
import { HOSTILE_TEXTS } from './hostile-texts.ts';

/** The keywords of a JSON schema that the contract uses. */
interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema | Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

/** Returns numbers in [0, 1), the same ones for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const LIMIT_MS = 8_640_000_000_000_000;
const EDGE_INTEGERS = [
  0,
  1,
  -1,
  2,
  255,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 53 + 2,
  -(2 ** 53),
  2 ** 63,
  -(2 ** 63),
  2 ** 64,
  1e19,
  1e300,
  1e308,
  -1e308,
  Number.MAX_VALUE,
  LIMIT_MS,
  LIMIT_MS + 1,
  -LIMIT_MS,
  -LIMIT_MS - 1,
  -62_135_596_800_000,
  253_402_300_800_000,
];
const EDGE_NUMBERS = [...EDGE_INTEGERS, 0.5, -0.1, -0, 5e-324, 1.797e308, 1e-7];
const EDGE_TEXTS = [
  ...HOSTILE_TEXTS,
  '__proto__',
  'constructor',
  'hasOwnProperty',
  "'; DROP TABLE inbound; --",
  '%_\\',
  '\\"\\',
  '../../../etc/passwd',
  'C:\\Windows\\System32',
  '{"a":[1,',
  '[['.repeat(500),
  '(a+)+$',
  '9007199254740993',
  '1e19',
  '99999999999999999999',
  '/Date(8640000000000000)/',
  '0000-00-00 00:00:00',
  '9999-12-31 23:59:59',
  '-271821-04-20T00:00:00Z',
  '+275760-09-13T00:00:00Z',
  '2026-02-30',
  'İSTANBUL ıi Σς ß',
  'e\u0301\u0301\u0301',
  '\u202e\u2066\ufeff',
  '𝒳'.repeat(300),
  'x'.repeat(20_000),
];

/** What a property of that name may hold so that calls get beyond "there is no such thing". */
export type Known = (name: string) => readonly unknown[];

/**
 * Makes values that meet a schema, at its edges more often than in its middle. A property whose name `known` has values
 * for gets one of them in most cases; a value that doesn't meet the property's own type is left to validation.
 */
export function createSchemaValues(random: () => number, known: Known): (schema: TSchema) => unknown {
  const below = (count: number): number => Math.floor(random() * count);
  const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value;

  const makeNumber = (
    { type, minimum, maximum, exclusiveMinimum }: Schema,
    edges: readonly number[],
  ): number => {
    const low = minimum ?? exclusiveMinimum ?? -Number.MAX_VALUE;
    const high = maximum ?? Number.MAX_VALUE;
    const bounds = [low, high, low + 1, (low + high) / 2].filter((bound) => Math.abs(bound) < 1e300);
    const fitting = [...edges, ...bounds].filter(
      (edge) =>
        edge >= low &&
        edge <= high &&
        edge !== exclusiveMinimum &&
        (type !== 'integer' || Number.isInteger(edge)),
    );
    const small = Math.max(low, 0) + below(Math.min(1000, Math.max(1, high - Math.max(low, 0))));
    return random() < 0.4 || fitting.length === 0 ? small : pick(fitting);
  };
  const makeText = ({ minLength = 0, maxLength = 30_000, pattern }: Schema): string => {
    if (pattern !== undefined) {
      const [text = ''] = fc.sample(fc.stringMatching(new RegExp(pattern)), {
        numRuns: 1,
        seed: below(2 ** 31),
      });
      return text.slice(0, maxLength);
    }
    const text = random() < 0.05 ? 'y'.repeat(Math.min(maxLength, 30_000)) : pick(EDGE_TEXTS);
    return text.padEnd(minLength, 'z').slice(0, maxLength);
  };
  const makeList = (schema: Schema, name: string, depth: number): unknown[] => {
    const { items = {}, minItems = 0, maxItems = 6, uniqueItems = false } = schema;
    // A tuple names what stands at each of its places.
    if (Array.isArray(items)) return items.map((item) => make(item, '', depth + 1));
    const most = Math.min(maxItems, random() < 0.02 ? 600 : 3);
    const list = Array.from({ length: Math.max(minItems, below(most + 1)) }, () =>
      make(items, name.replace(/s$/, ''), depth + 1),
    );
    if (!uniqueItems) return list;
    return [...new Map(list.map((entry) => [JSON.stringify(entry), entry])).values()];
  };
  const makeObject = (schema: Schema, depth: number): object => {
    const { properties = {}, required = [], patternProperties } = schema;
    const entries = Object.entries(properties)
      .filter(([name]) => required.includes(name) || random() < 0.4)
      .map(([name, property]): [string, unknown] => [name, make(property, name, depth + 1)]);
    const [more] = Object.values(patternProperties ?? {});
    if (more !== undefined) entries.push([pick(EDGE_TEXTS), make(more, '', depth + 1)]);
    const object = Object.fromEntries(entries) as { fromMs?: unknown; toMs?: unknown };
    const { fromMs, toMs } = object;
    // Periods that end before they begin are refused at once, and would be half of all.
    if (typeof fromMs === 'number' && typeof toMs === 'number' && fromMs > toMs && random() < 0.9) {
      return { ...object, fromMs: toMs, toMs: fromMs };
    }
    return object;
  };
  const make = (schema: Schema, name: string, depth: number): unknown => {
    if ('const' in schema) return schema.const;
    if (schema.enum !== undefined) return pick(schema.enum);
    const values = name === '' ? [] : known(name);
    const isLeaf = ['string', 'integer', 'number'].includes(schema.type ?? '');
    if (isLeaf && values.length > 0 && random() < 0.8) return pick(values);
    if (schema.anyOf !== undefined) return make(pick(schema.anyOf), name, depth);
    switch (schema.type) {
      case 'null':
        return null;
      case 'boolean':
        return random() < 0.5;
      case 'integer':
        return makeNumber(schema, EDGE_INTEGERS);
      case 'number':
        return makeNumber(schema, EDGE_NUMBERS);
      case 'string':
        return makeText(schema);
      case 'array':
        return makeList(schema, name, depth);
      case 'object':
        return makeObject(schema, depth);
      default:
        throw new Error(`No values are made for ${JSON.stringify(schema).slice(0, 200)}.`);
    }
  };
  return (schema) => make(schema, '', 0);
}
