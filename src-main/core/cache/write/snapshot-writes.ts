import { AppError, type ErrorInfo } from '../../../common/contract/errors.ts';
import type { Input } from '../../../common/contract/index.ts';
import {
  canBeStated,
  type Snapshot,
  type SnapshotState,
  STATED_REMARK,
} from '../../../common/model/cache/snapshot.ts';
import type { Period } from '../../../common/model/period.ts';
import { toRecordId } from '../../../common/model/records/record.ts';
import type { ReportKind } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { readPragma } from '../file/open-database.ts';
import { createDownloadReader, type DownloadRow, type StoredDownloadState } from '../read/download-rows.ts';
import { RECORD_TABLES } from '../read/record-tables.ts';
import type { SnapshotReader } from '../read/snapshot-rows.ts';
import type { PageCheck } from '../read/stored-pages.ts';
import { NEXT_FETCHED_ORDER } from './page-writes.ts';
import { type NewSlice, prepareSliceWrites, toSlice } from './slice-writes.ts';

export interface NewSnapshot {
  readonly connectionId: string;
  readonly tenant: number;
  readonly report: ReportKind;
  readonly period: Period;
  readonly startedAtMs: number;
  /** The period reaches up to "now". */
  readonly stillOpen: boolean;
  /** It is only shown. */
  readonly isLook?: boolean;
}

/** Everything that is written of a snapshot as a whole; each call returns the snapshot as it is afterwards. */
export function createSnapshotWriter(database: Database, snapshots: SnapshotReader) {
  const insert = database.prepare(
    `INSERT INTO snapshots (connection_id, tenant, report, start_date, end_date, from_ms, to_ms, zone, state,
       started_at_ms, still_open, is_look, fetched_order)
     VALUES (@connectionId, @tenant, @report, @startDate, @endDate, @fromMs, @toMs, @zone, 'downloading',
       @startedAtMs, @stillOpen, @isLook, ${NEXT_FETCHED_ORDER})`,
  );
  const slices = prepareSliceWrites(database);
  const insertWhole = database.transaction(({ period, stillOpen, isLook = false, ...more }: NewSnapshot) => {
    const row = { ...more, ...period, stillOpen: Number(stillOpen), isLook: Number(isLook) };
    const snapshotId = Number(insert.run(row).lastInsertRowid);
    slices.cut(snapshotId, [toSlice(period)]);
    return snapshots.get(snapshotId);
  });
  const finish = database.prepare('UPDATE snapshots SET state = ?, failure = ? WHERE snapshot_id = ?');
  const annotate = database.prepare(
    `UPDATE snapshots SET name = coalesce(?, name), note = coalesce(?, note), is_pinned = coalesce(?, is_pinned),
       is_look = 0
     WHERE snapshot_id = ? AND is_removed = 0`,
  );
  const savePeriod = database.prepare(
    `UPDATE snapshots SET start_date = @startDate, end_date = @endDate, from_ms = @fromMs, to_ms = @toMs,
       state = @state, imported = @imported
     WHERE snapshot_id = @snapshotId AND is_removed = 0`,
  );
  const addStated = database.prepare(
    `INSERT OR REPLACE INTO remarks (snapshot_id, code, count, detail) VALUES (?, '${STATED_REMARK}', NULL, ?)`,
  );
  const removeStated = database.prepare(
    `DELETE FROM remarks WHERE snapshot_id = ? AND code = '${STATED_REMARK}'`,
  );
  const state = database.transaction((snapshotId: number, stated: Period | null): Snapshot => {
    const snapshot = snapshots.get(snapshotId);
    const { imported, period } = snapshot;
    if (imported === undefined || !canBeStated(snapshot))
      throw new AppError('imports.not-all', 'Nobody can state that this snapshot holds all records.', {});
    const { periodBefore = period, ...origin } = imported;
    if (stated !== null && !holds(stated, periodBefore))
      throw new AppError('imports.narrow-period', 'The period leaves records out.', {});
    savePeriod.run({
      snapshotId,
      ...(stated ?? periodBefore),
      state: stated === null ? 'incomplete' : 'complete',
      imported: JSON.stringify(stated === null ? origin : { ...origin, periodBefore }),
    });
    if (stated === null) removeStated.run(snapshotId);
    else addStated.run(snapshotId, toStatedDetail(stated));
    return snapshots.get(snapshotId);
  });
  const hide = 'UPDATE snapshots SET is_removed = 1, removed_at_ms = 0 WHERE is_look = 1 AND is_removed = 0';
  const dropped = database
    .prepare<[number], number>(`${hide} AND snapshot_id = ? RETURNING snapshot_id`)
    .pluck();
  const replaced = database
    .prepare<[number, number], number>(
      `${hide} AND snapshot_id != ? AND EXISTS (
         SELECT 1 FROM snapshots AS s WHERE s.snapshot_id = ? AND s.connection_id = snapshots.connection_id
           AND s.report = snapshots.report AND s.to_ms - s.from_ms = snapshots.to_ms - snapshots.from_ms
           AND (s.from_ms = snapshots.from_ms OR (s.still_open = 1 AND snapshots.still_open = 1)))
       RETURNING snapshot_id`,
    )
    .pluck();
  const clear = database.prepare('UPDATE pages SET is_damaged = 0 WHERE snapshot_id = ? AND is_damaged = 1');
  const mark = database.prepare('UPDATE pages SET is_damaged = 1 WHERE snapshot_id = ? AND page_number = ?');
  const saveCheck = database.prepare(
    'UPDATE snapshots SET verified_at_ms = ?, damaged_pages = ? WHERE snapshot_id = ?',
  );
  const saveAll = database.transaction((snapshotId: number, atMs: number, check: PageCheck) => {
    clear.run(snapshotId);
    for (const pageNumber of check.damagedPages) mark.run(snapshotId, pageNumber);
    saveCheck.run(atMs, check.damagedPages.length + check.missingPages, snapshotId);
  });
  return {
    /** Begins a snapshot in one piece. */
    createSnapshot: (input: NewSnapshot): Snapshot => insertWhole.immediate(input),
    finishSnapshot: (input: {
      snapshotId: number;
      state: SnapshotState;
      failure: ErrorInfo | null;
    }): Snapshot => {
      finish.run(input.state, input.failure?.code ?? null, input.snapshotId);
      database.pragma('wal_checkpoint(PASSIVE)');
      return snapshots.get(input.snapshotId);
    },
    /**
     * Hides the looks that a look takes the place of, for good, and itself where it failed (`isKept` false). The same period
     * is replaced, and of one that moves with the clock the one before. Returns what was hidden.
     */
    replaceLooks: ({ snapshotId, isKept }: { snapshotId: number; isKept: boolean }): number[] =>
      isKept ? replaced.all(snapshotId, snapshotId) : dropped.all(snapshotId),
    /** Changes what a person gave a snapshot, which is no look any more; what is left out stays. */
    annotateSnapshot: ({ snapshotId, name, note, pinned }: Input<'snapshots/annotate'>): Snapshot => {
      const isPinned = pinned === undefined ? null : Number(pinned);
      annotate.run(name?.trim() ?? null, note ?? null, isPinned, snapshotId);
      return snapshots.get(snapshotId);
    },
    /** Keeps that a person states that an imported snapshot holds all records of a period, or (null) no longer does. */
    stateComplete: ({ snapshotId, stated }: { snapshotId: number; stated: Period | null }): Snapshot =>
      state.immediate(snapshotId, stated),
    /** Keeps the result of a verification with the snapshot and its pages, in one transaction. */
    saveVerification: (input: { snapshotId: number; atMs: number; check: PageCheck }): Snapshot => {
      saveAll.immediate(input.snapshotId, input.atMs, input.check);
      return snapshots.get(input.snapshotId);
    },
  };
}

