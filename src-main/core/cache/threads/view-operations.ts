import type { Input, Output } from '../../../common/contract/index.ts';
import type { SnapshotReading } from '../../../common/model/cache/reading.ts';
import type { RecordDetail, RecordRow } from '../../../common/model/records/record.ts';
import type { OtherFields, SetAsideEntry, Snapshot } from '../../../common/model/cache/snapshot.ts';
import { readEnvelopeRest } from '../../../common/reporting/reading/find-records.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { createDownloadReader, type DownloadRow } from '../read/download-rows.ts';
import { createJournalReader, IS_UNREADABLE } from '../read/download-figures.ts';
import { createDetailReader, prepareWindows } from '../read/read-records.ts';
import { createMarkReader } from '../read/record-marks.ts';
import { createSnapshotReader } from '../read/snapshot-rows.ts';
import { createStoredPages } from '../read/stored-pages.ts';
import { isDamagedPage } from '../file/to-cache-error.ts';

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
    listDownloads: (connectionId: string | null): DownloadRow[] => downloads.list(connectionId),
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
