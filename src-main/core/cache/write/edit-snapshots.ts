import type { Input } from '../../../common/contract/index.ts';
import type { Connection } from '../file/open-database.ts';
import type { PageCheck } from '../read/verify-pages.ts';

export interface SnapshotEditor {
  /** Changes what a person gave a snapshot; what is left out stays. */
  annotate(change: Input<'snapshots/annotate'>): void;
  /** Keeps the result of a verification with the snapshot and its pages, in one transaction. */
  saveVerification(snapshotId: number, atMs: number, check: PageCheck): void;
}

/** Prepares the changes of snapshots that no download makes. */
export function createSnapshotEditor(database: Connection): SnapshotEditor {
  const annotate = database.prepare(
    `UPDATE snapshots SET name = coalesce(?, name), note = coalesce(?, note), is_pinned = coalesce(?, is_pinned)
     WHERE snapshot_id = ? AND is_removed = 0`,
  );
  const clear = database.prepare('UPDATE pages SET is_damaged = 0 WHERE snapshot_id = ? AND is_damaged = 1');
  const mark = database.prepare('UPDATE pages SET is_damaged = 1 WHERE snapshot_id = ? AND page_number = ?');
  const save = database.prepare(
    'UPDATE snapshots SET verified_at_ms = ?, damaged_pages = ? WHERE snapshot_id = ?',
  );
  const saveAll = database.transaction((snapshotId: number, atMs: number, check: PageCheck) => {
    clear.run(snapshotId);
    for (const pageNumber of check.damagedPages) mark.run(snapshotId, pageNumber);
    save.run(atMs, check.damagedPages.length + check.missingPages, snapshotId);
  });
  return {
    annotate({ snapshotId, name, note, pinned }) {
      const isPinned = pinned === undefined ? null : Number(pinned);
      annotate.run(name?.trim() ?? null, note ?? null, isPinned, snapshotId);
    },
    saveVerification: (snapshotId, atMs, check) => saveAll.immediate(snapshotId, atMs, check),
  };
}
