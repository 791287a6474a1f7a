import type { ErrorInfo } from '../../../common/contract/errors.ts';
import type { SnapshotState } from '../../../common/model/cache/snapshot.ts';
import type { Database } from '../../../node/open-database.ts';
import { createDownloadReader, type DownloadRow, type StoredDownloadState } from '../read/download-rows.ts';
import type { SnapshotReader } from '../read/snapshot-rows.ts';
import { prepareSliceWrites, type NewSlice } from './slice-writes.ts';

export interface QueuedDownload {
  readonly snapshotId: number;
  readonly queuedAtMs: number;
  readonly baseAddress: string;
  readonly reportIdentifier: string;
  /** Of a new download; one that goes on keeps its own. */
  readonly sliceDays: number | null;
  readonly mayCut: boolean;
  readonly askedStart: string;
  /** In the order in which they are to be walked; null for one that goes on, or is in one piece already. */
  readonly slices: readonly NewSlice[] | null;
  readonly resumedCount: number;
  /** The snapshot that is fetched again. */
  readonly refreshOf: number | null;
}
export interface DownloadChange {
  readonly snapshotId: number;
  readonly state: StoredDownloadState;
  readonly atMs: number;
  readonly failure: ErrorInfo | null;
  /** State of the snapshot; left as it is when null. */
  readonly snapshotState: SnapshotState | null;
}
/** A walk over pages that begins again from the start of its slice. */
export interface WalkRestart {
  readonly snapshotId: number;
  /** Remark with the reason, or null when a person requested it. */
  readonly remark: string | null;
}

/** What an earlier end of the walk left behind. */
const END_REMARKS = `('cursor-repeated', 'page-repeated', 'fewer-than-total', 'more-than-total', 'total-missing',
  'end-not-stated', 'pages-overlap', 'ended-without-page')`;

/** Everything that downloads write beside pages; each call is one transaction and returns the download. */
export function createDownloadWriter(database: Database, snapshots: SnapshotReader) {
  const downloads = createDownloadReader(database, snapshots);
  const upsert = database.prepare(
    // One that goes on keeps the address and the identifier that it began with.
    `INSERT INTO downloads (snapshot_id, state, queued_at_ms, slice_days, may_cut, asked_start, base_address,
       report_identifier, resumed_count)
     VALUES (@snapshotId, 'queued', @queuedAtMs, @sliceDays, @mayCut, @askedStart, @baseAddress, @reportIdentifier,
       @resumedCount)
     ON CONFLICT DO UPDATE SET state = 'queued', queued_at_ms = excluded.queued_at_ms, ended_at_ms = NULL,
       resumed_count = excluded.resumed_count, failure = NULL`,
  );
  const reopen = database.prepare(
    `UPDATE snapshots SET state = 'downloading', failure = NULL, refresh_of = coalesce(?, refresh_of)
     WHERE snapshot_id = ?`,
  );
  const forgetInterruption = database.prepare(
    "DELETE FROM remarks WHERE snapshot_id = ? AND code = 'interrupted'",
  );
  const change = database.prepare(
    `UPDATE downloads SET state = @state, failure = @failure,
       ended_at_ms = CASE @state WHEN 'ended' THEN @atMs ELSE NULL END
     WHERE snapshot_id = @snapshotId`,
  );
  const changeSnapshot = database.prepare(
    'UPDATE snapshots SET state = ?, failure = ? WHERE snapshot_id = ?',
  );
  const sliceWrites = prepareSliceWrites(database);
  const forgetEnd = database.prepare(`DELETE FROM remarks WHERE snapshot_id = ? AND code IN ${END_REMARKS}`);
  const addRemark = database.prepare(
    `INSERT INTO remarks (snapshot_id, code, count, detail) VALUES (?, ?, 1, ?)
     ON CONFLICT DO UPDATE SET count = coalesce(count, 0) + 1, detail = coalesce(excluded.detail, detail)`,
  );
  const setPageSize = database.prepare('UPDATE downloads SET page_size = ? WHERE snapshot_id = ?');
  const cut = database.prepare(
    `UPDATE downloads SET slice_days = ?, may_cut = 0 WHERE snapshot_id = ?
       AND NOT EXISTS (SELECT 1 FROM pages WHERE pages.snapshot_id = downloads.snapshot_id)`,
  );
  const setForecast = database.prepare('UPDATE downloads SET forecast_total = ? WHERE snapshot_id = ?');

  const write = <Input extends { readonly snapshotId: number }>(
    work: (input: Input) => void,
  ): ((input: Input) => DownloadRow) => {
    const transaction = database.transaction((input: Input) => {
      work(input);
      return downloads.get(input.snapshotId);
    });
    return (input) => transaction.immediate(input);
  };

  return {
    /** Queues a snapshot's download, or one that goes on; the snapshot counts as being downloaded from then on. */
    queueDownload: write(({ refreshOf, mayCut, slices, ...input }: QueuedDownload) => {
      upsert.run({ ...input, mayCut: mayCut ? 1 : 0 });
      if (slices !== null) sliceWrites.cut(input.snapshotId, slices);
      reopen.run(refreshOf, input.snapshotId);
      forgetInterruption.run(input.snapshotId);
    }),
    changeDownload: write(({ snapshotId, state, atMs, failure, snapshotState }: DownloadChange) => {
      const text = failure === null ? null : JSON.stringify(failure);
      change.run({ snapshotId, state, atMs, failure: text });
      if (snapshotState !== null) changeSnapshot.run(snapshotState, failure?.code ?? null, snapshotId);
    }),
    /** Goes on with the next slice; nothing changes unless the one before was read to its end. */
    beginNextSlice: write(({ snapshotId }: { snapshotId: number }) => {
      sliceWrites.beginNext(snapshotId);
    }),
    /** Begins the slice's walk over pages again; records that are there already will be compared, not doubled. */
    restartWalk: write(({ snapshotId, remark }: WalkRestart) => {
      sliceWrites.restart(snapshotId);
      if (remark === null) forgetEnd.run(snapshotId);
      else addRemark.run(snapshotId, remark, null);
    }),
    /** Cuts a download that has no page yet into slices, in the order in which they are to be walked. */
    cutDownload: write((input: { snapshotId: number; sliceDays: number; slices: readonly NewSlice[] }) => {
      cut.run(input.sliceDays, input.snapshotId);
      sliceWrites.cut(input.snapshotId, input.slices);
    }),
    addDownloadRemark: write(
      ({ snapshotId, remark, detail }: { snapshotId: number; remark: string; detail?: string }) => {
        addRemark.run(snapshotId, remark, detail ?? null);
      },
    ),
    keepPageSize: write(({ snapshotId, pageSize }: { snapshotId: number; pageSize: number }) => {
      setPageSize.run(pageSize, snapshotId);
    }),
    keepForecast: write(({ snapshotId, total }: { snapshotId: number; total: number }) => {
      setForecast.run(total, snapshotId);
    }),
  };
}
