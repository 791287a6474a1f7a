import type { Database } from '../../node/open-database.ts';
import type { Direction } from '../../common/reporting/reports.ts';
import { toImportError } from '../import/import-error.ts';
import { createRecordClaims } from '../store/record-claims.ts';
import { MAX_GROUPS, type ImportResult, type RecordComparer } from '../store/record-store.ts';
import type { ImportedRecord } from '../store/records.ts';
import type { GroupTable } from './group-table.ts';
import type { CounterTable } from './property-table.ts';
import { ROW_COLUMNS, TEXT_COLUMNS, toRecord, type RecordRow } from './record-rows.ts';
import type { SessionTable } from './session-table.ts';
import type { RecordWriter } from './write-records.ts';

type ImportedRow = readonly [
  contentHash: number,
  sessionId: string,
  client: string,
  error: string,
  actionId: string,
  payload: string,
  response: string,
  ...row: RecordRow,
];

const CREATE_SQL = `
CREATE TEMP TABLE IF NOT EXISTS incoming (
  content_hash INTEGER NOT NULL,
  date_ms INTEGER NOT NULL,
  PRIMARY KEY (content_hash, date_ms)
) STRICT, WITHOUT ROWID`;

// CROSS JOIN keeps the order: by content first, as a file may hold any number of records of one date.
const toImportedSql = (direction: Direction): string => `
SELECT i.content_hash, s.id, ${TEXT_COLUMNS[direction]}, ${ROW_COLUMNS[direction]}
FROM incoming i
CROSS JOIN ${direction}_import t ON t.date_ms = i.date_ms AND t.hash = i.content_hash AND t.arrival <= ?
CROSS JOIN ${direction}_record r ON r.date_ms = t.date_ms AND r.arrival = t.arrival
CROSS JOIN import_session s ON s.session = -r.session`;

const toSampleSql = (direction: Direction): string => `
SELECT ${ROW_COLUMNS[direction]}
FROM (SELECT DISTINCT date_ms FROM incoming) i
CROSS JOIN ${direction}_record r ON r.date_ms = i.date_ms AND r.arrival <= ? AND r.session > 0`;

export interface ImportParts {
  readonly groups: GroupTable;
  readonly sessions: SessionTable;
  readonly counters: CounterTable;
  readonly writer: RecordWriter;
}

/**
 * Returns the function that adds a batch, inside the caller's transaction (see `StoreImport`). What the
 * store held before is found by joining it with the batch's dates and hashes; every stored record is
 * claimed by at most one of the file.
 */
export function createSqliteImport(
  db: Database,
  { groups, sessions, counters, writer }: ImportParts,
  isSame: RecordComparer | null,
): (records: readonly ImportedRecord[]) => ImportResult {
  db.exec(CREATE_SQL);
  const clearIncoming = db.prepare('DELETE FROM incoming');
  const addIncoming = db.prepare<[number, number]>('INSERT OR IGNORE INTO incoming VALUES (?, ?)');
  const addTexts = {
    inbound: db.prepare<(number | string)[]>('INSERT INTO inbound_import VALUES (?, ?, ?, ?, ?, ?)'),
    outbound: db.prepare<(number | string)[]>('INSERT INTO outbound_import VALUES (?, ?, ?, ?, ?, ?, ?, ?)'),
  };
  const prepare = (direction: Direction) => {
    const lastArrival = counters.get(`${direction}_arrival`);
    return {
      lastArrival,
      begin: isSame === null ? null : createRecordClaims(isSame, lastArrival),
      findImported: db.prepare<[number], ImportedRow>(toImportedSql(direction)).raw(),
      findSample: db.prepare<[number], RecordRow>(toSampleSql(direction)).raw(),
    };
  };
  const stored = { inbound: prepare('inbound'), outbound: prepare('outbound') };

  /** Returns the records that the store doesn't hold yet, in the order given. */
  const findFresh = (direction: Direction, records: readonly ImportedRecord[]): ImportedRecord[] => {
    const { lastArrival, begin, findImported, findSample } = stored[direction];
    if (lastArrival === 0 || begin === null) return [...records];
    clearIncoming.run();
    for (const { contentHash, dateMs } of records) addIncoming.run(contentHash, dateMs);
    const claims = begin(records);
    for (const [contentHash, sessionId, ...rest] of findImported.iterate(lastArrival)) {
      const [client, error, actionId, payload, response, ...row] = rest;
      const texts = { sessionId, client, error, actionId, payload, response };
      claims.offerImported(contentHash, row[1], () => toRecord(row, texts, groups));
    }
    if (claims.listFresh().length > 0) {
      for (const row of findSample.iterate(lastArrival)) {
        claims.offerSample(row[0], row[1], () => toRecord(row, null, groups));
      }
    }
    return claims.listFresh();
  };

  const write = (direction: Direction, records: readonly ImportedRecord[]): void => {
    let arrival = writer.write(
      direction,
      records.map((record) => ({ ...record, session: sessions.resolve(record.sessionId), actionId: 0 })),
    );
    for (const { dateMs, contentHash, client, error, actionId, payload, response } of records) {
      const texts =
        direction === 'inbound'
          ? [client, error, payload ?? '']
          : [client, error, actionId, payload ?? '', response ?? ''];
      addTexts[direction].run(arrival, dateMs, contentHash, ...texts);
      arrival += 1;
    }
  };

  return (records) => {
    let added = 0;
    for (const direction of ['inbound', 'outbound'] as const) {
      const given = records.filter((record) => record.direction === direction);
      // Equal dates stay in the file's order.
      const fresh = findFresh(direction, given).sort((a, b) => a.dateMs - b.dateMs);
      if (fresh.length === 0) continue;
      if (groups.getSize() > MAX_GROUPS) {
        throw toImportError(
          `There are more than ${MAX_GROUPS} combinations of channel, service, origin and code.`,
        );
      }
      write(direction, fresh);
      added += fresh.length;
    }
    return { added, known: records.length - added };
  };
}
