import { DAY_MS, SECOND_MS } from '../../common/time/durations.ts';
import { listBucketEdges } from '../../common/time/civil-time.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';

/** A day of the service's clock, or what downloads leave of one, and what is cached of it. */
export interface FollowedDay extends TimeSpan {
  /** The snapshot that it grows in; null before its first slice. */
  readonly snapshotId: number | null;
  /** Read to their end up to here, exclusive; the day's beginning where nothing is. */
  readonly coveredToMs: number;
  /** Late records were looked for up to here, exclusive. */
  readonly settledToMs: number;
}

/** A span to ask for. */
export interface FollowedStep extends TimeSpan {
  readonly day: FollowedDay;
}

interface Situation {
  /** Days that are not settled, oldest first; the last one is today. */
  readonly days: readonly FollowedDay[];
  readonly nowMs: number;
  readonly lookBackMs: number;
  /** The most time to ask for at once. */
  readonly sliceMs: number;
}

/** Late records are looked for in spans of this length, not at each turn. */
const LOOK_AGAIN_MS = 300_000;

/** The days of a zone's clock that [fromMs, nowMs) touches, oldest first. */
export function listDays(
  fromMs: number,
  nowMs: number,
  zone: string,
): Pick<FollowedDay, 'fromMs' | 'toMs'>[] {
  const edges = listBucketEdges(fromMs, Math.max(nowMs, fromMs + 1), DAY_MS, zone);
  return edges.slice(1).map((toMs, place) => ({ fromMs: edges[place] ?? toMs, toMs }));
}

/** Time that is still to be fetched. */
export function measureBehind(days: readonly FollowedDay[], nowMs: number): number {
  return days.reduce((sum, day) => sum + Math.max(0, toTarget(day, nowMs) - day.coveredToMs), 0);
}

/** Up to where a day is settled once [fromMs, toMs) was read, by requests that began at `atMs`. */
export function toSettled(
  { day, fromMs, toMs }: FollowedStep,
  { atMs, lookBackMs }: { readonly atMs: number; readonly lookBackMs: number },
): number {
  if (fromMs > day.settledToMs) return day.settledToMs;
  return Math.max(day.settledToMs, Math.min(toMs, toWholeSecond(atMs - lookBackMs)));
}

/**
 * What one turn asks for, in order. What is new of today comes first, from the last covered second; after a gap from
 * where late records may have come since, so that they need no walk of their own. Where nothing is left of that, a
 * span whose look-back is over is looked at once more. Days before follow when today is up to date, the newest first,
 * each from its beginning: it grows without holes.
 */
export function planSteps({ days, nowMs, lookBackMs, ...pace }: Situation): FollowedStep[] {
  // A request can't say parts of a second: it would be made an hour longer, and the day not grow by it.
  const sliceMs = toWholeSecond(pace.sliceMs);
  const lookedToMs = toWholeSecond(nowMs - lookBackMs);
  const goOn = (day: FollowedDay): FollowedStep | null => {
    const targetMs = toTarget(day, nowMs);
    if (day.coveredToMs >= targetMs) return null;
    const fromMs = lookedToMs >= day.coveredToMs ? day.settledToMs : day.coveredToMs;
    // What was covered before is gone through at once, or the slice would bring nothing new.
    return { day, fromMs, toMs: Math.min(targetMs, Math.max(fromMs, day.coveredToMs) + sliceMs) };
  };
  const lookAgain = (day: FollowedDay): FollowedStep | null => {
    const { settledToMs } = day;
    const untilMs = Math.min(day.coveredToMs, lookedToMs, settledToMs + Math.max(sliceMs, LOOK_AGAIN_MS));
    const isDue = untilMs - settledToMs >= LOOK_AGAIN_MS || (untilMs === day.toMs && settledToMs < day.toMs);
    return isDue ? { day, fromMs: settledToMs, toMs: untilMs } : null;
  };
  const newestFirst = days.toReversed();
  const [today] = newestFirst;
  if (today === undefined) return [];
  const first = goOn(today);
  if (first !== null && first.toMs < toTarget(today, nowMs)) return [first];
  const own = first === null ? [] : [first];
  for (const day of newestFirst) {
    // Today's own step says more about its newest part than this plan knows.
    const step = (day === today ? null : goOn(day)) ?? lookAgain(day);
    if (step !== null && !(day === today && first !== null && first.fromMs < step.toMs))
      return [...own, step];
  }
  return own;
}

function toTarget({ toMs }: Pick<FollowedDay, 'toMs'>, nowMs: number): number {
  return Math.min(toMs, toWholeSecond(nowMs));
}

function toWholeSecond(ms: number): number {
  return Math.floor(ms / SECOND_MS) * SECOND_MS;
}
