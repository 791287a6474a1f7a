import type { DuckDBConnection } from '@duckdb/node-api';
import type { RecordScope } from '../../../common/model/records/record-scope.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import type { StatusSample } from '../../../common/model/connections/status.ts';
import type { Summary } from '../../../common/model/records/summary.ts';
import type { DetailKind, Direction } from '../../../common/reporting/reports.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { dividePeriod } from '../divide-period.ts';
import { countRecords } from './count-records.ts';
import type { EngineFeed } from './feed/create-engine-feed.ts';
import type { FeedSource } from './feed/feed-source.ts';
import type { MarkSource } from './marked-records.ts';
import { toParts, type ResolvedScope, type ScopePart } from './resolved-scope.ts';
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
    if (!snapshots.every((snapshot) => feed.isFed(snapshot))) await follow();
  };
  const findWholeParts = createWholeParts();
  const toWhole = ({ id, recordCount }: Snapshot): ScopePart => ({
    snapshotId: id,
    recordCount,
    span: null,
    withUndated: true,
  });
  const resolvePeriod = async (
    connection: DuckDBConnection,
    own: readonly Snapshot[],
    direction: Direction,
    span: TimeSpan,
  ): Promise<ResolvedScope> => {
    const touched = own.filter(({ period }) => period.fromMs < span.toMs && period.toMs + 1000 > span.fromMs);
    await waitFor(touched);
    const known = new Map(
      touched.map((snapshot) => [
        snapshot.id,
        {
          recordCount: snapshot.recordCount,
          isInside: snapshot.period.fromMs >= span.fromMs && snapshot.period.toMs + 1000 <= span.toMs,
        },
      ]),
    );
    const segments = await dividePeriod(touched, span, (snapshotId, fromMs, toMs) => {
      const recordCount = known.get(snapshotId)?.recordCount ?? 0;
      const parts = [{ snapshotId, recordCount, span: { fromMs, toMs }, withUndated: false }];
      return countRecords(connection, { direction, parts });
    });
    return {
      direction,
      parts: await findWholeParts(connection, direction, toParts(segments, known), touched),
    };
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
      const toMs = Math.max(...own.map(({ period }) => period.toMs + 1000));
      const direction = toDirection(report);
      if (own.length === 0) return { direction, parts: [] };
      return resolvePeriod(connection, own, direction, { fromMs, toMs });
    },
  };
}

function toDirection(report: Snapshot['report']): Direction {
  return report.startsWith('inbound') ? 'inbound' : 'outbound';
}
