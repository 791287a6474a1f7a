import type { Input, Output } from '../../../common/contract/index.ts';
import type { LevelPart } from '../../../common/model/connections/service-level.ts';
import type { StatusFigures, StatusHistory } from '../../../common/model/connections/status.ts';
import type { Summary } from '../../../common/model/records/summary.ts';
import { DETAIL_KINDS, mapKinds, type DetailKind } from '../../../common/reporting/reports.ts';
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
import { MAX_SPOKEN_MS, toStatusFigures, toStatusHistory } from '../../analysis/status/status-figures.ts';
import { createStatusReader } from '../read/status-samples.ts';
import { readStorage } from '../file/storage-size.ts';
import { createSummaryReader } from '../read/read-records.ts';
import type { CallContext } from '../../calls/call-messages.ts';
import { createPageVerifier, type PageCheck } from '../read/verify-pages.ts';
import { toRecordId } from '../../../common/model/records/record-ids.ts';
import { RECORD_TABLES } from '../read/record-tables.ts';

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

interface WantedReach {
  readonly snapshotId: number;
  readonly report: DetailKind;
  /** Where the slice's records begin, and where the snapshot's end. */
  readonly fromSeq: number;
  readonly toSeq: number;
}

/** Dates of the first and the last record of a walk whose records came in the order of time, or against it. */
interface WalkReach {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Records that are looked at: the first ones of pages, evenly chosen. */
const MAX_LOOKED_AT = 200;

/** Prepares the reading of how far a walk has come in time; null where its records are in no order of time. */
function createReachReader(database: Database): (wanted: WantedReach) => WalkReach | null {
  const firstSeqs = database
    .prepare<[number, number], number>(
      'SELECT first_seq FROM pages WHERE snapshot_id = ? AND first_seq >= ? AND record_count > 0 ORDER BY first_seq',
    )
    .pluck();
  const dateOf = mapKinds(DETAIL_KINDS, (kind) =>
    database
      .prepare<[number], number | null>(`SELECT date_ms FROM ${RECORD_TABLES[kind].name} WHERE record_id = ?`)
      .pluck(),
  );
  return ({ snapshotId, report, fromSeq, toSeq }) => {
    if (toSeq <= fromSeq) return null;
    const starts = firstSeqs.all(snapshotId, fromSeq);
    const step = Math.max(1, Math.ceil(starts.length / MAX_LOOKED_AT));
    const seqs = [...starts.filter((_seq, place) => place % step === 0), toSeq - 1];
    const dates = seqs.map((seq) => dateOf[report].get(toRecordId(snapshotId, seq)) ?? null);
    const known = dates.filter((date) => date !== null);
    const [firstMs, lastMs] = [known[0], known.at(-1)];
    if (known.length < dates.length || firstMs === undefined || lastMs === undefined) return null;
    const isOrdered = (sign: number): boolean =>
      known.every((date, place) => place === 0 || (date - (known[place - 1] ?? date)) * sign >= 0);
    return isOrdered(1) || isOrdered(-1) ? { firstMs, lastMs } : null;
  };
}
