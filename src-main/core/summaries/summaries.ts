import { AppError } from '../../common/contract/errors.ts';
import type { Handlers, HandlersOf } from '../../common/contract/index.ts';
import type { Obstacle, Reconciliation } from '../../common/model/analysis/comparison.ts';
import { type Snapshot, toFetchedAtMs } from '../../common/model/cache/snapshot.ts';
import { toEndMs } from '../../common/model/period.ts';
import { type DetailKind, isSummaryKind, toDetailKind } from '../../common/reporting/reports.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import { findDifferences, toTolerances } from '../analysis/find-differences.ts';
import type { Cache } from '../cache/cache.ts';
import { type ConnectionStore, findLookBackMs } from '../connections/create-connections.ts';
import type { Ledger } from '../coverage/ledger.ts';
import { listLacking } from '../coverage/read-holdings.ts';

/** The handlers of `summaries/…`. */
export function createSummariesHandlers(parts: {
  readonly cache: Cache;
  readonly engine: Engine;
  readonly connections: Pick<ConnectionStore, 'get'>;
  readonly ledger: Pick<Ledger, 'read'>;
  readonly startSummary: Handlers['summaries/start-fetch'];
}): HandlersOf<'summaries'> {
  const { cache, engine, startSummary } = parts;
  return {
    'summaries/start-fetch': startSummary,
    'summaries/read': ({ snapshotId }) => cache.readSummary(snapshotId),
    'summaries/compute': async (scope) => {
      const groups = await engine.summarise(scope);
      const snapshotId = 'snapshotId' in scope ? scope.snapshotId : null;
      const requestCount = groups.reduce((sum, { count }) => sum + count, 0);
      return { source: 'computed', snapshotId, groups, requestCount };
    },
    'summaries/reconcile': ({ snapshotId }) => reconcileSummary(parts, snapshotId),
  };
}

const MAX_DIFFERENCES = 500;
const MAX_GAPS = 20;

/**
 * Returns how well a summary that the service reported agrees with the cached records of its period, and what
 * explains the differences. Rejects with AppError `cache.snapshot-not-found` for a snapshot that isn't a summary.
 */
async function reconcileSummary(
  {
    cache,
    engine,
    connections,
    ledger,
  }: {
    readonly cache: Cache;
    readonly engine: Engine;
    readonly connections: Pick<ConnectionStore, 'get'>;
    readonly ledger: Pick<Ledger, 'read'>;
  },
  snapshotId: number,
): Promise<Reconciliation> {
  const reported = await cache.getSnapshot(snapshotId);
  const report = findDetailKind(reported);
  const { connectionId, period, startedAtMs: reportedAtMs } = reported;
  const span = { fromMs: period.fromMs, toMs: toEndMs(period) };
  const [summary, own, { spans }, computed] = await Promise.all([
    cache.readSummary(snapshotId),
    cache.listSnapshots(connectionId).then((list) => list.filter((one) => one.report === report)),
    ledger.read({ connectionId, report }, span),
    engine.groupForReconciling({ scope: { connectionId, report, ...span }, reportedAtMs }),
  ]);
  const lookBackMs = findLookBackMs(connections, connectionId);
  const missing = listLacking(spans);
  const parts = own.filter(({ recordCount, state, period: { fromMs, ...rest } }) => {
    const holds = recordCount > 0 || state === 'complete';
    return holds && fromMs < span.toMs && toEndMs({ fromMs, ...rest }) > span.fromMs;
  });
  const oldestAtMs = Math.min(...parts.map(toAskedAtMs));
  const settledAtMs = span.toMs + lookBackMs;
  const count = (code: string): number =>
    parts
      .flatMap(({ remarks }) => remarks)
      .reduce((sum, one) => sum + (one.code === code ? (one.count ?? 0) : 0), 0);
  const obstacle = findObstacle(reported, { parts: parts.length, groups: computed.length }, missing, span);
  const { differences, groupCount } = findDifferences(summary.groups, computed, {
    hasGaps: missing.length > 0,
    isFetchedEarlier: oldestAtMs < Math.min(reportedAtMs, settledAtMs),
    isUnsettled: reportedAtMs < settledAtMs,
    setAside: count('record-unreadable'),
    hasUnreadValues: count('number-not-understood') > 0,
  });
  return {
    snapshotId,
    verdict: obstacle !== null ? 'not-comparable' : differences.length === 0 ? 'matches' : 'differs',
    obstacle,
    reportedAtMs: toFetchedAtMs(reported),
    cachedAtMs: parts.length === 0 ? null : Math.max(...parts.map(toFetchedAtMs)),
    groupCount,
    differences: differences.slice(0, MAX_DIFFERENCES),
    differenceCount: differences.length,
    gaps: missing.slice(0, MAX_GAPS).map(({ fromMs, toMs }) => ({ fromMs, toMs })),
    missingMs: missing.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0),
    tolerances: toTolerances(summary.groups),
  };
}

/** When the records of a snapshot were asked for; a followed day is asked for again and again. */
function toAskedAtMs(snapshot: Snapshot): number {
  return snapshot.settledToMs === undefined ? snapshot.startedAtMs : toFetchedAtMs(snapshot);
}

function findDetailKind({ report }: Snapshot): DetailKind {
  if (isSummaryKind(report)) return toDetailKind(report);
  throw new AppError('cache.snapshot-not-found', 'The snapshot is none of a summary.');
}

/**
 * Returns what forbids to compare a reported summary with the cached records of its period; null where nothing does.
 * `cached` counts the snapshots of the period and the groups of their records; `gaps` are what is not cached of
 * [fromMs, toMs), or only in part.
 */
export function findObstacle(
  reported: Pick<Snapshot, 'report' | 'state' | 'remarks'>,
  cached: { readonly parts: number; readonly groups: number },
  gaps: readonly TimeSpan[],
  period: TimeSpan,
): Obstacle | null {
  const isInboundOnly = reported.remarks.some(({ code }) => code === 'answer-has-inbound-only');
  // A service that answers both directions has inbound groups alone of a time without outbound requests.
  const isQuiet = cached.parts > 0 && cached.groups === 0 && gaps.length === 0;
  if (reported.report === 'outbound-summary' && isInboundOnly && !isQuiet) return 'inbound-only';
  if (reported.state !== 'complete') return 'summary-incomplete';
  if (cached.parts === 0) return 'nothing-cached';
  const [first] = gaps;
  if (first === undefined) return null;
  const isTail = gaps.length === 1 && first.toMs === period.toMs && first.fromMs > period.fromMs;
  return isTail ? 'cached-until' : 'gaps';
}
