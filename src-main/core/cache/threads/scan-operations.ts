import type { Input, Output } from '../../../common/contract/index.ts';
import type { LevelPart } from '../../../common/model/connections/service-level.ts';
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
import { measureLevel, type MeasuredLevel } from '../../analysis/status/measure-level.ts';
import { MAX_SPOKEN_MS } from '../../analysis/status/status-point.ts';
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

/** Agreed times of a connection's parts, in order, from a moment until another. */
interface LevelsToMeasure {
  readonly connectionId: string;
  readonly levels: readonly {
    readonly part: LevelPart;
    readonly fromMs: number;
    readonly untilMs: number;
    readonly agreed: readonly TimeSpan[];
  }[];
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
    /** Measures agreed times, each until a moment of its own; the oldest check that is kept tells what can't be known. */
    measureLevels: ({
      connectionId,
      levels,
    }: LevelsToMeasure): { measured: MeasuredLevel[]; checkedSinceMs: number | null } => {
      const fromMs = Math.min(...levels.map((level) => level.fromMs)) - MAX_SPOKEN_MS;
      const untilMs = Math.max(...levels.map((level) => level.untilMs));
      const points = levels.length === 0 ? [] : status.readPoints(connectionId, fromMs, untilMs);
      return {
        measured: levels.map((level) => measureLevel(points, level.part, level.agreed, level.untilMs)),
        checkedSinceMs: status.readOldestMs(connectionId),
      };
    },
    /** What was seen of the platform and the connector in [fromMs, untilMs], oldest first. */
    readHealth: (span: { connectionId: string; fromMs: number; untilMs: number }) =>
      status.readPoints(span.connectionId, span.fromMs, span.untilMs),
    readStorage: () => readStorage(database, file),
  };
}
