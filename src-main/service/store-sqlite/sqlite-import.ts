import type { Database } from '../../node/open-database.ts';
import type { Direction } from '../../common/reporting/reports.ts';
import { toImportError } from '../import/import-error.ts';
import type { ImportResult, RecordComparer } from '../store/record-store.ts';
import type { ImportedRecord, RecordTexts } from '../store/records.ts';
import type { GroupTable } from './group-table.ts';
import type { CounterTable } from './property-table.ts';
import { ROW_COLUMNS, TEXT_COLUMNS, toRecord, type RecordRow } from './record-rows.ts';
import type { SessionTable } from './session-table.ts';
import type { RecordWriter } from './write-records.ts';

/** Combinations of channel, service, origin and code, and origins: each is kept in memory. */
const MAX_GROUPS = 50_000;

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

/** A record of the batch. */
interface Entry {
  readonly record: ImportedRecord;
  isKnown: boolean;
}

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
  isSame: RecordComparer,
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
      claimed: createBitSet(lastArrival + 1),
      findImported: db.prepare<[number], ImportedRow>(toImportedSql(direction)).raw(),
      findSample: db.prepare<[number], RecordRow>(toSampleSql(direction)).raw(),
    };
  };
  const stored = { inbound: prepare('inbound'), outbound: prepare('outbound') };

  /** Returns the records that the store doesn't hold yet, in the order given. */
  const findFresh = (direction: Direction, records: readonly ImportedRecord[]): ImportedRecord[] => {
    const { lastArrival, claimed, findImported, findSample } = stored[direction];
    if (lastArrival === 0) return [...records];
    clearIncoming.run();
    for (const { contentHash, dateMs } of records) addIncoming.run(contentHash, dateMs);
    const entries = records.map((record): Entry => ({ record, isKnown: false }));
    const claim = (waiting: Entry[] | undefined, row: RecordRow, texts: RecordTexts | null): void => {
      const [, arrival] = row;
      if (waiting === undefined || waiting.length === 0 || claimed.has(arrival)) return;
      const found = toRecord(row, texts, groups);
      const place = waiting.findIndex(({ record }) => isSame(found, record));
      if (place === -1) return;
      for (const entry of waiting.splice(place, 1)) entry.isKnown = true;
      claimed.add(arrival);
    };
    const byContent = Map.groupBy(entries, ({ record }) => record.contentHash);
    for (const [contentHash, sessionId, ...rest] of findImported.iterate(lastArrival)) {
      const [client, error, actionId, payload, response, ...row] = rest;
      claim(byContent.get(contentHash), row, { sessionId, client, error, actionId, payload, response });
    }
    const left = entries.filter(({ isKnown }) => !isKnown);
    const byDate = Map.groupBy(left, ({ record }) => record.dateMs);
    if (left.length > 0) {
      for (const row of findSample.iterate(lastArrival)) claim(byDate.get(row[0]), row, null);
    }
    return left.filter(({ isKnown }) => !isKnown).map(({ record }) => record);
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

/** Whole numbers from 0 below `length`, one bit each. */
function createBitSet(length: number): { has(value: number): boolean; add(value: number): void } {
  const bytes = new Uint8Array((length >>> 3) + 1);
  return {
    has: (value) => ((bytes[value >>> 3] ?? 0) & (1 << (value & 7))) !== 0,
    add: (value) => {
      bytes[value >>> 3] = (bytes[value >>> 3] ?? 0) | (1 << (value & 7));
    },
  };
}
