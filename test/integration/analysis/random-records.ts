import fc from 'fast-check';
import { foldCase } from '../../../src-main/common/fold-case.ts';
import type {
  FieldCondition,
  FilterPart,
  RecordFilter,
} from '../../../src-main/common/model/records/record-filter.ts';
import type { RecordOrder } from '../../../src-main/common/model/records/record.ts';
import { ENGINE_COLUMNS } from '../../../src-main/core/analysis/engine/engine-tables.ts';
import type {
  EngineValue,
  FeedSnapshot,
  FeedSource,
} from '../../../src-main/core/analysis/engine/feed/feed-source.ts';
import { toErrorPattern } from '../../../src-main/core/analysis/families/learn-families.ts';
import type { ScopePart } from '../../../src-main/core/analysis/engine/resolved-scope.ts';

/** An inbound record as the engine is fed with it, in the order of its columns. */
export interface PlainRecord {
  readonly recordId: number;
  readonly dateMs: number | null;
  readonly sessionId: string;
  readonly channel: number | null;
  readonly service: number | null;
  readonly client: string;
  readonly responseTimeMs: number | null;
  readonly responseCode: number | null;
  readonly error: string;
  readonly origin: string;
  readonly botLatencyMs: number | null;
  readonly payload: string;
}

export const SPAN = 2 ** 32;

/** A record of nothing, changed as given. */
export function makePlain<Own extends Partial<PlainRecord>>(
  change: Own,
): Omit<PlainRecord, 'recordId'> & Own {
  return {
    ...{ dateMs: null, channel: null, service: null, responseTimeMs: null, responseCode: null },
    ...{ botLatencyMs: null, sessionId: '', client: '', error: '', origin: '', payload: '' },
    ...change,
  };
}
const texts = fc.constantFrom(
  '',
  'a',
  'A',
  'b',
  'Timed out',
  'timed OUT 12',
  'timed OUT 345',
  'é',
  'É',
  'ß',
  'STRASSE',
  'Zoe',
  'Ángel',
  'nz',
  'ñb',
  'İbrahim',
  'ΟΔΟΣ e\u0301',
  '😀 x',
  "it's",
  '%_\\',
  'nul\0after',
);
const numbers = fc.option(fc.constantFrom(-1, 0, 1, 2, 7, 4_294_967_296, 9_007_199_254_740_991));

/** Fields of a record without its id. */
export const recordArbitrary: fc.Arbitrary<Omit<PlainRecord, 'recordId'>> = fc.record({
  dateMs: fc.option(fc.integer({ min: 0, max: 60_000 }), { freq: 8 }),
  sessionId: fc.constantFrom('s1', 's2', 'S1', ''),
  channel: numbers,
  service: numbers,
  client: texts,
  responseTimeMs: fc.option(fc.constantFrom(0, 0.5, 1, 12.25, 1e9)),
  responseCode: fc.option(fc.constantFrom(99, 100, 200, 299, 301, 404, 500, 599, 600, -1)),
  error: texts,
  origin: fc.constantFrom('web', 'app', 'WEB', ''),
  botLatencyMs: fc.option(fc.constantFrom(0, 1, 250.5)),
  payload: texts,
});

