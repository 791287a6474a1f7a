import type { Connection } from './connect.ts';
import { RECORD_ID_SPAN } from './record-tables.ts';

const DELETE_ROWS = 5000;
const VACUUM_PAGES = 2000;
const RECORD_TABLES = ['inbound_records', 'inbound_texts', 'outbound_records', 'outbound_texts'] as const;

export interface SnapshotRemover {
  /** Hides the snapshots at once, in one transaction. */
  mark(snapshotIds: readonly number[]): void;
  /** Deletes what is marked in small transactions, then gives free pages back to the disk. */
  sweep(pause: () => Promise<void>): Promise<void>;
}

/** Prepares the removal of snapshots. A removal that a crash cut short goes on with the next sweep. */
export function createSnapshotRemover(database: Connection): SnapshotRemover {
  const hide = database.prepare('UPDATE snapshots SET is_removed = 1 WHERE snapshot_id = ?');
  const hidden = database
    .prepare<[], number>('SELECT snapshot_id FROM snapshots WHERE is_removed = 1')
    .pluck();
  const remove = database.prepare('DELETE FROM snapshots WHERE snapshot_id = ?');
  const deletes = RECORD_TABLES.map((table) =>
    database.prepare(
      `DELETE FROM ${table} WHERE record_id IN
         (SELECT record_id FROM ${table} WHERE record_id >= ? AND record_id < ? LIMIT ${DELETE_ROWS})`,
    ),
  );
  const markAll = database.transaction((snapshotIds: readonly number[]) => {
    for (const snapshotId of snapshotIds) hide.run(snapshotId);
  });
  return {
    mark: (snapshotIds) => markAll.immediate(snapshotIds),
    async sweep(pause) {
      for (const snapshotId of hidden.all()) {
        const from = snapshotId * RECORD_ID_SPAN;
        for (const statement of deletes) {
          while (statement.run(from, from + RECORD_ID_SPAN).changes > 0) await pause();
        }
        remove.run(snapshotId);
      }
      const free = (): number => Number(database.pragma('freelist_count', { simple: true }));
      for (let left = free(); left > 0;) {
        database.pragma(`incremental_vacuum(${VACUUM_PAGES})`);
        await pause();
        const now = free();
        if (now >= left) break;
        left = now;
      }
      database.pragma('wal_checkpoint(TRUNCATE)');
    },
  };
}
