import type { Direction } from '../../common/reporting/reports.ts';
import type { Database } from '../../node/open-database.ts';
import { toImportError } from '../import/import-fields.ts';
import {
  addCells,
  addToSums,
  createRollupSummer,
  MAX_FRESH_GROUPS,
  type OpenRollup,
  orderByDate,
  packCells,
  type RollupSummer,
} from '../store/group-sums.ts';
import {
  createRecordClaims,
  type ImportedRecord,
  type ImportResult,
  MAX_GROUPS,
  type NewInboundRecord,
  type NewOutboundRecord,
  type RecordComparer,
  type RecordTexts,
  TEXT_FIELDS,
  TEXT_NAMES,
} from '../store/record-store.ts';
import {
  DIRECTION_NUMBERS,
  type GroupTable,
  type RecordRow,
  ROW_COLUMNS,
  TEXT_COLUMNS,
  toRecord,
} from './schema.ts';

/** A record of either direction; an imported one has a session below 0. */
type NewRecord = Omit<NewInboundRecord & NewOutboundRecord, 'botLatencyMs' | 'actionId' | 'responseCode'> &
  Pick<ImportedRecord, 'responseCode'> &
  Partial<Pick<NewInboundRecord, 'botLatencyMs'>> &
  Partial<Pick<NewOutboundRecord, 'actionId'>>;

/** Writes records and everything derived from them, inside the caller's transaction. */
interface RecordWriter {
  /** Returns the arrival of the first record; the others follow without a gap. */
  write(direction: Direction, records: readonly NewRecord[]): number;
  /** Drops what is left of a write that failed. */
  reset(): void;
}

/** Prepares the writing of records with their rollups and counters. */
export function createRecordWriter(db: Database, groups: GroupTable, counters: CounterTable): RecordWriter {
  const rollups = createRollupWriter(db);
  const inserters = {
    inbound: createRowInserter(db, 'inbound_record', 6),
    outbound: createRowInserter(db, 'outbound_record', 7),
  };

  const insert = (direction: Direction, record: NewRecord, arrival: number): number => {
    const isInbound = direction === 'inbound';
    const groupId = groups.resolveGroup(direction, record, isInbound ? record.origin : '');
    const row = inserters[direction];
    row.push(record.dateMs);
    row.push(arrival);
    row.push(record.session);
    row.push(groupId);
    row.push(record.responseTimeUs);
    if (isInbound) row.push(record.botLatencyMs ?? 0);
    else {
      row.push(record.actionId ?? 0);
      row.push(groups.resolveOrigin(record.origin));
    }
    return groupId;
  };
  return {
    write: (direction, records) => {
      const counter = `${direction}_arrival` as const;
      const first = counters.get(counter) + 1;
      if (records.length === 0) return first;
      const groupIds = records.map((record, index) => insert(direction, record, first + index));
      inserters[direction].finish();
      counters.set(counter, first - 1 + records.length);
      rollups.begin(direction);
      for (const index of orderByDate(records)) {
        const record = records[index];
        if (record === undefined) continue;
        const { dateMs, session, responseTimeUs, botLatencyMs = 0 } = record;
        addToSums(
          rollups.openAt(dateMs),
          groupIds[index] ?? 0,
          1,
          responseTimeUs,
          botLatencyMs,
          dateMs,
          first + index,
          session,
        );
      }
      rollups.finish();
      return first;
    },
    reset: () => {
      inserters.inbound.reset();
      inserters.outbound.reset();
    },
  };
}

/**
 * Adds records to the rollups of every size, inside the caller's transaction. A rollup's few newest changes lie apart
 * from its bulk as "fresh" until they are worth rewriting it for.
 */
interface RollupWriter extends Pick<RollupSummer, 'openAt' | 'finish'> {
  /** Starts anew; what was added and not finished is dropped. */
  begin(direction: Direction): void;
}

const COUNT_SQL = `
INSERT INTO record_count VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET records = records + excluded.records`;

/** Prepares the writing of rollups. */
function createRollupWriter(db: Database): RollupWriter {
  type Key = [direction: number, tierMs: number, startMs: number, fresh: number];
  const where = 'WHERE direction = ? AND tier_ms = ? AND start_ms = ? AND fresh = ?';
  const read = db.prepare<Key, Uint8Array>(`SELECT cells FROM rollup ${where}`).pluck();
  const write = db.prepare<[...Key, Uint8Array]>(
    'INSERT INTO rollup VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET cells = excluded.cells',
  );
  const remove = db.prepare<Key>(`DELETE FROM rollup ${where}`);
  const count = db.prepare<Key>(COUNT_SQL);
  let direction: number = DIRECTION_NUMBERS.inbound;

  const store = ({ tierMs, startMs, sums }: OpenRollup): void => {
    count.run(direction, tierMs, startMs, sums.recordCount);
    const addStored = (fresh: number): boolean => {
      const stored = read.get(direction, tierMs, startMs, fresh);
      if (stored !== undefined) addCells(sums, stored, startMs);
      return stored !== undefined;
    };
    const hadFresh = addStored(1);
    const isBulk = sums.groupIds.length > MAX_FRESH_GROUPS;
    if (isBulk) {
      addStored(0);
      if (hadFresh) remove.run(direction, tierMs, startMs, 1);
    }
    write.run(direction, tierMs, startMs, isBulk ? 0 : 1, packCells(sums, startMs));
  };
  const summer = createRollupSummer(store);
  return {
    begin: (of) => {
      direction = DIRECTION_NUMBERS[of];
      summer.begin();
    },
    openAt: summer.openAt,
    finish: summer.finish,
  };
}

