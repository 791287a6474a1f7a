import type { Database } from '../../../node/open-database.ts';
import { readPragma } from '../file/storage-size.ts';
import { RECORD_TABLES } from '../read/record-tables.ts';
import { toRecordId } from '../../../common/model/records/record-ids.ts';

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

export interface SnapshotRemover {
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
