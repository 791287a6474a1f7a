import type { TimedField } from '../../src-main/common/model/analysis/grouping.ts';
import type { TimesRow } from '../../src-main/common/model/records/histogram.ts';
import { toNextNumber } from '../../src-main/common/query/query-fields.ts';
import type { FieldCondition } from '../../src-main/common/model/records/record-filter.ts';

const FULL_BAR_MS = 10_000;

/** Response times above this are drawn in red. */
export const SLOW_RESPONSE_MS = 5_000;

/**
 * Length of a response-time bar, 0 to 1, on a logarithmic scale from 1 ms to 10 s, so that 100 ms and
 * 10 s can both be read in a bar 40 px long.
 */
export function toLogShare(responseTimeMs: number | null): number {
  if (responseTimeMs === null || !(responseTimeMs > 0)) return 0;
  const share = Math.log10(Math.max(1, responseTimeMs)) / Math.log10(FULL_BAR_MS);
  return Math.min(1, Math.max(0.05, share));
}

/** Returns the smallest of 1, 2, 5 times a power of ten that is not below the value; at least 1. */
export function toNiceCeiling(value: number): number {
  if (!(value > 1)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= value) ?? 10;
  return factor * power;
}

const MIN_TICKS = 3;

/** Returns the condition on a record that its time lies in a bucket, without its end; that it has one where the bucket has no ends. */
export function toTimeCondition(
  { fromMs, toMs }: TimesRow,
  field: TimedField = 'responseTimeMs',
): FieldCondition {
  if (fromMs === null && toMs === null) return { field, exclude: true, values: [null] };
  const min = fromMs === null ? {} : { min: fromMs };
  const max = toMs === null ? {} : { max: toNextNumber(toMs, -1) };
  return { field, ...min, ...max };
}

function isRound(timeMs: number, factors: readonly number[]): boolean {
  return factors.some((factor) => {
    const power = Math.log10(timeMs / factor);
    return timeMs > 0 && Math.abs(power - Math.round(power)) < 1e-9;
  });
}

/** Returns the buckets that begin at a power of ten, or where these are few, at twice and five times one too. */
export function listRoundPlaces(buckets: readonly TimesRow[], max: number): readonly number[] {
  const find = (factors: readonly number[]): number[] =>
    buckets.flatMap(({ fromMs }, place) => (isRound(fromMs ?? 0, factors) ? [place] : []));
  const powers = find([1]);
  const finer = powers.length < MIN_TICKS ? find([1, 2, 5]) : powers;
  return finer.length > max ? powers : finer;
}
