import type { Input, Output } from '../../../common/contract/index.ts';
import type { StatusFigures, StatusHistory } from '../../../common/model/connections/status.ts';
import type { Summary } from '../../../common/model/records/summary.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import { DAY_MS } from '../../../common/time/durations.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import type { Database } from '../../../node/open-database.ts';
import { createPortableReader } from '../imports/portable-source.ts';
import { createComparer } from '../read/compare-snapshots.ts';
import {
  readJournalFigures,
  readPace,
  type DownloadPace,
  type JournalFigures,
} from '../read/download-figures.ts';
import { createExportReader } from '../read/export-batches.ts';
import { createSnapshotReader } from '../read/snapshot-rows.ts';
import { toStatusFigures } from '../../analysis/status/to-status-figures.ts';
import { toStatusHistory } from '../../analysis/status/to-status-history.ts';
import { createStatusReader } from '../read/status-samples.ts';
import { readStorage } from '../file/storage-size.ts';
import { createSummaryReader } from '../read/read-summary.ts';
import { createReachReader } from '../read/walk-reach.ts';
import type { CallContext } from '../../calls/call-messages.ts';
import { createPageVerifier, type PageCheck } from '../read/verify-pages.ts';

/** As of when a status is read, and the planned times that its uptime leaves out. */
interface StatusAsOf {
  readonly nowMs: number;
  readonly planned?: readonly TimeSpan[];
}

export type ScanOperations = ReturnType<typeof createScanOperations>;

/** How far back before the span the beginning of the present state is looked for. */
const SINCE_MS = 7 * DAY_MS;

/** Everything of the cache itself that may take long: exports, checks, comparisons, histories. */
export function createScanOperations(database: Database, file: string) {
  const snapshots = createSnapshotReader(database);
  const readBatch = createExportReader(database);
  const readSummary = createSummaryReader(database);
  const status = createStatusReader(database);
  const verify = createPageVerifier(database);
  const compare = createComparer(database);

  return {
    readPace: (input: { connectionId: string; report: DetailKind }): DownloadPace =>
      readPace(database, input.connectionId, input.report),
    readReach: createReachReader(database),
    readJournalFigures: (snapshotId: number): JournalFigures => readJournalFigures(database, snapshotId),
    /** Computes the checksum of every page again; reports the records done as progress. Keeps nothing. */
    verifyPages: (snapshotId: number, { pause, progress }: CallContext<number>): Promise<PageCheck> =>
      verify(snapshots.get(snapshotId), pause, progress),
    compareSnapshots: (
      { olderId, newerId }: Input<'snapshots/compare'>,
      { pause }: CallContext,
    ): Promise<Output<'snapshots/compare'>> => compare(snapshots.get(olderId), snapshots.get(newerId), pause),
    readExportBatch: readBatch,
    ...createPortableReader(database),
    readSummary: (snapshotId: number): Summary => readSummary(snapshots.get(snapshotId)),
    readStatusHistory: ({
      connectionId,
      nowMs,
      spanMs,
      ticks,
      planned,
    }: Input<'status/read-history'> & StatusAsOf): StatusHistory => ({
      ...status.readNewest(connectionId, nowMs),
      ...toStatusHistory(
        status.readPoints(connectionId, nowMs - spanMs - SINCE_MS, nowMs),
        nowMs,
        { spanMs, ticks },
        planned,
      ),
    }),
    readStatusFigures: ({
      connectionId,
      nowMs,
      spansMs,
      planned,
    }: Input<'status/read-figures'> & StatusAsOf): StatusFigures[] =>
      toStatusFigures(
        status.readPoints(connectionId, nowMs - Math.max(...spansMs), nowMs),
        nowMs,
        spansMs,
        planned,
      ),
    /** What was seen of the platform and the connector in [fromMs, untilMs], oldest first. */
    readHealth: (span: { connectionId: string; fromMs: number; untilMs: number }) =>
      status.readPoints(span.connectionId, span.fromMs, span.untilMs),
    readStorage: () => readStorage(database, file),
  };
}