const condition = fc.oneof(
  fc.record(
    {
      field: fc.constantFrom('channel', 'service', 'responseCode'),
      values: fc.array(fc.constantFrom(null, 0, 1, 2, 200, 404, 4_294_967_296, 0.5), { maxLength: 3 }),
      exclude: fc.boolean(),
    },
    { requiredKeys: ['field'] },
  ),
  fc.record(
    {
      field: fc.constantFrom('origin', 'client', 'error', 'sessionId', 'payload'),
      values: fc.array(fc.constantFrom(null, '', 'a', 'A', 'web', 's1'), { maxLength: 3 }),
      anyCase: fc.array(fc.constantFrom('A', 'é', 'WEB', 'S1', 'straße', 'οδος É'), {
        minLength: 1,
        maxLength: 2,
      }),
      text: fc.constantFrom('a', 'TIMED', 'é', '%', 'after', 'Out 3', 't 1', ' x', '\u0130', 'ss', 'ς'),
      exclude: fc.boolean(),
    },
    { requiredKeys: ['field'] },
  ),
  fc.record(
    {
      field: fc.constantFrom('dateMs', 'responseTimeMs', 'botLatencyMs', 'responseCode'),
      min: fc.constantFrom(0, 1, 200, 0.5),
      max: fc.constantFrom(1, 250.5, 404, 30_000),
      exclude: fc.boolean(),
    },
    { requiredKeys: ['field'] },
  ),
  fc.record(
    {
      field: fc.constant('responseCode' as const),
      classes: fc.subarray(['2xx', '3xx', '4xx', '5xx', 'none'] as const).map((list) => [...list]),
      exclude: fc.boolean(),
    },
    { requiredKeys: ['field'] },
  ),
  fc.record({
    field: fc.constant('anywhere' as const),
    text: fc.constantFrom('a', 'timed', 'É', '%_', 'after', 'OUT 12', '345', "'S", '1'),
    exclude: fc.boolean(),
  }),
  fc.record({
    field: fc.constant('errorFamily' as const),
    values: fc.subarray(['', 'a', 'timed OUT <number>', 'TIMED OUT <number>']),
    exclude: fc.boolean(),
  }),
  fc.constant({ field: 'actionId' as const, values: ['1'] }),
  fc.record({
    field: fc.constantFrom('client', 'error', 'channel', 'anywhere'),
    wildcard: fc.constantFrom('t*', '*É', 't*12', 'TIMED*out*', '*', '2*', '*\\\\', 's*e'),
    exclude: fc.boolean(),
  }),
  fc.record({
    field: fc.constantFrom('client', 'error', 'responseCode', 'anywhere'),
    regex: fc.constantFrom('^t.m', 'out [0-9]+$', '(a|b)$', 'É', '^.$', '[$]1|404', "it's|%_"),
    exclude: fc.boolean(),
  }),
);

