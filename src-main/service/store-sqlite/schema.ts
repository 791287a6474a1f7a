import { chmodSync, closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import { type Direction, DIRECTIONS } from '../../common/reporting/reports.ts';
import { findErrorCode } from '../../node/error-text.ts';
import { makePrivateFolder, PRIVATE_FILE_MODE } from '../../node/files.ts';
import { type Database, openDatabase, type Pragma } from '../../node/open-database.ts';
import { toStartError } from '../service-options.ts';
import { type RecordTexts, type StoredRecord, TEXT_FIELDS, TEXT_NAMES } from '../store/record-store.ts';

/** "CSsv": distinguishes the service's database from any other SQLite file. */
const APPLICATION_ID = 0x43537376;
const SCHEMA_VERSION = 1;

/**
 * Records are clustered by (date, arrival), which is the order of the reports, so a page is one range.
 * Their group (channel, service, origin, code) is a number: rows stay narrow and rollups group by one
 * integer. References from records carry no foreign key: the writer resolves every group in the same
 * transaction, and checking ten million of them would cost more than it is worth. A group without a response code is
 * there once: the writer looks groups up in memory, where null equals null. Rollups hold `cells` as packed in
 * group-sums.ts; `fresh` is 1 for the few newest changes of one.
 *
 * The tables named `_import` hold what imported records say beyond numbers; sample records derive their texts instead.
 * An imported session is written with its number negated, which is how a record is known to be imported. `hash` leaves
 * out what a file may lack, so that one without it is compared with what it has.
 */
const SCHEMA_SQL = `
CREATE TABLE property (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE counter (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE traffic_group (
  group_id INTEGER PRIMARY KEY,
  direction INTEGER NOT NULL CHECK (direction IN (0, 1)),
  channel INTEGER NOT NULL,
  service INTEGER NOT NULL,
  origin TEXT NOT NULL,
  response_code INTEGER,
  UNIQUE (direction, channel, service, origin, response_code)
) STRICT;

CREATE TABLE origin (
  origin_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE inbound_record (
  date_ms INTEGER NOT NULL,
  arrival INTEGER NOT NULL,
  session INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  response_time_us INTEGER NOT NULL,
  bot_latency_ms INTEGER NOT NULL,
  PRIMARY KEY (date_ms, arrival)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbound_record (
  date_ms INTEGER NOT NULL,
  arrival INTEGER NOT NULL,
  session INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  response_time_us INTEGER NOT NULL,
  action_id INTEGER NOT NULL,
  origin_id INTEGER NOT NULL,
  PRIMARY KEY (date_ms, arrival)
) STRICT, WITHOUT ROWID;

CREATE TABLE rollup (
  direction INTEGER NOT NULL,
  tier_ms INTEGER NOT NULL,
  start_ms INTEGER NOT NULL,
  fresh INTEGER NOT NULL CHECK (fresh IN (0, 1)),
  cells BLOB NOT NULL,
  PRIMARY KEY (direction, tier_ms, start_ms, fresh)
) STRICT;

CREATE TABLE record_count (
  direction INTEGER NOT NULL,
  tier_ms INTEGER NOT NULL,
  start_ms INTEGER NOT NULL,
  records INTEGER NOT NULL,
  PRIMARY KEY (direction, tier_ms, start_ms)
) STRICT, WITHOUT ROWID;

CREATE TABLE import_session (
  session INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE
) STRICT;

${DIRECTIONS.map(toImportSql).join('')}`;

function toImportSql(direction: Direction): string {
  const texts = TEXT_FIELDS[direction].map(({ column }) => `,\n  ${column} TEXT NOT NULL`);
  return `
CREATE TABLE ${direction}_import (
  arrival INTEGER PRIMARY KEY,
  date_ms INTEGER NOT NULL,
  hash INTEGER NOT NULL${texts.join('')}
) STRICT;
CREATE INDEX ${direction}_import_content ON ${direction}_import (date_ms, hash);
`;
}

/** How directions are written in the store. */
export const DIRECTION_NUMBERS = { inbound: 0, outbound: 1 } as const;

const FILE_NAME = 'reporting-service.sqlite';
const SQLITE_HEADER = 'SQLite format 3\0';

/** The records of the service can't be fetched again from anywhere. */
const PRAGMAS: readonly Pragma[] = [
  // One service per folder: a second one is refused instead of mixing its traffic in.
  ['locking_mode', 'exclusive', 'exclusive'],
  ['journal_mode', 'wal', 'wal'],
  // 16 MiB
  ['cache_size', -16_384, -16_384],
  ['temp_store', 'memory', 2],
];

/** Path of the database inside a data folder. */
export function toDatabasePath(dataFolder: string): string {
  return join(dataFolder, FILE_NAME);
}

/**
 * Opens the database of a data folder, and creates both when missing, for the owner only. Throws AppError
 * `local-service.start-failed` for a file that is not this service's, is newer, in use, or unreadable.
 */
export function openStoreDatabase(dataFolder: string): Database {
  const path = toDatabasePath(dataFolder);
  try {
    makePrivateFolder(dataFolder);
    refuseForeignFile(path);
  } catch (error) {
    throw error instanceof AppError
      ? error
      : toStartError(`The data folder ${dataFolder} can't be used.`, error);
  }
  let db: Database | undefined;
  try {
    db = openDatabase(path, { busyTimeoutMs: 1000, pragmas: PRAGMAS });
    chmodSync(path, PRIVATE_FILE_MODE);
    prepareSchema(db, path);
    return db;
  } catch (error) {
    db?.close();
    throw error instanceof AppError ? error : toOpenError(error, path);
  }
}

function refuseForeignFile(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return;
  const header = Buffer.alloc(SQLITE_HEADER.length);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  if (header.toString('latin1') !== SQLITE_HEADER) {
    throw toStartError(`${path} is not a database of the reporting service.`);
  }
}

function prepareSchema(db: Database, path: string): void {
  const applicationId = db.pragma('application_id', { simple: true });
  const version = Number(db.pragma('user_version', { simple: true }));
  const tables = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get();
  if (applicationId === 0 && version === 0 && tables === 0) {
    db.transaction(() => {
      db.exec(SCHEMA_SQL);
      db.pragma(`application_id = ${APPLICATION_ID}`);
      db.pragma(`user_version = ${SCHEMA_VERSION}`);
    }).immediate();
    return;
  }
  if (applicationId !== APPLICATION_ID) {
    throw toStartError(`${path} is not a database of the reporting service.`);
  }
  if (version > SCHEMA_VERSION) {
    throw toStartError(
      `${path} was written by a newer version of the reporting service. It is left as it is.`,
    );
  }
  if (version < SCHEMA_VERSION) throw toStartError(`${path} has no version. It is left as it is.`);
}

function toOpenError(error: unknown, path: string): AppError {
  const code = findErrorCode(error) ?? '';
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return toStartError(`${path} is in use by another reporting service.`, error);
  }
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') {
    return toStartError(`${path} is damaged. Move it away to start anew.`, error);
  }
  return toStartError(`${path} can't be opened.`, error);
}

