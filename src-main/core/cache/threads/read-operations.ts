import type { Input, Output } from '../../../common/contract/index.ts';
import type {
  OtherFields,
  SetAsideEntry,
  Snapshot,
  SnapshotReading,
} from '../../../common/model/cache/snapshot.ts';
import type { LevelPart } from '../../../common/model/connections/service-level.ts';
import type { StatusFigures, StatusHistory } from '../../../common/model/connections/status.ts';
import { type RecordDetail, type RecordRow, toRecordId } from '../../../common/model/records/record.ts';
import type { Summary } from '../../../common/model/records/histogram.ts';
import { readEnvelopeRest } from '../../../common/reporting/reading/find-records.ts';
import { DETAIL_KINDS, type DetailKind, mapKinds } from '../../../common/reporting/reports.ts';
import { DAY_MS } from '../../../common/time/durations.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import type { Database } from '../../../node/open-database.ts';
import {
  MAX_SPOKEN_MS,
  type MeasuredLevel,
  measureLevel,
  type Outages,
  toOutages,
  toStatusFigures,
  toStatusHistory,
} from '../../analysis/status/status-figures.ts';
import type { CallContext } from '../../calls/calls.ts';
import { isDamagedPage, readStorage } from '../file/open-database.ts';
import { createPortableReader } from '../imports.ts';
import {
  createDownloadReader,
  createJournalReader,
  type DownloadPace,
  type DownloadRow,
  IS_UNREADABLE,
  type JournalFigures,
  readJournalFigures,
  readPace,
} from '../read/download-rows.ts';
import { createStatusReader } from '../read/engine-source.ts';
import {
  createDetailReader,
  createExportReader,
  createMarkReader,
  createSummaryReader,
  prepareWindows,
} from '../read/read-records.ts';
import { RECORD_TABLES } from '../read/record-tables.ts';
import { createComparer, createSnapshotReader } from '../read/snapshot-rows.ts';
import { createPageVerifier, createStoredPages, type PageCheck } from '../read/stored-pages.ts';

export type ViewOperations = ReturnType<typeof createViewOperations>;

/** The quick reads: snapshots, their journals, and records by their ids. */
export function createViewOperations(database: Database) {
  const snapshots = createSnapshotReader(database);
  const downloads = createDownloadReader(database, snapshots);
  const readWindow = prepareWindows(database);
  const readDetail = createDetailReader(database);
  const { addMarks } = createMarkReader(database);
  const journal = createJournalReader(database);
  const pages = createStoredPages(database);

  return {
    getSnapshot: (snapshotId: number): Snapshot => snapshots.get(snapshotId),
    listSnapshots: (connectionId: string | null): Snapshot[] => snapshots.list(connectionId),
    getReading: (snapshotId: number): SnapshotReading | null => snapshots.getReading(snapshotId),
    getDownload: (snapshotId: number): DownloadRow => downloads.get(snapshotId),
    listDownloads: (connectionIds: readonly string[] | null): DownloadRow[] => downloads.list(connectionIds),
    listNextSlices: downloads.listNextSlices,
    readJournal: journal.readPages,
    readAsked: journal.readAsked,
    readSetAside: createSetAsideReader(database),
    readEnvelope: ({ snapshotId, pageNumber }: Input<'snapshots/read-envelope'>): OtherFields => {
      const { report } = snapshots.get(snapshotId);
      return readEnvelopeRest(pages.readBody(snapshotId, pageNumber), report);
    },
    /** Rows with these ids, in their order. Throws AppError `cache.view-closed` where one is gone. */
    readRows: ({ report, ids }: { report: DetailKind; ids: readonly number[] }): RecordRow[] =>
      addMarks(readWindow(report, ids)),
    readRecord: ({ snapshotId, seq, whole }: Input<'records/read-record'>): RecordDetail => {
      const record = readDetail(snapshots.get(snapshotId), seq, whole);
      return addMarks([record])[0] ?? record;
    },
    readRaw: ({ snapshotId, seq }: Input<'records/read-raw'>): Output<'records/read-raw'> => ({
      text: pages.readRaw(snapshots.get(snapshotId), seq),
    }),
  };
}