const group: fc.Arbitrary<FilterPart> = fc.record({
  any: fc.array(
    fc.record({
      conditions: fc.array(condition as fc.Arbitrary<FieldCondition>, { minLength: 1, maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  exclude: fc.boolean(),
});

export const filterArbitrary: fc.Arbitrary<RecordFilter> = fc.record({
  conditions: fc.array(
    fc.oneof(
      { weight: 4, arbitrary: condition as fc.Arbitrary<FilterPart> },
      { weight: 1, arbitrary: group },
    ),
    { maxLength: 3 },
  ),
});

const sortKey: fc.Arbitrary<RecordOrder[number]> = fc.record({
  column: fc.constantFrom(
    'received',
    'dateMs',
    'responseCode',
    'channel',
    'client',
    'responseTimeMs',
    'error',
    'actionId',
  ),
  descending: fc.boolean(),
  language: fc.constantFrom('en', 'es', 'de'),
});

export const orderArbitrary: fc.Arbitrary<RecordOrder> = fc.array(sortKey, { minLength: 1, maxLength: 3 });

/** A source over plain lists, one for each snapshot, that may grow. */
export function createPlainSource(
  snapshots: Map<number, PlainRecord[]>,
  identity = 'cache',
  readings: ReadonlyMap<number, number> = new Map(),
  runStarts: ReadonlyMap<number, readonly number[]> = new Map(),
): FeedSource {
  return {
    identity,
    list: () =>
      [...snapshots].map(([snapshotId, { length }]): FeedSnapshot => ({
        snapshotId,
        connectionId: 'one',
        direction: 'inbound',
        startedAtMs: snapshotId,
        recordCount: length,
        reading: readings.get(snapshotId) ?? 0,
      })),
    read: ({ snapshotId }, from, until) => (snapshots.get(snapshotId) ?? []).slice(from, until).map(toValues),
    listRunStarts: (snapshotId) => runStarts.get(snapshotId) ?? [],
    listErrorPatterns: () => [],
  };
}

function toValues(record: PlainRecord): EngineValue[] {
  const values: Readonly<Record<string, EngineValue>> = {
    record_id: record.recordId,
    date_ms: record.dateMs,
    session_id: record.sessionId,
    channel: record.channel,
    service: record.service,
    client: record.client,
    response_time_ms: record.responseTimeMs,
    response_code: record.responseCode,
    error: record.error,
    origin: record.origin,
    bot_latency_ms: record.botLatencyMs,
    payload: record.payload,
  };
  return ENGINE_COLUMNS.inbound.map(({ name }) => values[name] ?? null);
}

/** The records of a scope in the order received, found the plain way. */
export function listScope(
  snapshots: ReadonlyMap<number, readonly PlainRecord[]>,
  parts: readonly ScopePart[],
): PlainRecord[] {
  return parts.flatMap(({ snapshotId, recordCount, spans, withUndated }) =>
    (snapshots.get(snapshotId) ?? []).slice(0, recordCount).filter(({ dateMs }) => {
      if (spans === null) return true;
      if (dateMs === null) return withUndated;
      return spans.some(({ fromMs, toMs }) => dateMs >= fromMs && dateMs < toMs);
    }),
  );
}

const TEXT_FIELDS = new Set(['origin', 'client', 'error', 'sessionId', 'payload']);
type Field = Exclude<keyof PlainRecord, 'recordId'>;

/** True when a record meets a filter, found the plain way. */
export function meets(record: PlainRecord, filter: RecordFilter): boolean {
  const { client, error, sessionId, origin, payload } = record;
  return filter.conditions.every((condition) => {
    if ('any' in condition)
      return condition.any.some((all) => meets(record, all)) !== (condition.exclude === true);
    const { values = [], anyCase = [], classes = [], min, max, text, wildcard, regex } = condition;
    if (condition.field === 'anywhere') {
      const isFound = [client, error, sessionId, origin, payload].some(
        (own) =>
          (text !== undefined && foldCase(own).includes(foldCase(text))) || matches(own, condition, true),
      );
      return isFound !== (condition.exclude === true);
    }
    const listed = values.length + anyCase.length + classes.length;
    if (listed === 0 && [min, max, text, wildcard, regex].every((part) => part === undefined)) return true;
    const isExcluded = condition.exclude === true;
    if (condition.field === 'errorFamily') {
      return values.includes(toErrorPattern(error)) !== isExcluded;
    }
    if (!(condition.field in record)) return isExcluded;
    const value = record[condition.field as Field];
    return meetsOne(value, condition) !== isExcluded;
  });
}

/** Whether the patterns of a condition are found in a text, by the expressions of JavaScript. */
function matches(own: string, { wildcard, regex }: FieldCondition, isPart = false): boolean {
  if (own === '') return false;
  if (regex !== undefined && new RegExp(regex, 'isu').test(own)) return true;
  if (wildcard === undefined) return false;
  const pieces = [...wildcard.matchAll(/\\[*\\]|\*|[^]/g)].map(([found]) => {
    if (found === '*') return '.*';
    return foldCase(found.length > 1 ? found.slice(1) : found).replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
  });
  return new RegExp(isPart ? pieces.join('') : `^${pieces.join('')}$`, 's').test(foldCase(own));
}

function meetsOne(value: string | number | null, condition: FieldCondition): boolean {
  if (value !== null && matches(String(value), condition)) return true;
  const { field, values = [], anyCase = [], classes = [], min, max, text } = condition;
  if (
    values.some((wanted) =>
      wanted === null || wanted === '' ? value === null || value === '' : wanted === value,
    )
  ) {
    return true;
  }
  if (typeof value === 'string' && anyCase.some((wanted) => foldCase(wanted) === foldCase(value)))
    return true;
  if (field === 'responseCode' && classes.includes(toClass(value as number | null))) return true;
  if (TEXT_FIELDS.has(field)) return text !== undefined && foldCase(String(value)).includes(foldCase(text));
  if (min === undefined && max === undefined) return false;
  if (typeof value !== 'number') return false;
  return (
    value >= (min ?? -Infinity) &&
    (field === 'dateMs' ? value < (max ?? Infinity) : value <= (max ?? Infinity))
  );
}

export function toClass(code: number | null): '2xx' | '3xx' | '4xx' | '5xx' | 'none' {
  if (code === null || code < 100 || code > 599) return 'none';
  if (code < 300) return '2xx';
  if (code < 400) return '3xx';
  return code < 500 ? '4xx' : '5xx';
}

/** Records in an order, found the plain way; `records` are as received. */
export function sortPlainly(records: readonly PlainRecord[], order: RecordOrder): PlainRecord[] {
  const key = (record: PlainRecord, column: RecordOrder[number]['column']): string | number | null => {
    const values: Readonly<Partial<Record<string, string | number | null>>> = { ...record };
    const value = values[column] ?? null;
    return typeof value === 'string' ? foldCase(value) : value;
  };
  return records
    .map((record, place) => ({ record, place }))
    .sort((a, b) => {
      for (const { column, descending, language } of order) {
        const difference =
          column === 'received'
            ? a.place - b.place
            : compare(key(a.record, column), key(b.record, column), language);
        if (difference !== 0) return descending ? -difference : difference;
      }
      return order[0]?.descending === true ? b.place - a.place : a.place - b.place;
    })
    .map(({ record }) => record);
}

function compare(a: string | number | null, b: string | number | null, language = 'en'): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  if (typeof a === 'string' && typeof b === 'string') return new Intl.Collator(language).compare(a, b);
  return a < b ? -1 : 1;
}