/** What records are summed by. `origin` is empty for outbound, whose summary doesn't have it. */
interface RecordGroup {
  readonly groupId: number;
  readonly channel: number;
  readonly service: number;
  readonly origin: string;
  readonly responseCode: number | null;
}

/** The groups and origins that the database knows, mirrored in memory: a few hundred, needed for every page. */
export interface GroupTable {
  /** Groups and origins together. */
  getSize(): number;
  /** Number of a group; an unknown one is added, inside the caller's transaction. */
  resolveGroup(direction: Direction, fields: Omit<RecordGroup, 'groupId' | 'origin'>, origin: string): number;
  /** Number of an origin's name; an unknown one is added, inside the caller's transaction. */
  resolveOrigin(name: string): number;
  /** Throws when a record refers to a group that isn't there, which is damage. */
  getGroup(groupId: number): RecordGroup;
  getOriginName(originId: number): string;
  /** Reads the tables again; needed after a transaction that added groups was rolled back. */
  reload(): void;
}

interface GroupRow extends RecordGroup {
  readonly direction: number;
}

// Three numbers below this fit one exact number.
const KEY_LIMIT = 2 ** 17;

const GROUPS_SQL = `
SELECT group_id AS groupId, direction, channel, service, origin, response_code AS responseCode FROM traffic_group`;

