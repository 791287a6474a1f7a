import { FINDING_KIND_ROWS } from '../../../common/model/analysis/finding-kinds.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import { scanMinutes, type Judged, type Measured, type Run } from './scan-minutes.ts';
import { isShareKind, TRAFFIC_KINDS, type Expectation, type TrafficKind } from './expect-traffic.ts';
import { measureDispersion, weighVolume } from './weigh-volume.ts';
import { HOUR_MINUTES, type HourCounts, type TrafficCounts, type TrafficCoverage } from './traffic-grid.ts';
import { weighShares } from './weigh-shares.ts';

/** Traffic that can be described: that of a channel and service, of either, or (both null) all of it. */
export interface Place {
  readonly channel: number | null;
  readonly service: number | null;
}

/** A place with its requests, in one direction or both. */
export interface Series extends Place {
  readonly directions: readonly Direction[];
  readonly hours: HourCounts;
  readonly minutes: TrafficCounts;
}

/** Something unusual at a place. */
export interface Incident extends Place, Run {
  readonly kind: TrafficKind;
  readonly directions: readonly Direction[];
  readonly measured: Measured;
  readonly source: Expectation['source'];
}

const MIN_HITS = 5;
/** A share grows by this factor at least: where most requests fail anyway, a few more are no news. */
const LEAST_FACTOR = 1.5;

/** Returns what is unusual in the window of one series. */
export function detectIncidents(
  covered: TrafficCoverage,
  series: Series,
  expected: readonly (Expectation | null)[],
): Incident[] {
  const { channel, service, directions } = series;
  const judge = createJudge(covered, series, expected);
  return TRAFFIC_KINDS.flatMap((kind) => {
    const { evidence, measure } = judge(kind);
    return scanMinutes(evidence).flatMap((run) => {
      const measured = measure(run.onset, run.end ?? evidence.minutes);
      const source = expected[Math.floor(run.onset / HOUR_MINUTES)]?.source ?? 'days';
      return isLarge(kind, measured)
        ? [{ ...run, kind, directions, channel, service, measured, source }]
        : [];
    });
  });
}

/** True for at least so many times what is usual, or for a drop, of a ratio below 1, at most. */
export function isBeyond(ratio: number, seen: number, usual: number): boolean {
  return ratio < 1 ? seen <= ratio * usual : seen >= ratio * usual;
}

/** True for what is worth saying, however certain it is. */
export function isLarge(kind: TrafficKind, { hits, total, expected }: Measured): boolean {
  if (!isShareKind(kind)) return isBeyond(FINDING_KIND_ROWS[kind].ratio.minutes, hits, expected);
  const { factor } = FINDING_KIND_ROWS[kind].share;
  const least = Math.max(LEAST_FACTOR * expected, Math.min(factor * expected, (total + expected) / 2));
  return hits >= MIN_HITS && hits >= least;
}

/** Returns a function that weighs the evidence for a kind of incident in the minutes of some traffic. */
export function createJudge(
  { minutesCovered, hoursCovered, firstHour, firstMinute }: TrafficCoverage,
  { hours, minutes }: Pick<Series, 'hours' | 'minutes'>,
  expected: readonly (Expectation | null)[],
): (kind: TrafficKind) => Judged {
  let known: number | null = null;
  const readDispersion = (): number => {
    const before = Math.floor(firstMinute / HOUR_MINUTES) - firstHour;
    known ??= measureDispersion(hours.requests.subarray(0, before), hoursCovered);
    return known;
  };
  return (kind) =>
    isShareKind(kind)
      ? weighShares(minutes, expected, kind)
      : weighVolume({ minutesCovered, readDispersion }, minutes, expected, kind);
}
