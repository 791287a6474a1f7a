import type { DuckDBConnection } from '@duckdb/node-api';
import type { RecordScope } from '../../../common/model/records/record-scope.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { toEndMs } from '../../../common/model/period.ts';
import type { StatusSample } from '../../../common/model/connections/status.ts';
import type { Summary } from '../../../common/model/records/summary.ts';
import type { DetailKind, Direction } from '../../../common/reporting/reports.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { dividePeriod, type Segment } from '../divide-period.ts';
import type { EngineFeed } from './feed/create-engine-feed.ts';
import type { FeedSource } from './feed/feed-source.ts';
import type { MarkSource } from './marked-records.ts';
import { createMomentOwners } from './owned-moments.ts';
import type { ResolvedScope, ScopePart } from './resolved-scope.ts';
import { createUndatedRecords } from './undated-records.ts';
import { createWholeParts } from './whole-parts.ts';

/** The cache as the engine reads it. */
export interface EngineSource extends FeedSource, MarkSource {
  /** Throws AppError `cache.snapshot-not-found`. */
  getSnapshot(snapshotId: number): Snapshot;
  listSnapshots(connectionId: string): Snapshot[];
  /** The groups of a snapshot that the service reported. */
  readSummary(snapshot: Snapshot): Summary;
  /** Status samples of a connection in [fromMs, untilMs], oldest first. */
  listStatus(connectionId: string, fromMs: number, untilMs: number): StatusSample[];
  countStatus(connectionId: string, fromMs: number, untilMs: number): number;
}

export interface ScopeResolver {
  /** Says which records a question is about; all of them have been fed when it returns. */
  resolve(connection: DuckDBConnection, scope: RecordScope): Promise<ResolvedScope>;
  /** Everything cached of a report, whatever the period. */
  resolveAll(connection: DuckDBConnection, connectionId: string, report: DetailKind): Promise<ResolvedScope>;
}

/** Prepares the choice of records; what they need that has not been fed yet is fed first. */
export function createScopeResolver(
  source: EngineSource,
  feed: EngineFeed,
  follow: () => Promise<void>,
): ScopeResolver {
  const waitFor = async (snapshots: readonly Snapshot[]): Promise<void> => {
    if (feed.isUndecided || !snapshots.every((snapshot) => feed.isFed(snapshot))) await follow();
  };
  const findWholeParts = createWholeParts();
  const findOwners = createMomentOwners();
  const findRepeated = createUndatedRecords();
  const toWhole = ({ id, recordCount }: Snapshot): ScopePart => ({
    snapshotId: id,
    recordCount,
    spans: null,
    withUndated: true,
  });
  const resolvePeriod = async (
    connection: DuckDBConnection,
    own: readonly Snapshot[],
    direction: Direction,
    span: TimeSpan,
  ): Promise<ResolvedScope> => {
    const isTouched = ({ period }: Snapshot): boolean =>
      period.fromMs < span.toMs && toEndMs(period) > span.fromMs;
    await waitFor(own.filter(isTouched));
    const { segments, counted } = await dividePeriod(own, span, async (candidates, stretch) => {
      await waitFor(candidates);
      return findOwners(connection, direction, candidates, stretch);
    });
    // Records that nobody can place in time belong to a period that holds the whole of what was asked for.
    const inside = counted.filter(
      ({ period }) => period.fromMs >= span.fromMs && toEndMs(period) <= span.toMs,
    );
    const repeated = await findRepeated(connection, direction, inside);
    const parts = toParts(segments, counted, (snapshot) =>
      inside.includes(snapshot) ? (repeated.get(snapshot.id) ?? []) : null,
    );
    return { direction, parts: await findWholeParts(connection, direction, parts, counted) };
  };

  return {
    async resolve(connection, scope) {
      if ('snapshotId' in scope) {
        const snapshot = source.getSnapshot(scope.snapshotId);
        await waitFor([snapshot]);
        return { direction: toDirection(snapshot.report), parts: [toWhole(snapshot)] };
      }
      const own = source.listSnapshots(scope.connectionId).filter(({ report }) => report === scope.report);
      return resolvePeriod(connection, own, toDirection(scope.report), scope);
    },
    async resolveAll(connection, connectionId, report) {
      const own = source.listSnapshots(connectionId).filter((snapshot) => snapshot.report === report);
      const fromMs = Math.min(...own.map(({ period }) => period.fromMs));
      const toMs = Math.max(...own.map(({ period }) => toEndMs(period)));
      const direction = toDirection(report);
      if (own.length === 0) return { direction, parts: [] };
      return resolvePeriod(connection, own, direction, { fromMs, toMs });
    },
  };
}

/**
 * Parts of a scope from the segments of a period. `findRepeated` says which records without a date a snapshot leaves to
 * another one; null where all of them are out of the period. They go with the first part of their snapshot.
 */
function toParts(
  segments: readonly Segment[],
  counted: readonly Snapshot[],
  findRepeated: (snapshot: Snapshot) => readonly number[] | null,
): ScopePart[] {
  const seen = new Set<number>();
  const byId = new Map(counted.map((snapshot) => [snapshot.id, snapshot]));
  const toPart = (snapshot: Snapshot, spans: Segment['spans']): ScopePart => {
    const { id: snapshotId, recordCount } = snapshot;
    const repeatedIds = seen.has(snapshotId) ? null : findRepeated(snapshot);
    seen.add(snapshotId);
    const part = { snapshotId, recordCount, spans, withUndated: repeatedIds !== null };
    return repeatedIds === null || repeatedIds.length === 0 ? part : { ...part, repeatedIds };
  };
  const parts = segments.flatMap(({ snapshotId, spans }) => {
    const snapshot = byId.get(snapshotId);
    return snapshot === undefined ? [] : [toPart(snapshot, spans)];
  });
  const others = counted.filter(({ id }) => !seen.has(id)).map((snapshot) => toPart(snapshot, []));
  return [...parts, ...others.filter(({ withUndated }) => withUndated)];
}

function toDirection(report: Snapshot['report']): Direction {
  return report.startsWith('inbound') ? 'inbound' : 'outbound';
}
