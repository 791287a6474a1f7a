import type { LevelOutage, LevelPart } from '../../../common/model/connections/service-level.ts';
import { addUpSpans, intersectSpans, subtractSpans } from '../../../common/model/connections/level-times.ts';
import { MINUTE_MS } from '../../../common/time/durations.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { toSpokenMs, type StatusPoint } from './status-figures.ts';

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
