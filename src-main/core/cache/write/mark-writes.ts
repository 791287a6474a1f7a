import { AppError } from '../../../common/contract/errors.ts';
import {
  MAX_MARKED_RECORDS,
  type RecordMark,
  type RecordMarkChange,
} from '../../../common/model/records/record-mark.ts';
import type { Database } from '../../../node/open-database.ts';
import { createDetailReader } from '../read/read-detail.ts';
import { toMarkKey } from '../read/record-marks.ts';
import { requireDetailKind } from '../read/record-tables.ts';
import type { SnapshotReader } from '../read/snapshot-rows.ts';

export interface MarksChange {
  readonly records: readonly { readonly snapshotId: number; readonly seq: number }[];
  readonly change: RecordMarkChange;
  readonly nowMs: number;
}

/**
 * Prepares the writing of marks, all of one change in one transaction. Throws AppError `cache.too-many-marks` and
 * `cache.snapshot-not-found`.
 */
export function createMarkWriter(
  database: Database,
  snapshots: SnapshotReader,
): (change: MarksChange) => void {
  const readDetail = createDetailReader(database);
  const place = 'connection_id = ? AND report = ? AND session_id = ? AND date_text = ? AND digest = ?';
  const find = database.prepare<string[], RecordMark>(`SELECT mark, note FROM record_marks WHERE ${place}`);
  const remove = database.prepare<string[]>(`DELETE FROM record_marks WHERE ${place}`);
  const save = database.prepare(
    `INSERT OR REPLACE INTO record_marks
       (connection_id, report, session_id, date_text, digest, date_ms, mark, note, changed_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const count = database
    .prepare<[string, string], number>(
      'SELECT count(*) FROM record_marks WHERE connection_id = ? AND report = ?',
    )
    .pluck();

  const changeAll = database.transaction(({ records, change, nowMs }: MarksChange) => {
    for (const { snapshotId, seq } of records) {
      const snapshot = snapshots.get(snapshotId);
      const { connectionId, report } = snapshot;
      const record = readDetail(snapshot, seq);
      const { sessionId, dateText, digest } = toMarkKey(record, requireDetailKind(report));
      const key = [connectionId, report, sessionId, dateText, digest];
      const before = find.get(...key) ?? null;
      const mark = change.mark === undefined ? (before?.mark ?? null) : change.mark;
      const note = change.note === undefined ? (before?.note ?? '') : change.note.trim();
      if (mark === null && note === '') {
        remove.run(...key);
        continue;
      }
      if (before === null && (count.get(connectionId, report) ?? 0) >= MAX_MARKED_RECORDS) {
        throw new AppError('cache.too-many-marks', 'No more records can be marked.', {
          limit: MAX_MARKED_RECORDS,
        });
      }
      save.run(...key, record.dateMs, mark, note, nowMs);
    }
  });
  return (change) => changeAll.immediate(change);
}
