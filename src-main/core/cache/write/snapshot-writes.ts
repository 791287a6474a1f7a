import type { ErrorInfo } from '../../../common/contract/errors.ts';
import type { Input } from '../../../common/contract/index.ts';
import type { Period } from '../../../common/model/period.ts';
import type { Snapshot, SnapshotState } from '../../../common/model/cache/snapshot.ts';
import type { ReportKind } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import type { SnapshotReader } from '../read/snapshot-rows.ts';
import type { PageCheck } from '../read/verify-pages.ts';
import { NEXT_FETCHED_ORDER } from './fetched-order.ts';
import { prepareSliceWrites, toSlice } from './slice-writes.ts';

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
    /** Keeps the result of a verification with the snapshot and its pages, in one transaction. */
    saveVerification: (input: { snapshotId: number; atMs: number; check: PageCheck }): Snapshot => {
      saveAll.immediate(input.snapshotId, input.atMs, input.check);
      return snapshots.get(input.snapshotId);
    },
  };
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