/** Reads the groups and origins of a database. */
export function createGroupTable(db: Database): GroupTable {
  const insertGroup = db.prepare<[number, number, number, string, number | null]>(
    'INSERT INTO traffic_group (direction, channel, service, origin, response_code) VALUES (?, ?, ?, ?, ?)',
  );
  const insertOrigin = db.prepare<[string]>('INSERT INTO origin (name) VALUES (?)');
  const readGroups = db.prepare<[], GroupRow>(GROUPS_SQL);
  const readOrigins = db
    .prepare<[], [originId: number, name: string]>('SELECT origin_id, name FROM origin')
    .raw();
  const groups = new Map<number, RecordGroup>();
  /** By direction, by origin, then by the numbers. */
  const groupIds: readonly Map<string, Map<number | string, number>>[] = [new Map(), new Map()];
  const originNames = new Map<number, string>();
  const originIds = new Map<string, number>();

  const rememberGroup = ({ direction, ...group }: GroupRow): void => {
    groups.set(group.groupId, group);
    const byOrigin = groupIds[direction];
    const ids = byOrigin?.get(group.origin) ?? new Map<number | string, number>();
    byOrigin?.set(group.origin, ids);
    ids.set(toKey(group.channel, group.service, group.responseCode), group.groupId);
  };
  const rememberOrigin = (originId: number, name: string): void => {
    originNames.set(originId, name);
    originIds.set(name, originId);
  };
  const reload = (): void => {
    for (const map of [groups, ...groupIds, originNames, originIds]) map.clear();
    for (const row of readGroups.all()) rememberGroup(row);
    for (const row of readOrigins.all()) rememberOrigin(...row);
  };
  reload();
  return {
    getSize: () => groups.size + originNames.size,
    resolveGroup: (directionName, { channel, service, responseCode }, origin) => {
      const direction = DIRECTION_NUMBERS[directionName];
      const known = groupIds[direction]?.get(origin)?.get(toKey(channel, service, responseCode));
      if (known !== undefined) return known;
      const inserted = insertGroup.run(direction, channel, service, origin, responseCode);
      const groupId = Number(inserted.lastInsertRowid);
      rememberGroup({ groupId, direction, channel, service, origin, responseCode });
      return groupId;
    },
    resolveOrigin: (name) => {
      const known = originIds.get(name);
      if (known !== undefined) return known;
      const originId = Number(insertOrigin.run(name).lastInsertRowid);
      rememberOrigin(originId, name);
      return originId;
    },
    getGroup: (groupId) => {
      const group = groups.get(groupId);
      if (group === undefined) throw new Error(`Unknown record group ${groupId}`);
      return group;
    },
    getOriginName: (originId) => originNames.get(originId) ?? '',
    reload,
  };
}

/** One exact number for the usual small ones, which is found much sooner than a text. */
function toKey(channel: number, service: number, responseCode: number | null): number | string {
  const isSmall =
    responseCode !== null &&
    Math.min(channel, service, responseCode) >= 0 &&
    Math.max(channel, service, responseCode) < KEY_LIMIT;
  return isSmall
    ? (channel * KEY_LIMIT + service) * KEY_LIMIT + responseCode
    : `${channel}|${service}|${String(responseCode)}`;
}

/** `detail` is the bot latency of an inbound record, the action of an outbound one. */
export type RecordRow = readonly [
  dateMs: number,
  arrival: number,
  session: number,
  groupId: number,
  responseTimeUs: number,
  detail: number,
  originId?: number,
];

const SHARED_COLUMNS = 'r.date_ms, r.arrival, r.session, r.group_id, r.response_time_us';

/** Columns of RecordRow, from a table named `r`. */
export const ROW_COLUMNS: Readonly<Record<Direction, string>> = {
  inbound: `${SHARED_COLUMNS}, r.bot_latency_ms`,
  outbound: `${SHARED_COLUMNS}, r.action_id, r.origin_id`,
};

/** Columns of RecordTexts but for the session, from a table named `t`. */
export const TEXT_COLUMNS: Readonly<Record<Direction, string>> = {
  inbound: toTextColumns('inbound'),
  outbound: toTextColumns('outbound'),
};

function toTextColumns(direction: Direction): string {
  const own = new Map(TEXT_FIELDS[direction].map(({ name, column }) => [name, `t.${column}`]));
  return TEXT_NAMES.map((name) => `${own.get(name) ?? "''"} AS ${name}`).join(', ');
}

/** Makes a record of a row; texts are null for a record of sample traffic, whose texts are made when it is sent. */
export function toRecord(row: RecordRow, texts: RecordTexts | null, groups: GroupTable): StoredRecord {
  // By index: taking a row apart as a list takes longer until it is compiled.
  const originId = row[6];
  const { channel, service, origin, responseCode } = groups.getGroup(row[3]);
  return {
    dateMs: row[0],
    arrival: row[1],
    session: texts === null ? row[2] : 0,
    channel,
    service,
    origin: originId === undefined ? origin : groups.getOriginName(originId),
    responseCode,
    responseTimeUs: row[4],
    botLatencyMs: originId === undefined ? row[5] : 0,
    actionId: originId === undefined ? 0 : row[5],
    texts,
  };
}
