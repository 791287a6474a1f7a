import type { ImportedFrom } from '../../../common/model/cache/imported.ts';
import type { Remark, Snapshot, SnapshotState } from '../../../common/model/cache/snapshot.ts';
import type { Database } from '../../../node/open-database.ts';
import type { CallContext } from '../../calls/call-messages.ts';
import type { DownloadRow } from '../read/download-rows.ts';
import type { SnapshotReader } from '../read/snapshot-rows.ts';
import { NEXT_FETCHED_ORDER } from '../write/page-writes.ts';
import { prepareSliceWrites } from '../write/slice-writes.ts';
import type { NewSnapshot } from '../write/snapshot-writes.ts';
import {
  BEING_IMPORTED,
  prepareImportedPages,
  type IncomingImport,
  type StoredImport,
} from './import-pages.ts';

/** A snapshot that is imported: hidden until `finishImport`. */
export interface NewImport extends NewSnapshot {
  readonly imported: ImportedFrom;
  readonly name: string;
  readonly note: string;
  /** Of a day that following filled; null for any other. */
  readonly settledToMs: number | null;
}

/** How the download of an imported snapshot went; null fields where nothing is known of it. */
export interface ImportedDownload extends Pick<
  DownloadRow,
  | 'queuedAtMs'
  | 'endedAtMs'
  | 'sliceDays'
  | 'askedStart'
  | 'baseAddress'
  | 'reportIdentifier'
  | 'pageSize'
  | 'forecastTotal'
  | 'resumedCount'
> {
  /** JSON of the error that ended it; null for none. */
  readonly failure: string | null;
  readonly slices: readonly {
    readonly sliceNumber: number;
    readonly fromMs: number;
    readonly toMs: number;
    readonly startDate: string;
    readonly endDate: string;
  }[];
}

/** What a snapshot is once all of its pages are there. */
export interface FinishedImport {
  readonly snapshotId: number;
  readonly state: SnapshotState;
  readonly failure: string | null;
  readonly fetchedAtMs: number | null;
  readonly totalDocument: number | null;
  readonly remarks: readonly Remark[];
  readonly download: ImportedDownload | null;
}

/** Everything that an import writes. */
export function createImportWriter(database: Database, snapshots: SnapshotReader, afterWrite: () => void) {
  const storePage = prepareImportedPages(database);
  const insert = database.prepare(
    `INSERT INTO snapshots (connection_id, tenant, report, start_date, end_date, from_ms, to_ms, zone, state,
       started_at_ms, still_open, imported, name, note, settled_to_ms, is_removed, fetched_order)
     VALUES (@connectionId, @tenant, @report, @startDate, @endDate, @fromMs, @toMs, @zone, 'incomplete',
       @startedAtMs, @stillOpen, @imported, @name, @note, @settledToMs, ${BEING_IMPORTED},
       ${NEXT_FETCHED_ORDER})`,
  );
  const show = database.prepare(
    `UPDATE snapshots SET is_removed = 0, state = @state, failure = @failure, fetched_at_ms = @fetchedAtMs,
       fetched_order = ${NEXT_FETCHED_ORDER}, total_document = @totalDocument,
       slice_number = coalesce((SELECT max(l.slice_number) FROM slices AS l WHERE l.snapshot_id = @snapshotId), 0)
     WHERE snapshot_id = @snapshotId AND is_removed = ${BEING_IMPORTED}`,
  );
  const addRemark = database.prepare(
    'INSERT OR REPLACE INTO remarks (snapshot_id, code, count, detail) VALUES (?, ?, ?, ?)',
  );
  const addDownload = database.prepare(
    `INSERT INTO downloads (snapshot_id, state, queued_at_ms, ended_at_ms, slice_days, asked_start, base_address,
       report_identifier, page_size, forecast_total, resumed_count, failure)
     VALUES (@snapshotId, 'ended', @queuedAtMs, @endedAtMs, @sliceDays, @askedStart, @baseAddress,
       @reportIdentifier, @pageSize, @forecastTotal, @resumedCount, @failure)`,
  );
  const addSlice = database.prepare(
    `INSERT INTO slices (snapshot_id, slice_number, from_ms, to_ms, start_date, end_date, next_cursor)
     VALUES (@snapshotId, @sliceNumber, @fromMs, @toMs, @startDate, @endDate, NULL)`,
  );
  const { recount } = prepareSliceWrites(database);
  const drop = database.prepare(
    `UPDATE snapshots SET is_removed = 2 WHERE snapshot_id = ? AND is_removed = ${BEING_IMPORTED}`,
  );

  const finish = (input: FinishedImport): Snapshot => {
    const { remarks, download, ...shown } = input;
    const { snapshotId } = input;
    if (download !== null) {
      const { slices, ...row } = download;
      addDownload.run({ snapshotId, ...row });
      for (const slice of slices) addSlice.run({ snapshotId, ...slice });
      recount(snapshotId);
    }
    for (const { code, count, detail } of remarks) {
      addRemark.run(snapshotId, code, count ?? null, detail ?? null);
    }
    show.run(shown);
    return snapshots.get(snapshotId);
  };
  const finishAll = database.transaction((imports: readonly FinishedImport[]) => imports.map(finish));
  const dropAll = database.transaction((snapshotIds: readonly number[]) => {
    for (const snapshotId of snapshotIds) drop.run(snapshotId);
  });

  // Left by a crash in the middle; the next sweep deletes it.
  database.exec(`UPDATE snapshots SET is_removed = 2 WHERE is_removed = ${BEING_IMPORTED}`);

  return {
    /** Begins a snapshot that nobody sees yet; returns its id. */
    beginImport: ({ period, stillOpen, imported, ...more }: NewImport): number => {
      const row = { ...more, ...period, stillOpen: Number(stillOpen), imported: JSON.stringify(imported) };
      return Number(insert.run(row).lastInsertRowid);
    },
    importPage: (input: IncomingImport, { signal }: CallContext): StoredImport => {
      signal.throwIfAborted();
      const stored = storePage(input);
      afterWrite();
      return stored;
    },
    /** Shows the snapshots of an import, all of them in one transaction. */
    finishImport: (imports: readonly FinishedImport[]): Snapshot[] => finishAll.immediate(imports),
    /** Gives up snapshots that nobody has seen; the next purge deletes them. */
    dropImport: (snapshotIds: readonly number[]): void => dropAll.immediate(snapshotIds),
  };
}
