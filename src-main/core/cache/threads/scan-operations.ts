import type { Input, Output } from '../../../common/contract/index.ts';
import type { Facets, SessionRequest, TimeBucket } from '../../../common/model/record.ts';
import type { Snapshot } from '../../../common/model/snapshot.ts';
import type { StatusHistory } from '../../../common/model/status.ts';
import type { Summary } from '../../../common/model/summary.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import { findAttention } from '../scan/attention.ts';
import type { Database } from '../../../node/open-database.ts';
import { createComparer } from '../read/compare-snapshots.ts';
import { createDateColumns } from '../scan/date-columns.ts';
import {
  readJournalFigures,
  readPace,
  type DownloadPace,
  type JournalFigures,
} from '../read/download-figures.ts';
import { createExportReader } from '../read/export-batches.ts';
import { countFacets } from '../scan/facets.ts';
import { countInBuckets } from '../scan/histogram.ts';
import type { RowList } from '../scan/materialise-view.ts';
import { createSessionReader } from '../scan/session-requests.ts';
import { createSnapshotReader } from '../read/snapshot-rows.ts';
import { toStatusHistory } from '../../analysis/to-status-history.ts';
import { createStatusReader } from '../read/status-samples.ts';
import { readStorage } from '../file/storage-size.ts';
import { computeSummary, createSummaryReader } from '../scan/summaries.ts';
import type { CallContext } from './thread-messages.ts';
import { createPageVerifier, type PageCheck } from '../read/verify-pages.ts';
import { countVolume, divideSpan } from '../scan/volume.ts';

export type ScanOperations = ReturnType<typeof createScanOperations>;

/** How far back before the span the beginning of the present state is looked for. */
const SINCE_MS = 7 * 86_400_000;

/** Everything that may take long: charts, exports, sums, searches. */
export function createScanOperations(database: Database, file: string) {
  const snapshots = createSnapshotReader(database);
  const readColumn = createDateColumns(database);
  const readBatch = createExportReader(database);
  const readSession = createSessionReader(database);
  const readSummary = createSummaryReader(database);
  const readSamples = createStatusReader(database);
  const verify = createPageVerifier(database);
  const compare = createComparer(database);

  return {
    readPace: (input: { connectionId: string; report: DetailKind }): DownloadPace =>
      readPace(database, input.connectionId, input.report),
    readJournalFigures: (snapshotId: number): JournalFigures => readJournalFigures(database, snapshotId),
    readHistogram: async (
      { view, buckets }: { view: RowList; buckets: number },
      { pause }: CallContext,
    ): Promise<TimeBucket[]> => {
      const snapshot = snapshots.get(view.snapshotId);
      return countInBuckets(view, snapshot.period, await readColumn(snapshot, pause), buckets);
    },
    /** Computes the checksum of every page again; reports the records done as progress. Keeps nothing. */
    verifyPages: (snapshotId: number, { pause, progress }: CallContext<number>): Promise<PageCheck> =>
      verify(snapshots.get(snapshotId), pause, progress),
    compareSnapshots: (
      { olderId, newerId }: Input<'snapshots/compare'>,
      { pause }: CallContext,
    ): Promise<Output<'snapshots/compare'>> => compare(snapshots.get(olderId), snapshots.get(newerId), pause),
    readFacets: (snapshotId: number, { pause }: CallContext): Promise<Facets> =>
      countFacets(database, snapshots.get(snapshotId), pause),
    readSession: (input: Input<'records/read-session'>): SessionRequest[] =>
      readSession(snapshots.list(input.connectionId), input.sessionId),
    readExportBatch: readBatch,
    readSummary: (snapshotId: number): Summary => readSummary(snapshots.get(snapshotId)),
    computeSummary: (snapshotId: number, { pause }: CallContext): Promise<Summary> =>
      computeSummary(database, snapshots.get(snapshotId), pause),
    readVolume: (
      { connectionId, report, ...span }: Input<'overview/read-volume'> & { report: DetailKind },
      { pause }: CallContext,
    ) => {
      const own = snapshots.list(connectionId).filter((snapshot) => snapshot.report === report);
      const segments = divideSpan(own, span.fromMs, span.toMs);
      return countVolume(segments, span, (snapshot) => readColumn(snapshot, pause));
    },
    readAttention: async (
      connectionId: string,
      { pause }: CallContext,
    ): Promise<Output<'overview/read-attention'>> => {
      const found: Output<'overview/read-attention'> = [];
      for (const report of ['inbound-detail', 'outbound-detail'] as const) {
        const snapshot = findNewest(snapshots.list(connectionId), report);
        if (snapshot === undefined) continue;
        const newestMs = findLast((await readColumn(snapshot, pause)).datesMs);
        if (newestMs !== null) found.push(...(await findAttention(database, snapshot, newestMs, pause)));
      }
      return found;
    },
    readStatusHistory: ({
      connectionId,
      nowMs,
      spanMs,
      ticks,
    }: Input<'status/read-history'> & { nowMs: number }): StatusHistory =>
      toStatusHistory(readSamples(connectionId, nowMs - spanMs - SINCE_MS, nowMs), nowMs, spanMs, ticks),
    readStorage: () => readStorage(database, file),
  };
}

/** The detail snapshot whose period ends last. */
function findNewest(list: readonly Snapshot[], report: DetailKind): Snapshot | undefined {
  return list
    .filter((snapshot) => snapshot.report === report && snapshot.recordCount > 0)
    .sort((a, b) => b.period.toMs - a.period.toMs || b.startedAtMs - a.startedAtMs)[0];
}

function findLast(datesMs: Float64Array): number | null {
  let last = -Infinity;
  for (const dateMs of datesMs) if (dateMs > last) last = dateMs;
  return last === -Infinity ? null : last;
}
