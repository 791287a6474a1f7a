import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import {
  hasAllAnnounced,
  sumUpAnnounced,
  type Announced,
} from '../../../common/reporting/reading/judge-totals.ts';
import type { Database } from '../../../node/open-database.ts';
import type { SnapshotReader } from '../read/snapshot-rows.ts';
import { preparePageWrites } from './page-writes.ts';
import { prepareSliceWrites } from './slice-writes.ts';

/** The service signalled the end of a walk with something that is no page, such as status 404. */
interface WalkEnd {
  readonly snapshotId: number;
  /** What came instead of a page. */
  readonly signal: string;
}

/** Prepares the reading of what a walk's pages announced, and `newest` after them. */
export function prepareAnnounced(
  database: Database,
): (snapshotId: number, walkNumber: number, newest?: number | null) => Announced {
  const totals = database
    .prepare<[number, number], number | null>(
      'SELECT total_document FROM pages WHERE snapshot_id = ? AND walk_number = ? ORDER BY page_number',
    )
    .pluck();
  return (snapshotId, walkNumber, newest = null) =>
    sumUpAnnounced([...totals.all(snapshotId, walkNumber), newest]);
}

/**
 * Prepares the end of a walk without a last page (decision 8): it is one only where exactly as many entries as
 * announced have come. Null otherwise, and nothing is changed.
 */
export function prepareWalkEnd(
  database: Database,
  snapshots: SnapshotReader,
): (end: WalkEnd) => Snapshot | null {
  const { readWalk, mergeRemark } = preparePageWrites(database);
  const readAnnounced = prepareAnnounced(database);
  const { end } = prepareSliceWrites(database);
  const write = database.transaction(({ snapshotId, signal }: WalkEnd): Snapshot | null => {
    const walk = readWalk(snapshotId);
    if (walk === null || walk.nextCursor === null || walk.walkEntryCount === 0) return null;
    if (!hasAllAnnounced(walk.walkEntryCount, readAnnounced(snapshotId, walk.walkNumber))) return null;
    end(snapshotId);
    mergeRemark(snapshotId, { code: 'ended-without-page', count: 1, detail: signal });
    return snapshots.get(snapshotId);
  });
  return (input) => write.immediate(input);
}