/** The most characters of an entry that leave the thread. */
const MAX_CHARACTERS = 20_000;
/** What the table keeps of an entry: a text as long as this may be the beginning of a longer one. */
const KEPT_CHARACTERS = 2000;

type AsideRow = Omit<SetAsideEntry, 'length'>;

/** Prepares the reading of entries that could not be read as records: whole, from the pages that hold them. */
function createSetAsideReader(
  database: Database,
): (place: Input<'snapshots/read-set-aside'>) => Output<'snapshots/read-set-aside'> {
  const count = database
    .prepare<[number], number>(`SELECT count(*) FROM set_aside WHERE snapshot_id = ? AND ${IS_UNREADABLE}`)
    .pluck();
  const rowsOf = database.prepare<[number, number, number], AsideRow>(
    `SELECT page_number AS pageNumber, place, reason, text FROM set_aside WHERE snapshot_id = ? AND ${IS_UNREADABLE}
     ORDER BY page_number, place LIMIT ? OFFSET ?`,
  );
  const pages = createStoredPages(database);

  const readPage = (
    snapshotId: number,
    pageNumber: number,
    places: readonly number[],
  ): readonly (string | null)[] => {
    try {
      return pages.readEntries(snapshotId, pageNumber, places);
    } catch (error) {
      if (isDamagedPage(error)) return [];
      throw error;
    }
  };

  return ({ snapshotId, offset, limit }) => {
    const rows = rowsOf.all(snapshotId, limit, offset);
    const byPage = Map.groupBy(rows, ({ pageNumber }) => pageNumber);
    const entries = [...byPage].flatMap(([pageNumber, own]) => {
      const places = own.map(({ place }) => place);
      const texts = readPage(snapshotId, pageNumber, places);
      return own.map((row, at): SetAsideEntry => {
        const whole = texts[at] ?? null;
        if (whole !== null) return { ...row, text: whole.slice(0, MAX_CHARACTERS), length: whole.length };
        return { ...row, length: row.text.length < KEPT_CHARACTERS ? row.text.length : null };
      });
    });
    return { total: count.get(snapshotId) ?? 0, entries };
  };
}

/** When a connection's outages are asked for: the time before `nowMs`. */
interface OutagesQuestion {
  readonly connectionId: string;
  readonly nowMs: number;
  readonly spanMs: number;
  /** An outage ends where nothing was checked for so long. */
  readonly maxGapMs: number;
}

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
    /** When a part of each connection was reported as down, or could not be reached, in the time before a moment. */
    readOutages: (asked: readonly OutagesQuestion[]): Outages[] =>
      asked.map(({ connectionId, nowMs, spanMs, maxGapMs }) =>
        toOutages(status.readPoints(connectionId, nowMs - spanMs - SINCE_MS, nowMs), nowMs, {
          spanMs,
          maxGapMs,
        }),
      ),
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

export type CheckOperations = ReturnType<typeof createCheckOperations>;

/** SQLite's own check of the whole file, table by table, so that it can be cancelled between two of them. */
export function createCheckOperations(database: Database) {
  return {
    /** The first lines of what is wrong; empty for a sound file. */
    checkFile: async (_input: null, { pause }: CallContext): Promise<string[]> => {
      const tables = database
        .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .pluck()
        .all();
      for (const table of tables) {
        const lines = database.prepare<[], string>(`PRAGMA integrity_check("${table}")`).pluck().all();
        if (lines[0] !== 'ok') return lines.slice(0, 5);
        await pause();
      }
      const orphans = database.pragma('foreign_key_check') as { table: string }[];
      return orphans.slice(0, 5).map(({ table }) => `foreign key of ${table}`);
    },
  };
}
