import {
  addUpSpans,
  intersectSpans,
  listLevelTimes,
  toBudgetMs,
  toLevelState,
  toMonth,
  toMonthSpan,
} from '../../common/model/connections/level-times.ts';
import type { LevelReport } from '../../common/model/connections/service-level.ts';
import { joinSpans } from '../../common/model/connections/planned-spans.ts';
import type { MeasuredLevel } from '../analysis/status/status-figures.ts';
import type { Cache } from '../cache/cache.ts';
import type { SavedConnection } from '../connections/connection-file.ts';

/** What service levels are read from. */
export interface LevelParts {
  readonly cache: Pick<Cache, 'measureLevels'>;
  now(): number;
}

const NOTHING_SEEN: MeasuredLevel = {
  upMs: 0,
  downMs: 0,
  unwatchedMs: 0,
  outages: [],
  gaps: [],
  gapCount: 0,
};

/** Reads how a month stands for each target of a connection, or the present month by the clock of each (month null). */
export async function readLevels(
  { cache, now }: LevelParts,
  connectionId: string,
  { plans, serviceLevels = [] }: Pick<SavedConnection, 'plans' | 'serviceLevels'>,
  wantedMonth: string | null,
): Promise<LevelReport[]> {
  const nowMs = now();
  const levels = serviceLevels.map((level) => {
    const month = wantedMonth ?? toMonth(nowMs, level.zone);
    const span = toMonthSpan(month, level.zone);
    // A month that hasn't begun has no agreed time so far.
    const untilMs = Math.max(span.fromMs, Math.min(span.toMs, nowMs));
    return { level, month, span, untilMs, times: listLevelTimes(level, plans, span) };
  });
  if (levels.length === 0) return [];
  const { measured, checkedSinceMs } = await cache.measureLevels({
    connectionId,
    levels: levels.map(({ level, span, untilMs, times }) => ({
      part: level.part,
      fromMs: span.fromMs,
      untilMs,
      agreed: times.agreed,
    })),
  });
  return levels.map(({ level, month, span, untilMs, times }, place): LevelReport => {
    const { service, planned, agreed } = times;
    const { upMs, downMs, unwatchedMs, outages, gaps, gapCount } = measured[place] ?? NOTHING_SEEN;
    const isOver = untilMs === span.toMs;
    const agreedMs = addUpSpans(agreed);
    const figures = {
      isOver,
      agreedMs,
      dueMs: addUpSpans(intersectSpans(agreed, [{ fromMs: span.fromMs, toMs: untilMs }])),
      upMs,
      downMs,
      unwatchedMs,
      budgetMs: toBudgetMs(agreedMs, level.target),
    };
    return {
      level,
      month,
      ...span,
      untilMs,
      serviceMs: addUpSpans(service),
      plannedMs: addUpSpans(joinSpans(planned)),
      ...figures,
      state: toLevelState(figures, level.target),
      outages: outages.map((outage) => ({ ...outage, isOngoing: outage.isOngoing && !isOver })),
      gaps: [...gaps],
      gapCount,
      planned: [...planned],
      service: [...service],
      checkedSinceMs,
    };
  });
}
