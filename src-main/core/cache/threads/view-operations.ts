import type { Input, Output } from '../../../common/contract/index.ts';
import type { SnapshotReading } from '../../../common/model/cache/reading.ts';
import type { RecordDetail, RecordRow } from '../../../common/model/records/record.ts';
import type { OtherFields, Snapshot } from '../../../common/model/cache/snapshot.ts';
import { readEnvelopeRest } from '../../../common/reporting/reading/envelope-rest.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { createDownloadReader, type DownloadRow } from '../read/download-rows.ts';
import { createJournalReader } from '../read/page-journal.ts';
import { createDetailReader } from '../read/read-detail.ts';
import { prepareWindows } from '../read/read-window.ts';
import { createMarkReader } from '../read/record-marks.ts';
import { createSetAsideReader } from '../read/read-set-aside.ts';
import { createSnapshotReader } from '../read/snapshot-rows.ts';
import { createStoredPages } from '../read/stored-pages.ts';

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
