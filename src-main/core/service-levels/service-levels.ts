import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Value } from 'typebox/value';
import { AppError } from '../../common/contract/errors.ts';
import type { HandlersOf } from '../../common/contract/index.ts';
import {
  addUpSpans,
  findLevelFault,
  intersectSpans,
  type LevelReport,
  listLevelTimes,
  MAX_SERVICE_LEVELS,
  type ServiceLevel,
  type ServiceLevelDraft,
  ServiceLevelsFile,
  toBudgetMs,
  toLevelState,
  toMonth,
  toMonthSpan,
  toServiceLevelsFile,
} from '../../common/model/connections/service-level.ts';
import { joinSpans } from '../../common/model/connections/planned.ts';
import type { MeasuredLevel } from '../analysis/status/status-figures.ts';
import type { Cache } from '../cache/cache.ts';
import type { SavedConnection } from '../connections/connection-file.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';

/** The handlers of `service-levels/…`. */
export function createServiceLevelsHandlers(
  parts: LevelParts & { readonly connections: Pick<ConnectionStore, 'get' | 'saveServiceLevels'> },
): HandlersOf<'service-levels'> {
  const { connections } = parts;
  return {
    'service-levels/save': ({ connectionId, levelId, draft }) => {
      requireSound(draft);
      return connections.saveServiceLevels(connectionId, (levels) => {
        if (levelId === null) return requireRoom([...levels, { ...draft, id: randomUUID() }]);
        requireKnown(levels, levelId);
        return levels.map((own) => (own.id === levelId ? { ...draft, id: levelId } : own));
      });
    },
    'service-levels/remove': ({ connectionId, levelId }) =>
      connections.saveServiceLevels(connectionId, (levels) => {
        requireKnown(levels, levelId);
        return levels.filter(({ id }) => id !== levelId);
      }),
    'service-levels/import': async ({ connectionId, fileName, text }) => {
      const drafts = readFile(text, fileName);
      for (const draft of drafts) requireSound(draft);
      let added = 0;
      const connection = await connections.saveServiceLevels(connectionId, (levels) => {
        const known = toServiceLevelsFile(levels).levels;
        const fresh = drafts.filter((draft) => !known.some((own) => isDeepStrictEqual(own, draft)));
        added = fresh.length;
        return requireRoom([...levels, ...fresh.map((draft) => ({ ...draft, id: randomUUID() }))]);
      });
      return { connection, added };
    },
    'service-levels/read': ({ connectionId, month }) =>
      readLevels(parts, connectionId, connections.get(connectionId), month),
  };
}

function requireSound(draft: ServiceLevelDraft): void {
  const fault = findLevelFault(draft);
  if (fault === null) return;
  throw new AppError('service-levels.invalid', `The service level "${draft.name}" is not valid: ${fault}.`, {
    fault,
    name: draft.name,
  });
}

function requireKnown(levels: readonly ServiceLevel[], id: string): void {
  if (levels.some((own) => own.id === id)) return;
  throw new AppError('service-levels.not-found', 'No such service level.');
}

function requireRoom(levels: ServiceLevel[]): ServiceLevel[] {
  if (levels.length <= MAX_SERVICE_LEVELS) return levels;
  throw new AppError('service-levels.too-many', `At most ${MAX_SERVICE_LEVELS} service levels are kept.`, {
    most: MAX_SERVICE_LEVELS,
  });
}

function readFile(text: string, fileName: string): readonly ServiceLevelDraft[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (Value.Check(ServiceLevelsFile, value))
    return toServiceLevelsFile(value.levels as ServiceLevel[]).levels;
  throw new AppError(
    'service-levels.no-file',
    `${fileName} holds no service levels as --export writes them.`,
    {
      fileName,
    },
  );
}

/** What service levels are read from. */
interface LevelParts {
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