/** True where a period begins no later, and ends no earlier. */
export function holds(whole: Period, part: Period): boolean {
  return whole.fromMs <= part.fromMs && whole.toMs >= part.toMs;
}

/** What the remark tells of the period that a person stated. */
export function toStatedDetail({ startDate, endDate, zone }: Period): string {
  return `${startDate} – ${endDate} (${zone})`;
}

/** Marks snapshots as interrupted whose download a process left behind when it died. */
export function endInterrupted(database: Database): void {
  const end = database.transaction(() => {
    database.exec(`
      INSERT INTO remarks (snapshot_id, code, count)
        SELECT snapshot_id, 'interrupted', 1 FROM snapshots WHERE state = 'downloading'
        ON CONFLICT DO NOTHING;
      UPDATE snapshots SET state = 'incomplete' WHERE state = 'downloading';`);
  });
  end.immediate();
}

/** What one statement deletes or gives back, since a statement can't be interrupted. */
const MAX_DELETED_ROWS = 5000;
const MAX_VACUUMED_PAGES = 2000;
/** Bodies are large: these are about as many bytes as the rows. */
const MAX_DELETED_BODIES = 20;

/** Snapshots deleted for good, and the bytes by which the file became smaller. */
export interface Purge {
  readonly snapshotIds: number[];
  readonly freedBytes: number;
}

