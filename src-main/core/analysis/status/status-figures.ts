import {
  addUpSpans,
  intersectSpans,
  type LevelOutage,
  type LevelPart,
  subtractSpans,
} from '../../../common/model/connections/service-level.ts';
import type {
  DownSpan,
  HealthState,
  OutageSpan,
  StateSpan,
  StatusFigures,
  StatusHistory,
  StatusSample,
  StatusTick,
  Uptime,
} from '../../../common/model/connections/status.ts';
import { MINUTE_MS } from '../../../common/time/durations.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';

type Subject = 'platform' | 'connector';

/**
 * The history of the span that ends at `nowMs`, in equal ticks. `samples` are oldest first and may reach
 * back before the span: then `since` may too. Uptime is measured in time, over what the
 * service itself said (decision 28), outside of `planned` times.
 */
export function toStatusHistory(
  samples: readonly StatusPoint[],
  nowMs: number,
  { spanMs, ticks }: { readonly spanMs: number; readonly ticks: number },
  planned: readonly TimeSpan[] = [],
): Omit<StatusHistory, 'lastAnswered' | 'latest'> {
  const fromMs = nowMs - spanMs;
  const inSpan = samples.filter((sample) => sample.checkedAtMs >= fromMs);
  const times = sortResponseTimes(inSpan);
  return {
    ticks: toTicks(inSpan, fromMs, spanMs, ticks),
    platformState: findState(samples, 'platform', nowMs),
    connectorState: findState(samples, 'connector', nowMs),
    ...toOutages(samples, nowMs, { spanMs, maxGapMs: spanMs / ticks }),
    platformUptime: toUptime(inSpan, 'platform', nowMs, planned),
    connectorUptime: toUptime(inSpan, 'connector', nowMs, planned),
    medianResponseTimeMs: toMedian(times),
    maxResponseTimeMs: times.at(-1) ?? null,
  };
}

/** What befell a connection in a span that ends at a moment. */
export type Outages = Pick<StatusHistory, 'downSpans' | 'unreachableSpans'>;

/** Returns the outages of the span that ends at `nowMs`: `toStatusHistory` tells the same with the rest of it. */
export function toOutages(
  samples: readonly StatusPoint[],
  nowMs: number,
  { spanMs, maxGapMs }: { readonly spanMs: number; readonly maxGapMs: number },
): Outages {
  const isWithin = ({ untilMs }: OutageSpan): boolean => untilMs > nowMs - spanMs;
  return {
    downSpans: findDownSpans(samples, maxGapMs).filter(isWithin),
    unreachableSpans: findUnreachableSpans(samples, maxGapMs, nowMs).filter(isWithin),
  };
}

function toTicks(
  samples: readonly StatusPoint[],
  fromMs: number,
  spanMs: number,
  ticks: number,
): StatusTick[] {
  const edge = (index: number): number => Math.round(fromMs + (index * spanMs) / ticks);
  const groups = Array.from({ length: ticks }, (): StatusPoint[] => []);
  for (const sample of samples) {
    const index = Math.floor(((sample.checkedAtMs - fromMs) * ticks) / spanMs);
    groups[Math.min(index, ticks - 1)]?.push(sample);
  }
  return groups.map((group, index) => {
    const times = group.flatMap((sample) => sample.internalResponseTimeMs ?? []);
    return {
      fromMs: edge(index),
      toMs: edge(index + 1),
      platform: joinStates(group.map((sample) => sample.platform)),
      connector: joinStates(group.map((sample) => sample.connector)),
      internalResponseTimeMs:
        times.length === 0 ? null : times.reduce((sum, time) => sum + time, 0) / times.length,
    };
  });
}

/** A state that the service reported wins over not having reached it. */
function joinStates(states: readonly HealthState[]): StatusTick['platform'] {
  const has = (state: HealthState): boolean => states.includes(state);
  if (has('up') && has('down')) return 'partly';
  return (['down', 'up', 'unknown', 'unreachable'] as const).find(has) ?? 'not-checked';
}

/** Between its samples a state is known for as long as they speak: hours without a check don't count. */
function findState(samples: readonly StatusPoint[], subject: Subject, nowMs: number): StateSpan | null {
  const state = samples.at(-1)?.[subject];
  let sinceMs: number | null = null;
  let seenMs = 0;
  let nextMs = nowMs;
  for (const sample of samples.toReversed()) {
    if (sample[subject] !== state) break;
    seenMs += toSpokenMs(sample, nextMs);
    sinceMs = sample.checkedAtMs;
    nextMs = sample.checkedAtMs;
  }
  return sinceMs === null ? null : { sinceMs, seenMs };
}

/** All that is looked at. */
type DownPoint = Pick<StatusPoint, 'checkedAtMs' | 'connector' | 'platform'>;

/**
 * When the service reported a part as down, to the sample, oldest first. What happened while nothing was checked for
 * longer than `maxGapMs` is not known: a span ends there. Not having reached the service is no sign either way. What was
 * over within two minutes is a hiccup, and left out.
 */
