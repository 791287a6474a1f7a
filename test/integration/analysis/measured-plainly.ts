import { expect } from 'vitest';
import type { Latency, MeasuredGroup } from '../../../src-main/common/model/analysis/grouping.ts';
import { CODE_CLASSES, type CodeClass } from '../../../src-main/common/model/records/record.ts';
import { OUTCOMES, type Outcome } from '../../../src-main/common/reporting/outcome.ts';
import { civilToUtcMs, toCivilTime } from '../../../src-main/common/time/civil-time.ts';
import { toErrorPattern } from '../../../src-main/core/analysis/families/learn-families.ts';
import { toClass, type PlainRecord } from './random-records.ts';

/** The value at a share of the way through sorted values, between two of them in proportion; null of none. */
function findPercentile(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const low = sorted[Math.floor(place)];
  const high = sorted[Math.ceil(place)];
  return low === undefined || high === undefined ? null : low + (high - low) * (place % 1);
}

/** What became of a request by the default rules, found the plain way. */
export function judgePlainly({ responseCode, error }: Pick<PlainRecord, 'responseCode' | 'error'>): Outcome {
  const code = responseCode ?? 0;
  if ((code >= 400 && code <= 599) || error !== '') return 'failed';
  return code >= 100 && code <= 399 ? 'ok' : 'unknown';
}

/** The class that a record is shown in, found the plain way. */
export function toShownPlainly(record: Pick<PlainRecord, 'responseCode' | 'error'>): CodeClass {
  const outcome = judgePlainly(record);
  const codeClass = toClass(record.responseCode);
  if (outcome === 'failed') return codeClass === '4xx' ? '4xx' : '5xx';
  if (outcome === 'ok') return codeClass === '3xx' ? '3xx' : '2xx';
  return 'none';
}

export function measureTimes(values: readonly (number | null)[]): Latency {
  const timed = values.filter((value) => value !== null);
  const find = (share: number): number | null => findPercentile(timed, share);
  return {
    count: timed.length,
    averageMs: timed.length === 0 ? null : timed.reduce((sum, value) => sum + value, 0) / timed.length,
    medianMs: find(0.5),
    p90Ms: find(0.9),
    p95Ms: find(0.95),
    p99Ms: find(0.99),
    maxMs: find(1),
  };
}

/** What the engine says of a group of records, found the plain way. */
export function measurePlainly(records: readonly PlainRecord[], key: MeasuredGroup['key']): MeasuredGroup {
  const outcomeCounts = OUTCOMES.map(
    (name) => records.filter((record) => judgePlainly(record) === name).length,
  );
  const classCounts = CODE_CLASSES.map(
    (name) => records.filter((record) => toShownPlainly(record) === name).length,
  );
  const dates = records.flatMap(({ dateMs }) => dateMs ?? []);
  return {
    key,
    count: records.length,
    classCounts,
    outcomeCounts,
    failures: outcomeCounts[1] ?? 0,
    ...measureHit(records),
    response: measureTimes(records.map(({ responseTimeMs }) => responseTimeMs)),
    botLatency: measureTimes(records.map(({ botLatencyMs }) => botLatencyMs)),
    firstMs: dates.length === 0 ? null : Math.min(...dates),
    lastMs: dates.length === 0 ? null : Math.max(...dates),
  };
}

/** Whom the failures hit, and how many of them tell as much as one. */
function measureHit(
  records: readonly PlainRecord[],
): Pick<MeasuredGroup, 'failedSessions' | 'failedClients' | 'perFailure'> {
  const failed = records.filter((record) => judgePlainly(record) === 'failed');
  const named = failed.filter(({ sessionId }) => sessionId !== '');
  const lengths = [...Map.groupBy(named, ({ sessionId }) => sessionId).values()].map(({ length }) => length);
  const squares = lengths.reduce((sum, length) => sum + length * length, failed.length - named.length);
  const passed = Math.max(0.5, 1 - failed.length / records.length);
  return {
    failedSessions: lengths.length,
    failedClients: new Set(failed.map(({ client }) => client).filter((client) => client !== '')).size,
    perFailure: failed.length === 0 ? 1 : Math.max(1, squares / failed.length / passed),
  };
}

/** The value of a field as groups have it: nothing is null. */
export function toGroupValue(record: PlainRecord, field: string): string | number | null {
  if (field === 'errorFamily') return toErrorPattern(record.error) || null;
  if (field === 'outcome') return judgePlainly(record);
  const value = (record as unknown as Record<string, string | number | null | undefined>)[field];
  return value === undefined || value === '' ? null : value;
}

/** The hour of the week that a clock shows, found the plain way: that of Monday's midnight 0. */
export function toWeekHour(atMs: number, zone: string): number {
  const civil = toCivilTime(atMs, zone);
  return ((new Date(civilToUtcMs(civil)).getUTCDay() + 6) % 7) * 24 + civil.hour;
}

/** Matches the same figures: both sides add up in an order of their own, so the last digits may differ. */
export function near(value: unknown): unknown {
  if (typeof value === 'number') return expect.closeTo(value, 3);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(near);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, near(part)]));
}
