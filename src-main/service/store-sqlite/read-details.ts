import type { Database } from '../../node/open-database.ts';
import type { Direction } from '../../common/reporting/reports.ts';
import { MAX_PAGE_CHARACTERS, type DetailPage, type DetailQuery } from '../store/record-store.ts';
import type { RecordTexts, StoredRecord } from '../store/records.ts';
import type { GroupTable } from './group-table.ts';
import type { CountRecords } from './record-counter.ts';
import { ROW_COLUMNS, TEXT_COLUMNS, toRecord, type RecordRow } from './record-rows.ts';
import type { SessionTable } from './session-table.ts';

const toPageSql = (direction: Direction): string => `
SELECT ${ROW_COLUMNS[direction]} FROM ${direction}_record r
WHERE (r.date_ms, r.arrival) > (?, ?) AND r.date_ms < ?
ORDER BY r.date_ms, r.arrival
LIMIT ?`;

const toTextSql = (direction: Direction): string =>
  `SELECT ${TEXT_COLUMNS[direction]} FROM ${direction}_import t WHERE t.arrival = ?`;

/** Reads pages by position: as fast at the end of a report as at its beginning. */
export function createDetailReader(
  db: Database,
  parts: { readonly groups: GroupTable; readonly sessions: SessionTable; readonly count: CountRecords },
): (direction: Direction, query: DetailQuery) => DetailPage {
  const { groups, sessions, count } = parts;
  const preparePage = (direction: Direction) =>
    db.prepare<[number, number, number, number], RecordRow>(toPageSql(direction)).raw();
  const prepareTexts = (direction: Direction) =>
    db.prepare<[number], Omit<RecordTexts, 'sessionId'>>(toTextSql(direction));
  const readPage = { inbound: preparePage('inbound'), outbound: preparePage('outbound') };
  const readTexts = { inbound: prepareTexts('inbound'), outbound: prepareTexts('outbound') };

  /** Throws for a record whose texts are missing, which is damage. */
  const findTexts = (direction: Direction, [, arrival, session]: RecordRow): RecordTexts => {
    const texts = readTexts[direction].get(arrival);
    if (texts === undefined) throw new Error(`No texts of imported record ${arrival}`);
    return { sessionId: sessions.getId(session), ...texts };
  };
  return (direction, { fromMs, toMs, after, limit }) => {
    // One more than the limit shows whether another record follows.
    const from = after ?? { dateMs: fromMs, arrival: 0 };
    const rows = readPage[direction].all(from.dateMs, from.arrival, toMs, limit + 1);
    const records: StoredRecord[] = [];
    let characters = 0;
    for (const row of rows) {
      if (records.length === limit || characters >= MAX_PAGE_CHARACTERS) break;
      const texts = row[2] < 0 ? findTexts(direction, row) : null;
      records.push(toRecord(row, texts, groups));
      if (texts !== null) characters += texts.error.length + texts.payload.length + texts.response.length;
    }
    return { records, total: count(direction, fromMs, toMs), hasMore: records.length < rows.length };
  };
}