function findDownSpans(samples: readonly DownPoint[], maxGapMs: number): DownSpan[] {
  return (['platform', 'connector'] as const)
    .flatMap((part) => {
      const reported = samples.filter(
        ({ [part]: state }) => state !== 'unreachable' && state !== 'not-checked',
      );
      return findOf(reported, ({ [part]: state }) => state === 'down', maxGapMs).map((span) => ({
        part,
        ...span,
      }));
    })
    .toSorted((a, b) => a.sinceMs - b.sinceMs);
}

/**
 * When the service could not be reached for two minutes or more, as `findDownSpans` says it of what the service
 * reported. It goes on only while samples still come.
 */
function findUnreachableSpans(samples: readonly DownPoint[], maxGapMs: number, nowMs: number): OutageSpan[] {
  const checked = samples.filter(({ platform }) => platform !== 'not-checked');
  return findOf(checked, ({ platform }) => platform === 'unreachable', maxGapMs)
    .map((span) => (span.isOngoing && nowMs - span.untilMs > maxGapMs ? { ...span, isOngoing: false } : span))
    .filter(({ sinceMs, untilMs }) => untilMs - sinceMs >= MAX_SPOKEN_MS);
}

function findOf(
  samples: readonly DownPoint[],
  isOut: (sample: DownPoint) => boolean,
  maxGapMs: number,
): OutageSpan[] {
  const spans: OutageSpan[] = [];
  for (const [place, sample] of samples.entries()) {
    if (!isOut(sample)) continue;
    const { checkedAtMs } = sample;
    const before = samples[place - 1];
    const isFirst = before === undefined || !isOut(before) || checkedAtMs - before.checkedAtMs > maxGapMs;
    const nextMs = samples[place + 1]?.checkedAtMs ?? null;
    const untilMs =
      nextMs === null ? checkedAtMs : nextMs - checkedAtMs <= maxGapMs ? nextMs : checkedAtMs + MAX_SPOKEN_MS;
    const sinceMs = isFirst ? checkedAtMs : (spans.pop()?.sinceMs ?? checkedAtMs);
    spans.push({ sinceMs, untilMs, isOngoing: nextMs === null });
  }
  return spans.filter(({ sinceMs, untilMs, isOngoing }) => isOngoing || untilMs - sinceMs >= MAX_SPOKEN_MS);
}

/** What was seen for less is no measure. */
const MIN_SEEN_MS = 1000;

/**
 * Returns what was measured over each of some spans that end at `nowMs`. Points are oldest first; uptime leaves out
 * `planned` times, oldest first too.
 */
export function toStatusFigures(
  points: readonly StatusPoint[],
  nowMs: number,
  spansMs: readonly number[],
  planned: readonly TimeSpan[] = [],
): StatusFigures[] {
  return spansMs.map((spanMs) => {
    const first = points.findIndex(({ checkedAtMs }) => checkedAtMs >= nowMs - spanMs);
    const inSpan = first === -1 ? [] : points.slice(first);
    return {
      spanMs,
      platform: toUptime(inSpan, 'platform', nowMs, planned),
      connector: toUptime(inSpan, 'connector', nowMs, planned),
      medianResponseTimeMs: toMedian(sortResponseTimes(inSpan)),
      responseSeenMs: sumSpokenMs(inSpan, nowMs),
    };
  });
}

/**
 * How long the service said `up`, of the time that its answers speak for; null while it has said neither for a time.
 * Measured in time, over what the service itself said (decision 28), outside of planned times.
 */
export function toUptime(
  points: readonly StatusPoint[],
  subject: 'connector' | 'platform',
  nowMs: number,
  planned: readonly TimeSpan[] = [],
): Uptime | null {
  let seenMs = 0;
  let upMs = 0;
  let sinceMs: number | null = null;
  let nextMs = nowMs;
  let next = planned.length - 1;
  // Of a month there are a hundred thousand points: a plain loop takes a tenth of the time of an iterator.
  for (let place = points.length - 1; place >= 0; place -= 1) {
    const point = points[place];
    if (point === undefined) continue;
    const state = point[subject];
    if (point.failure === null && (state === 'up' || state === 'down')) {
      let spanMs = toSpokenMs(point, nextMs);
      const toMs = point.checkedAtMs + spanMs;
      while ((planned[next]?.fromMs ?? -Infinity) >= toMs) next -= 1;
      for (let near = next; near >= 0; near -= 1) {
        const span = planned[near];
        if (span === undefined || span.toMs <= point.checkedAtMs) break;
        spanMs -= Math.max(0, Math.min(toMs, span.toMs) - Math.max(point.checkedAtMs, span.fromMs));
      }
      seenMs += spanMs;
      if (state === 'up') upMs += spanMs;
      sinceMs = point.checkedAtMs;
    }
    nextMs = point.checkedAtMs;
  }
  return sinceMs === null || seenMs < MIN_SEEN_MS ? null : { share: upMs / seenMs, seenMs, sinceMs };
}

