import type { FieldCondition, RecordFilter } from '../../../src-main/common/model/records/record-filter.ts';
import { SEARCHED_FIELDS } from '../../../src-main/common/model/records/record-filter.ts';
import type { RecordOrder } from '../../../src-main/common/model/records/record.ts';
import { toErrorPattern } from '../../../src-main/core/analysis/families/learn-families.ts';
import { judgePlainly } from '../analysis/measured-plainly.ts';
import { toClass } from '../analysis/random-records.ts';
import type { ServedRecord } from './served-world.ts';

/** What is known of a download: its period, how far it is complete, and what was served for it. */
export interface ServedDownload {
  readonly snapshotId: number;
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  /** Up to where it is complete; `fromMs` where it was cut off. */
  readonly completeToMs: number;
  readonly records: readonly ServedRecord[];
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The records that a period shows, of downloads in the order in which they were fetched (decision 33): moment by moment
 * those of the last download that is complete for it, or of a later one that has more.
 */
export function unite(downloads: readonly ServedDownload[], { fromMs, toMs }: Span): ServedRecord[] {
  const latestFirst = downloads.toReversed();
  const dated = downloads.flatMap(({ records, ...own }) =>
    records.flatMap(({ dateMs }) =>
      dateMs !== null && dateMs >= own.fromMs && dateMs < own.toMs ? dateMs : [],
    ),
  );
  const found: ServedRecord[] = [];
  for (const moment of new Set(dated)) {
    if (moment < fromMs || moment >= toMs) continue;
    let best: readonly ServedRecord[] = [];
    for (const download of latestFirst) {
      if (moment < download.fromMs || moment >= download.toMs) continue;
      const own = download.records.filter(({ dateMs }) => dateMs === moment);
      if (own.length > best.length) best = own;
      if (moment < download.completeToMs) break;
    }
    found.push(...best);
  }
  return [...found, ...uniteUndated(latestFirst, { fromMs, toMs })];
}

/** Records without a date belong to a period that holds their download; equal ones of overlapping downloads count once. */
function uniteUndated(latestFirst: readonly ServedDownload[], { fromMs, toMs }: Span): ServedRecord[] {
  const inside = latestFirst.filter((own, place) => {
    if (own.fromMs < fromMs || own.toMs > toMs || own.records.length === 0) return false;
    return !isReplaced(own, latestFirst.slice(0, place));
  });
  return inside.flatMap((own, place) => {
    const later = inside
      .slice(0, place)
      .filter((other) => other.fromMs < own.toMs + 1000 && own.fromMs < other.toMs + 1000);
    return [...Map.groupBy(listUndated(own), (record) => JSON.stringify(record))].flatMap(([text, equal]) => {
      const held = later.map(
        (other) => listUndated(other).filter((record) => JSON.stringify(record) === text).length,
      );
      return equal.slice(Math.max(0, ...held));
    });
  });
}

function listUndated({ records }: ServedDownload): ServedRecord[] {
  return records.filter(({ dateMs }) => dateMs === null);
}

/** True where later downloads are complete for every moment of one. */
function isReplaced(own: ServedDownload, later: readonly ServedDownload[]): boolean {
  let uncovered: Span[] = [{ fromMs: own.fromMs, toMs: own.toMs }];
  for (const { fromMs, completeToMs } of later) {
    uncovered = uncovered
      .flatMap((span) => [
        { fromMs: span.fromMs, toMs: Math.min(span.toMs, fromMs) },
        { fromMs: Math.max(span.fromMs, completeToMs), toMs: span.toMs },
      ])
      .filter((span) => span.toMs > span.fromMs);
  }
  return uncovered.length === 0;
}

type Value = string | number | null | undefined;

/** The value of a field; undefined where the report lacks it. */
export function readField(record: ServedRecord, field: string): Value {
  if (field === 'errorFamily') return toErrorPattern(record.error);
  if (field === 'outcome') return judgePlainly(record);
  return (record as unknown as Record<string, Value>)[field];
}

/** True when a record meets a filter. */
export function meets(record: ServedRecord, { conditions }: RecordFilter): boolean {
  return conditions.every((condition) => {
    if ('any' in condition)
      return condition.any.some((all) => meets(record, all)) !== (condition.exclude === true);
    const { field, values = [], classes = [], min, max, text } = condition;
    if (values.length + classes.length === 0 && [min, max, text].every((part) => part === undefined))
      return true;
    return meetsOne(record, condition, field) !== (condition.exclude === true);
  });
}

function meetsOne(record: ServedRecord, condition: FieldCondition, field: string): boolean {
  const { values = [], classes = [], min, max, text } = condition;
  const holds = (value: Value): boolean =>
    text !== undefined && typeof value === 'string' && value.toLowerCase().includes(text.toLowerCase());
  if (field === 'anywhere') return SEARCHED_FIELDS.some((name) => holds(readField(record, name)));
  const value = readField(record, field);
  if (value === undefined) return false;
  const isNothing = value === null || value === '';
  if (values.some((one) => (one === null || one === '' ? isNothing : one === value))) return true;
  if (field === 'responseCode' && classes.includes(toClass(value as number | null))) return true;
  if (holds(value)) return true;
  if ((min === undefined && max === undefined) || typeof value !== 'number') return false;
  const isBelow = field === 'dateMs' ? value < (max ?? Infinity) : value <= (max ?? Infinity);
  return value >= (min ?? -Infinity) && isBelow;
}

/** What an order compares of a record, column by column. */
export function toSortKeys(record: ServedRecord, order: RecordOrder): Value[] {
  return order.map(({ column }) => {
    const value = readField(record, column);
    if (value === undefined) return null;
    return typeof value === 'string' ? value.toLowerCase() : value;
  });
}

/** True where rows with these keys stand in an order: nothing comes first, or last where it descends. */
export function isSorted(rows: readonly (readonly Value[])[], order: RecordOrder): boolean {
  return rows.every((row, place) => {
    const next = rows[place + 1];
    if (next === undefined) return true;
    for (const [at, { descending }] of order.entries()) {
      const difference = compare(row[at], next[at]) * (descending ? -1 : 1);
      if (difference !== 0) return difference < 0;
    }
    return true;
  });
}

function compare(one: Value, other: Value): number {
  if (one === other) return 0;
  if (one === null || one === undefined) return -1;
  if (other === null || other === undefined) return 1;
  if (typeof one === 'string' && typeof other === 'string')
    return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return one < other ? -1 : 1;
}

/** Values with how often each occurs, in an order that two lists have in common. */
export function tally(values: readonly (Value | readonly Value[])[]): [string, number][] {
  return [...Map.groupBy(values, (value) => JSON.stringify(value ?? null))]
    .map(([text, equal]): [string, number] => [text, equal.length])
    .sort(([one], [other]) => (one < other ? -1 : 1));
}
