import type { FieldCondition } from '../../../../../src-main/common/model/records/record-filter.ts';
import type { Distribution } from '../../../../../src-main/common/model/analysis/measured-times.ts';

type Bucket = Distribution['buckets'][number];

/** The finest part of a time: the filter includes its largest value, a bucket does not. */
const FINEST_MS = 0.001;
const MIN_TICKS = 3;

/** Returns the condition on a record that its response time lies in a bucket. */
export function toTimeCondition({ fromMs, toMs }: Bucket): FieldCondition {
  const max = toMs === null ? {} : { max: Number((toMs - FINEST_MS).toFixed(3)) };
  return { field: 'responseTimeMs', min: fromMs, ...max };
}

function isRound(timeMs: number, factors: readonly number[]): boolean {
  return factors.some((factor) => {
    const power = Math.log10(timeMs / factor);
    return timeMs > 0 && Math.abs(power - Math.round(power)) < 1e-9;
  });
}

/** Returns the buckets that begin at a power of ten, or where these are few, at twice and five times one too. */
export function listRoundPlaces(buckets: readonly Bucket[], max: number): readonly number[] {
  const find = (factors: readonly number[]): number[] =>
    buckets.flatMap(({ fromMs }, place) => (isRound(fromMs, factors) ? [place] : []));
  const powers = find([1]);
  const finer = powers.length < MIN_TICKS ? find([1, 2, 5]) : powers;
  return finer.length > max ? powers : finer;
}