interface SnapshotRemover {
  /** Hides the snapshots at once, in one transaction. */
  mark(snapshotIds: readonly number[], nowMs: number): void;
  /** Hides the snapshots of a connection, and deletes what else was kept of it, in one transaction. */
  markConnection(connectionId: string): void;
  /** Shows again what was hidden and is not being deleted yet. Returns the ids that are back. */
  restore(snapshotIds: readonly number[]): number[];
  /**
   * Deletes what was hidden by `untilMs` in small transactions, then gives free pages back to the disk. After
   * a crash the next sweep goes on.
   */
  sweep(untilMs: number, pause: () => Promise<void>): Promise<Purge>;
}

/** Prepares the removal of snapshots. `is_removed` is 1 while a removal can be undone, 2 once rows are being deleted. */
export function createSnapshotRemover(database: Database): SnapshotRemover {
  const hide = database.prepare(
    'UPDATE snapshots SET is_removed = 1, removed_at_ms = ? WHERE snapshot_id = ? AND is_removed < 2',
  );
  const show = database.prepare(
    'UPDATE snapshots SET is_removed = 0, removed_at_ms = NULL WHERE snapshot_id = ? AND is_removed = 1',
  );
  const hideConnection = database.prepare(
    `UPDATE snapshots SET is_removed = 1, removed_at_ms = 0 WHERE connection_id = ? AND is_removed < 2`,
  );
  const removeSamples = database.prepare('DELETE FROM status_samples WHERE connection_id = ?');
  const removeShapes = database.prepare('DELETE FROM report_shapes WHERE connection_id = ?');
  const removePatterns = database.prepare('DELETE FROM error_patterns WHERE connection_id = ?');
  const removeMarks = database.prepare('DELETE FROM record_marks WHERE connection_id = ?');
  const removeFollowed = database.prepare('DELETE FROM followed_reports WHERE connection_id = ?');
  const beginDeleting = database.prepare(
    'UPDATE snapshots SET is_removed = 2 WHERE is_removed = 1 AND coalesce(removed_at_ms, 0) <= ?',
  );
  const beingDeleted = database
    .prepare<[], number>('SELECT snapshot_id FROM snapshots WHERE is_removed = 2')
    .pluck();
  const remove = database.prepare('DELETE FROM snapshots WHERE snapshot_id = ?');
  const deleteRows = Object.values(RECORD_TABLES).map(({ name }) =>
    database.prepare(
      `DELETE FROM ${name} WHERE record_id IN
         (SELECT record_id FROM ${name} WHERE record_id >= ? AND record_id < ? LIMIT ${MAX_DELETED_ROWS})`,
    ),
  );
  const deleteBodies = database.prepare(
    `DELETE FROM page_bodies WHERE rowid IN
       (SELECT rowid FROM page_bodies WHERE snapshot_id = ? LIMIT ${MAX_DELETED_BODIES})`,
  );
  const markAll = database.transaction((snapshotIds: readonly number[], nowMs: number) => {
    for (const snapshotId of snapshotIds) hide.run(nowMs, snapshotId);
  });
  const markConnection = database.transaction((connectionId: string) => {
    hideConnection.run(connectionId);
    removeSamples.run(connectionId);
    removeShapes.run(connectionId);
    removePatterns.run(connectionId);
    removeMarks.run(connectionId);
    removeFollowed.run(connectionId);
  });
  const showAll = database.transaction((snapshotIds: readonly number[]) =>
    snapshotIds.filter((snapshotId) => show.run(snapshotId).changes > 0),
  );
  const vacuum = async (pause: () => Promise<void>): Promise<void> => {
    for (let left = readPragma(database, 'freelist_count'); left > 0;) {
      database.pragma(`incremental_vacuum(${MAX_VACUUMED_PAGES})`);
      await pause();
      const now = readPragma(database, 'freelist_count');
      if (now >= left) break;
      left = now;
    }
  };
  return {
    mark: (snapshotIds, nowMs) => markAll.immediate(snapshotIds, nowMs),
    markConnection: (connectionId) => markConnection.immediate(connectionId),
    restore: (snapshotIds) => showAll.immediate(snapshotIds),
    async sweep(untilMs, pause) {
      beginDeleting.run(untilMs);
      const snapshotIds = beingDeleted.all();
      const pagesBefore = readPragma(database, 'page_count');
      for (const snapshotId of snapshotIds) {
        const ids = [toRecordId(snapshotId, 0), toRecordId(snapshotId + 1, 0)] as const;
        while (deleteBodies.run(snapshotId).changes > 0) await pause();
        for (const statement of deleteRows) {
          while (statement.run(...ids).changes > 0) await pause();
        }
        remove.run(snapshotId);
      }
      await vacuum(pause);
      const freedPages = Math.max(0, pagesBefore - readPragma(database, 'page_count'));
      return { snapshotIds, freedBytes: freedPages * readPragma(database, 'page_size') };
    },
  };
}

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
interface WalkRestart {
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
