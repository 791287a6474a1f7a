import { hash } from 'node:crypto';
import type { RecordDetail, RecordMark, RecordRow } from '../../../common/model/records/record.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { listFields, type DetailKind } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { isDamagedPage } from '../file/open-database.ts';
import { createDetailReader } from './read-records.ts';
import { requireDetailKind } from './record-tables.ts';

type MarkedSnapshot = Pick<Snapshot, 'id' | 'connectionId' | 'report'>;

/** What a record and its mark are found by: the mark is the record's if their digests agree as well. */
export interface MarkKey {
  readonly sessionId: string;
  readonly dateText: string;
  readonly digest: string;
}

/** The marks of a report of a connection, as far as records are looked up by them. */
export interface MarkedRecord {
  readonly sessionId: string;
  readonly dateMs: number | null;
}

/**
 * The key of a record: records are the same when every field is, those that the specification doesn't know included
 * (decision 26).
 */
export function toMarkKey(record: RecordDetail, report: DetailKind): MarkKey {
  const values = listFields(report).map(([name]) => record[name]);
  const { sessionId, dateText, payloadLength, extra } = record;
  const digest = hash('sha256', JSON.stringify([values, payloadLength, extra]), 'base64');
  return { sessionId, dateText, digest };
}

/** Prepares the look-up of marks. */
export function createMarkReader(database: Database) {
  // One that is hidden for now has its rows, and an open view may still show them.
  const findSnapshot = database.prepare<[number], MarkedSnapshot>(
    'SELECT snapshot_id AS id, connection_id AS connectionId, report FROM snapshots WHERE snapshot_id = ?',
  );
  const readDetail = createDetailReader(database);
  const hasAny = database.prepare<[], number>('SELECT 1 FROM record_marks LIMIT 1').pluck();
  const find = database.prepare<[string, string, string, string], RecordMark & { digest: string }>(
    `SELECT digest, mark, note FROM record_marks
     WHERE connection_id = ? AND report = ? AND session_id = ? AND date_text = ?`,
  );
  const list = database.prepare<[string, string], MarkedRecord>(
    `SELECT session_id AS sessionId, date_ms AS dateMs FROM record_marks WHERE connection_id = ? AND report = ?`,
  );

  const findMark = (row: RecordRow, snapshot: MarkedSnapshot): RecordMark | null => {
    const { connectionId, report } = snapshot;
    const candidates = find.all(connectionId, report, row.sessionId, row.dateText);
    if (candidates.length === 0) return null;
    try {
      const { digest } = toMarkKey(readDetail(snapshot, row.seq), requireDetailKind(report));
      const found = candidates.find((candidate) => candidate.digest === digest);
      return found === undefined ? null : { mark: found.mark, note: found.note };
    } catch (error) {
      // Whose texts can't be read is not known to be the marked record.
      if (isDamagedPage(error)) return null;
      throw error;
    }
  };

  return {
    list: (connectionId: string, report: DetailKind): MarkedRecord[] => list.all(connectionId, report),
    /** Returns the rows, those that are marked with their marks. */
    addMarks<Row extends RecordRow>(rows: Row[]): Row[] {
      if (rows.length === 0 || hasAny.get() === undefined) return rows;
      const known = new Map<number, MarkedSnapshot | undefined>();
      return rows.map((row) => {
        const snapshot = known.get(row.snapshotId) ?? findSnapshot.get(row.snapshotId);
        known.set(row.snapshotId, snapshot);
        const mark = snapshot === undefined ? null : findMark(row, snapshot);
        return mark === null ? row : { ...row, mark };
      });
    },
  };
}
