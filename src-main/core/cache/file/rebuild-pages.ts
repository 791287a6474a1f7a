import { REPORTS, type ReportField, type ReportKind } from '../../../common/reporting/reports.ts';
import { toRecordId } from '../../../common/model/records/record-ids.ts';
import { toPayloadPreview } from '../write/preview-payload.ts';
import type { Database } from '../../../node/open-database.ts';
import { packBody } from '../write/page-body.ts';

interface OldPage {
  readonly snapshotId: number;
  readonly report: ReportKind;
  readonly pageNumber: number;
  readonly firstSeq: number;
  readonly recordCount: number;
}
type OldRow = Readonly<Record<string, string | number | null>>;

/**
 * Makes a body for each page of a cache that kept none: a document for each record, in the service's spelling, from
 * the rows of schema 5. What no row kept is not in it: the order of fields, entries set aside, how numbers were
 * written. Such pages are marked.
 */
export function rebuildPages(database: Database): void {
  const pages = database
    .prepare<[], OldPage>(
      `SELECT s.snapshot_id AS snapshotId, s.report, p.page_number AS pageNumber, p.first_seq AS firstSeq,
         p.record_count AS recordCount
       FROM pages AS p JOIN snapshots AS s ON s.snapshot_id = p.snapshot_id`,
    )
    .all();
  const insert = database.prepare(
    'INSERT INTO page_bodies (snapshot_id, page_number, body, is_rebuilt) VALUES (?, ?, ?, 1)',
  );
  for (const page of pages) {
    const documents = readRows(database, page).map((row) => toDocument(page.report, row));
    insert.run(page.snapshotId, page.pageNumber, packBody(Buffer.from(JSON.stringify({ documents }))));
  }
  database.function('payload_preview', { deterministic: true }, (payload) =>
    toPayloadPreview(typeof payload === 'string' ? payload : ''),
  );
  for (const [direction, length] of [
    ['inbound', 'length(t.payload)'],
    ['outbound', "length(t.payload) + length(coalesce(t.response, ''))"],
  ] as const) {
    database.exec(
      `UPDATE ${direction}_records AS r SET payload_preview = payload_preview(t.payload), text_length = ${length}
       FROM ${direction}_texts AS t WHERE t.record_id = r.record_id`,
    );
  }
}

function readRows(database: Database, { snapshotId, report, firstSeq, recordCount }: OldPage): OldRow[] {
  const end = firstSeq + recordCount;
  if (report === 'inbound-summary' || report === 'outbound-summary') {
    const sql = 'SELECT * FROM summary_groups WHERE snapshot_id = ? AND seq >= ? AND seq < ? ORDER BY seq';
    return database.prepare<number[], OldRow>(sql).all(snapshotId, firstSeq, end);
  }
  const direction = report === 'inbound-detail' ? 'inbound' : 'outbound';
  const sql = `SELECT * FROM ${direction}_records AS r JOIN ${direction}_texts AS t ON t.record_id = r.record_id
    WHERE r.record_id >= ? AND r.record_id < ? ORDER BY r.record_id`;
  const ids = [toRecordId(snapshotId, firstSeq), toRecordId(snapshotId, end)];
  return database.prepare<number[], OldRow>(sql).all(...ids);
}

/** Fields of one record; unknown ones last. A number that could not be read lies among these as it came. */
function toDocument(report: ReportKind, row: OldRow): object {
  const { extra } = row;
  const fields = Object.values<ReportField>(REPORTS[report].fields).map(({ wireName, column }) => [
    wireName,
    row[column] ?? null,
  ]);
  const unknown = typeof extra === 'string' ? (JSON.parse(extra) as object) : {};
  return { ...(Object.fromEntries(fields) as object), ...unknown };
}