// Beyond this many rows a statement gains nothing.
const ROWS_AT_ONCE = 50;

/** Inserts rows of numbers into one table, many by each statement, which takes half the time of one by one. */
interface RowInserter {
  /** Adds the next value of the current row. A statement runs once its rows are complete. */
  push(value: number): void;
  /** Inserts the rows that are left. */
  finish(): void;
  /** Drops the rows that are left, after a failure. */
  reset(): void;
}

/** Prepares the inserting of rows with this many columns into a table. */
function createRowInserter(db: Database, table: string, columns: number): RowInserter {
  const row = `(${Array.from({ length: columns }, () => '?').join(', ')})`;
  const rows = Array.from({ length: ROWS_AT_ONCE }, () => row).join(', ');
  const insertMany = db.prepare<[number[]]>(`INSERT INTO ${table} VALUES ${rows}`);
  const insertOne = db.prepare<[number[]]>(`INSERT INTO ${table} VALUES ${row}`);
  const values = Array.from({ length: columns * ROWS_AT_ONCE }, () => 0);
  let filled = 0;
  return {
    push: (value) => {
      values[filled] = value;
      filled += 1;
      if (filled < values.length) return;
      filled = 0;
      insertMany.run(values);
    },
    finish: () => {
      for (let at = 0; at < filled; at += columns) insertOne.run(values.slice(at, at + columns));
      filled = 0;
    },
    reset: () => {
      filled = 0;
    },
  };
}

/** A hash, the session's id, the texts in the order of TEXT_NAMES, and the columns of a `RecordRow`. */
type ImportedRow = readonly [contentHash: number, sessionId: string, ...rest: (string | number)[]];

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

interface ImportParts {
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
  const toAddSql = (direction: Direction): string =>
    `INSERT INTO ${direction}_import VALUES (?, ?, ?${', ?'.repeat(TEXT_FIELDS[direction].length)})`;
  const addTexts = {
    inbound: db.prepare<(number | string)[]>(toAddSql('inbound')),
    outbound: db.prepare<(number | string)[]>(toAddSql('outbound')),
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
      const row = rest.slice(TEXT_NAMES.length) as unknown as RecordRow;
      const texts = {
        sessionId,
        ...Object.fromEntries(TEXT_NAMES.map((name, at) => [name, rest[at]])),
      } as RecordTexts;
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
    for (const { dateMs, contentHash, texts } of records) {
      const values = TEXT_FIELDS[direction].map(({ name }) => texts[name] ?? '');
      addTexts[direction].run(arrival, dateMs, contentHash, ...values);
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

/** Imported sessions. Records refer to them by negated numbers, which is how a record is known to be imported. */
export interface SessionTable {
  /** Number of an imported session, below 0; an unknown one is added, inside the caller's transaction. */
  resolve(id: string): number;
  /** Identifier of a session whose number is below 0. */
  getId(session: number): string;
}

/** Prepares the look-up and adding of imported sessions. */
export function createSessionTable(db: Database): SessionTable {
  const find = db.prepare<[string], number>('SELECT session FROM import_session WHERE id = ?').pluck();
  const add = db.prepare<[string]>('INSERT INTO import_session (id) VALUES (?)');
  const read = db.prepare<[number], string>('SELECT id FROM import_session WHERE session = ?').pluck();
  return {
    resolve: (id) => -(find.get(id) ?? Number(add.run(id).lastInsertRowid)),
    getId: (session) => read.get(-session) ?? '',
  };
}

type Properties = Readonly<Record<string, string>>;

/** What the database says about itself: texts by name. */
interface PropertyTable {
  readAll(): Properties;
  /** Belongs into the caller's transaction. */
  setAll(properties: Properties): void;
}

/** Prepares the reading and writing of properties. */
export function createPropertyTable(db: Database): PropertyTable {
  const read = db.prepare<[], [name: string, value: string]>('SELECT name, value FROM property').raw();
  const set = db.prepare<[string, string]>(
    'INSERT INTO property VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );
  return {
    readAll: () => Object.fromEntries(read.all()),
    setAll: (properties) => {
      for (const [name, value] of Object.entries(properties)) set.run(name, value);
    },
  };
}

/** Arrivals count from 1 and nothing is deleted, so the last arrival is also the number of records. */
type CounterName = 'inbound_arrival' | 'outbound_arrival';

interface CounterTable {
  /** 0 for a counter that was never set. */
  get(name: CounterName): number;
  set(name: CounterName, value: number): void;
}

/** Prepares the reading and writing of counters. */
export function createCounterTable(db: Database): CounterTable {
  const get = db.prepare<[string], number>('SELECT value FROM counter WHERE name = ?').pluck();
  const set = db.prepare<[string, number]>(
    'INSERT INTO counter VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );
  return {
    get: (name) => get.get(name) ?? 0,
    set: (name, value) => void set.run(name, value),
  };
}
