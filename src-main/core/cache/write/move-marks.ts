import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { DETAIL_KINDS, isDetailKind, mapKinds } from '../../../common/reporting/reports.ts';
import { toRecordId } from '../../../common/model/records/record-ids.ts';
import type { Database } from '../../../node/open-database.ts';
import { createDetailReader } from '../read/read-detail.ts';
import { toMarkKey } from '../read/record-marks.ts';
import { RECORD_TABLES } from '../read/record-tables.ts';
import type { PageRange } from '../read/stored-pages.ts';

/**
 * Prepares the replacement of a page's records, as many as before in their places, so that marks follow what their
 * records become: a mark is found by what its record holds.
 */
export function prepareMarkMoves(
  database: Database,
): (snapshot: Snapshot, page: PageRange, replace: () => void) => void {
  const readDetail = createDetailReader(database);
  const candidates = mapKinds(DETAIL_KINDS, (kind) =>
    database
      .prepare<[number, number, number, string], number>(
        `SELECT r.record_id - ? FROM ${RECORD_TABLES[kind].name} AS r WHERE r.record_id >= ? AND r.record_id < ?
           AND EXISTS (SELECT 1 FROM record_marks AS m
             WHERE m.connection_id = ? AND m.report = '${kind}' AND m.session_id = r.session_id)`,
      )
      .pluck(),
  );
  const move = database.prepare(
    `UPDATE OR REPLACE record_marks SET session_id = ?, date_text = ?, digest = ?, date_ms = ?
     WHERE connection_id = ? AND report = ? AND session_id = ? AND date_text = ? AND digest = ?`,
  );
  return (snapshot, { firstSeq, recordCount }, replace) => {
    const { id, connectionId, report } = snapshot;
    if (!isDetailKind(report)) {
      replace();
      return;
    }
    const base = toRecordId(id, 0);
    const [from, end] = [base + firstSeq, base + firstSeq + recordCount];
    const before = candidates[report]
      .all(base, from, end, connectionId)
      .map((seq) => ({ seq, key: toMarkKey(readDetail(snapshot, seq), report) }));
    replace();
    for (const { seq, key } of before) {
      const record = readDetail(snapshot, seq);
      const next = toMarkKey(record, report);
      move.run(
        ...[next.sessionId, next.dateText, next.digest, record.dateMs, connectionId, report],
        ...[key.sessionId, key.dateText, key.digest],
      );
    }
  };
}