/** Returns the internal response times of points, shortest first. */
function sortResponseTimes(points: readonly StatusPoint[]): Float64Array {
  const times = new Float64Array(points.length);
  let count = 0;
  for (const { internalResponseTimeMs } of points) {
    if (internalResponseTimeMs === null) continue;
    times[count] = internalResponseTimeMs;
    count += 1;
  }
  return times.subarray(0, count).sort();
}

/** Returns the median of sorted values; null of none. */
function toMedian(sorted: Float64Array): number | null {
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? null : (lower + upper) / 2;
}

function sumSpokenMs(points: readonly StatusPoint[], nowMs: number): number {
  return points.reduce((sum, point, place) => {
    if (point.internalResponseTimeMs === null) return sum;
    return sum + toSpokenMs(point, points[place + 1]?.checkedAtMs ?? nowMs);
  }, 0);
}

/** What a history needs of a sample. */
export type StatusPoint = Pick<
  StatusSample,
  'checkedAtMs' | 'connector' | 'failure' | 'internalResponseTimeMs' | 'platform'
>;

/** What an answer says holds no longer than this without another one. */
export const MAX_SPOKEN_MS = 120_000;

/** For how long a sample speaks when the next one, or the present, is at `nextMs`. */
function toSpokenMs({ checkedAtMs }: Pick<StatusPoint, 'checkedAtMs'>, nextMs: number): number {
  return Math.max(0, Math.min(nextMs - checkedAtMs, MAX_SPOKEN_MS));
}

/** Answers that a part is down belong to one outage where none says otherwise, and no more than this lies between them. */
const MAX_JOINED_MS = 15 * MINUTE_MS;
/** More gaps than checks every few minutes leave in a month. */
const MAX_GAPS = 10_000;

/** What was seen of a part in agreed time. */
export interface MeasuredLevel {
  readonly upMs: number;
  readonly downMs: number;
  readonly unwatchedMs: number;
  readonly outages: readonly LevelOutage[];
  readonly gaps: readonly TimeSpan[];
  readonly gapCount: number;
}

/**
 * Measures agreed time, in order, until `untilMs`. As in uptime, an answer speaks for two minutes at most, or until the
 * next check; only what the service itself reported counts (decision 28). Points are oldest first and may begin two
 * minutes before the agreed time.
 */
export function measureLevel(
  points: readonly StatusPoint[],
  part: LevelPart,
  agreed: readonly TimeSpan[],
  untilMs: number,
): MeasuredLevel {
  const due = intersectSpans(agreed, [{ fromMs: -Infinity, toMs: untilMs }]);
  const runs = listRuns(points, part, untilMs);
  const ofState = (isDown: boolean): TimeSpan[] => runs.filter((run) => run.isDown === isDown);
  const gaps = subtractSpans(due, runs);
  return {
    upMs: addUpSpans(intersectSpans(ofState(false), due)),
    downMs: addUpSpans(intersectSpans(ofState(true), due)),
    unwatchedMs: addUpSpans(gaps),
    outages: listOutages(runs, due, untilMs),
    gaps: gaps
      .toSorted((a, b) => b.toMs - b.fromMs - (a.toMs - a.fromMs))
      .slice(0, MAX_GAPS)
      .sort((a, b) => a.fromMs - b.fromMs),
    gapCount: gaps.length,
  };
}

interface Run {
  readonly fromMs: number;
  toMs: number;
  readonly isDown: boolean;
}

/** Times for which answers speak, joined where they say the same. */
function listRuns(points: readonly StatusPoint[], part: LevelPart, untilMs: number): Run[] {
  const runs: Run[] = [];
  for (let place = 0; place < points.length; place += 1) {
    const point = points[place];
    if (point === undefined || point.failure !== null) continue;
    const state = point[part];
    if (state !== 'up' && state !== 'down') continue;
    const fromMs = point.checkedAtMs;
    const toMs = fromMs + toSpokenMs(point, Math.min(points[place + 1]?.checkedAtMs ?? untilMs, untilMs));
    const last = runs.at(-1);
    const isDown = state === 'down';
    if (last?.toMs === fromMs && last.isDown === isDown) last.toMs = toMs;
    else if (toMs > fromMs) runs.push({ fromMs, toMs, isDown });
  }
  return runs;
}

function listOutages(runs: readonly Run[], due: readonly TimeSpan[], untilMs: number): LevelOutage[] {
  const outages: LevelOutage[] = [];
  let isOpen = false;
  for (const [place, run] of runs.entries()) {
    if (!run.isDown) {
      isOpen = false;
      continue;
    }
    const isNewest = place === runs.length - 1 && run.toMs === untilMs;
    for (const { fromMs, toMs } of intersectSpans([run], due)) {
      const last = outages.at(-1);
      const isOngoing = isNewest && toMs === run.toMs;
      if (isOpen && last !== undefined && fromMs - last.toMs <= MAX_JOINED_MS) {
        outages[outages.length - 1] = {
          ...last,
          toMs,
          isOngoing,
          downMs: last.downMs + toMs - fromMs,
        };
      } else outages.push({ fromMs, toMs, downMs: toMs - fromMs, isOngoing });
      isOpen = true;
    }
  }
  return outages;
}
