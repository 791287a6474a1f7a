import { statSync } from 'node:fs';
import type { Direction } from '../../common/reporting/reports.ts';
import { findErrorCode } from '../../node/error-text.ts';
import { CHECKPOINT_PAGES, type Database } from '../../node/open-database.ts';
import {
  addCells,
  addToSums,
  clearSums,
  createGroupSums,
  forEachGroup,
  splitPeriod,
} from '../store/group-sums.ts';
import {
  MAX_PAGE_CHARACTERS,
  type Activity,
  type ActivityQuery,
  type DetailPage,
  type DetailQuery,
  type GroupTotals,
  type RecordPeriod,
  type RecordStore,
  type RecordTexts,
  type StoredRecord,
  type TrafficBatch,
} from '../store/record-store.ts';
import {
  createGroupTable,
  DIRECTION_NUMBERS,
  type GroupTable,
  openStoreDatabase,
  type RecordRow,
  ROW_COLUMNS,
  TEXT_COLUMNS,
  toDatabasePath,
  toRecord,
} from './schema.ts';
import {
  createCounterTable,
  createPropertyTable,
  createSessionTable,
  createSqliteImport,
  createRecordWriter,
  type SessionTable,
} from './write-records.ts';

const BULK_CHECKPOINT_PAGES = 8000;

/**
 * Opens or creates the store of a data folder: one connection, one thread, no other process. Each method
 * runs to its end before it returns its promise, which is what makes it atomic. Throws AppError
 * `local-service.start-failed`.
 */
export function openSqliteStore(dataFolder: string): RecordStore {
  const db = openStoreDatabase(dataFolder);
  const path = toDatabasePath(dataFolder);
  const groups = createGroupTable(db);
  const sessions = createSessionTable(db);
  const properties = createPropertyTable(db);
  const counters = createCounterTable(db);
  const writer = createRecordWriter(db, groups, counters);
  const readDetails = createDetailReader(db, { groups, sessions, count: createRecordCounter(db) });
  const readSummary = createSummaryReader(db, groups, sessions);
  const readActivity = createActivityReader(db);

  /** What a function throws becomes a rejection. */
  const run =
    <Args extends unknown[], Result>(work: (...args: Args) => Result) =>
    (...args: Args): Promise<Result> =>
      new Promise((resolve) => {
        try {
          resolve(work(...args));
        } catch (error) {
          // Pages of a damaged file must not stay in memory: the file may be whole at the next attempt.
          if (findErrorCode(error)?.startsWith('SQLITE_CORRUPT') === true) db.pragma('shrink_memory');
          throw error;
        }
      });
  const transact = <Result>(work: () => Result): Result => {
    try {
      return db.transaction(work).immediate();
    } catch (error) {
      groups.reload();
      writer.reset();
      throw error;
    }
  };
  const writeBatch = (batch: TrafficBatch): void => {
    transact(() => {
      writer.write('inbound', batch.inbound);
      writer.write('outbound', batch.outbound);
      properties.setAll(batch.properties ?? {});
    });
  };
  // A slow disk would take most of the time if each of many transactions waited for it.
  const writeBatches = (batches: Iterable<TrafficBatch>): void => {
    db.pragma('synchronous = NORMAL');
    db.pragma(`wal_autocheckpoint = ${BULK_CHECKPOINT_PAGES}`);
    try {
      for (const batch of batches) writeBatch(batch);
    } finally {
      db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      db.pragma('synchronous = FULL');
      db.pragma('wal_checkpoint(TRUNCATE)');
    }
  };
  return {
    readDetailPage: run(readDetails),
    readSummary: run(readSummary),
    readActivity: run(readActivity),
    writeBatch: run(writeBatch),
    writeBatches: run(writeBatches),
    openImport: run((isSame) => {
      const addBatch = createSqliteImport(db, { groups, sessions, counters, writer }, isSame);
      return {
        addBatch: run((records, values = {}) =>
          transact(() => {
            const result = addBatch(records);
            properties.setAll(values);
            return result;
          }),
        ),
        close: () => Promise.resolve(),
      };
    }),
    readProperties: run(properties.readAll),
    writeProperties: run((values) => {
      transact(() => {
        properties.setAll(values);
      });
    }),
    readSize: run(() => ({
      inboundRecords: counters.get('inbound_arrival'),
      outboundRecords: counters.get('outbound_arrival'),
      bytes: sizeOf(path) + sizeOf(`${path}-wal`),
    })),
    readNewestMs: run(createNewestReader(db)),
    shared: null,
    isTransientError: (error) => findErrorCode(error)?.startsWith('SQLITE_') === true,
    close: run(() => {
      if (!db.open) return;
      db.pragma('wal_checkpoint(TRUNCATE)');
      db.close();
    }),
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

const SESSIONS_SQL = `
SELECT g.channel, g.service, count(DISTINCT r.session) AS sessions
FROM inbound_record r JOIN traffic_group g USING (group_id)
WHERE r.date_ms >= ? AND r.date_ms < ?
GROUP BY g.channel, g.service
ORDER BY g.channel, g.service`;

const HEALTH_SQL = `
SELECT count(*) AS records, coalesce(sum(g.response_code = 503), 0) AS unavailable
FROM inbound_record r JOIN traffic_group g USING (group_id)
WHERE r.date_ms >= ? AND r.date_ms < ?`;

const RESPONSE_TIME_SQL = `
SELECT avg(response_time_us) FROM (
  SELECT response_time_us FROM inbound_record ORDER BY date_ms DESC, arrival DESC LIMIT ?
)`;

/** Prepares the reading of what the tenant status is made from. */
function createActivityReader(db: Database): (query: ActivityQuery) => Activity {
  const readSessions = db.prepare<[number, number], Activity['sessions'][number]>(SESSIONS_SQL);
  const readHealth = db.prepare<[number, number], Pick<Activity, 'records' | 'unavailable'>>(HEALTH_SQL);
  const readResponseTime = db.prepare<[number], number | null>(RESPONSE_TIME_SQL).pluck();
  return ({ sessionsFromMs, healthFromMs, toMs, timedRecords }) => ({
    sessions: readSessions.all(sessionsFromMs, toMs),
    ...(readHealth.get(healthFromMs, toMs) ?? { records: 0, unavailable: 0 }),
    averageResponseTimeUs: readResponseTime.get(timedRecords) ?? null,
  });
}

/** Reads the date of the newest inbound record in milliseconds, null while there is none. */
function createNewestReader(db: Database): () => number | null {
  const read = db.prepare<[], number | null>('SELECT max(date_ms) FROM inbound_record').pluck();
  return () => read.get() ?? null;
}

const toPageSql = (direction: Direction): string => `
SELECT ${ROW_COLUMNS[direction]} FROM ${direction}_record r
WHERE (r.date_ms, r.arrival) > (?, ?) AND r.date_ms < ?
ORDER BY r.date_ms, r.arrival
LIMIT ?`;

const toTextSql = (direction: Direction): string =>
  `SELECT ${TEXT_COLUMNS[direction]} FROM ${direction}_import t WHERE t.arrival = ?`;

/** Reads pages by position: as fast at the end of a report as at its beginning. */
function createDetailReader(
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

type PackedRollup = [startMs: number, cells: Uint8Array];
type SingleRecord = [
  groupId: number,
  responseTimeUs: number,
  botLatencyMs: number,
  dateMs: number,
  arrival: number,
  session: number,
];

const ROLLUP_SQL = `
SELECT start_ms, cells FROM rollup
WHERE direction = ? AND tier_ms = ? AND start_ms >= ? AND start_ms < ?`;

const toRecordSql = (direction: Direction, botLatency: string): string => `
SELECT group_id, response_time_us, ${botLatency}, date_ms, arrival, session
FROM ${direction}_record
WHERE date_ms >= ? AND date_ms < ?`;

/** Sums any period up from rollups in the middle and single records at the two edges. */
function createSummaryReader(
  db: Database,
  groups: GroupTable,
  sessions: SessionTable,
): (direction: Direction, period: RecordPeriod) => GroupTotals[] {
  const readRollups = db.prepare<[number, number, number, number], PackedRollup>(ROLLUP_SQL).raw();
  const readRecords = {
    inbound: db.prepare<[number, number], SingleRecord>(toRecordSql('inbound', 'bot_latency_ms')).raw(),
    outbound: db.prepare<[number, number], SingleRecord>(toRecordSql('outbound', '0')).raw(),
  };
  const sums = createGroupSums();

  const addPeriod = (direction: Direction, { fromMs, toMs }: RecordPeriod): void => {
    for (const part of splitPeriod(fromMs, toMs)) {
      if (part.tierMs === 0) {
        for (const record of readRecords[direction].iterate(part.fromMs, part.toMs)) {
          const [groupId, responseTimeUs, botLatencyMs, dateMs, arrival, session] = record;
          addToSums(sums, groupId, 1, responseTimeUs, botLatencyMs, dateMs, arrival, session);
        }
        continue;
      }
      const key = [DIRECTION_NUMBERS[direction], part.tierMs, part.fromMs, part.toMs] as const;
      for (const [startMs, cells] of readRollups.iterate(...key)) addCells(sums, cells, startMs);
    }
  };
  return (direction, period) => {
    clearSums(sums);
    addPeriod(direction, period);
    const totals: GroupTotals[] = [];
    forEachGroup(sums, ({ groupId, records, responseTimeUs, botLatencyMs, newestSession }) => {
      const { channel, service, origin, responseCode } = groups.getGroup(groupId);
      totals.push({
        groupId,
        channel,
        service,
        origin,
        responseCode,
        records,
        responseTimeUs,
        botLatencyMs,
        newestSession: newestSession < 0 ? sessions.getId(newestSession) : newestSession,
      });
    });
    return totals;
  };
}

/** Returns the exact number of records with fromMs <= date < toMs. */
type CountRecords = (direction: Direction, fromMs: number, toMs: number) => number;

/** Counts by whole rollups in the middle of a period and by single records at its edges. */
function createRecordCounter(db: Database): CountRecords {
  const countRollups = db
    .prepare<[number, number, number, number], number>(
      `SELECT coalesce(sum(records), 0) FROM record_count
       WHERE direction = ? AND tier_ms = ? AND start_ms >= ? AND start_ms < ?`,
    )
    .pluck();
  const prepare = (direction: Direction) =>
    db
      .prepare<[number, number], number>(
        `SELECT count(*) FROM ${direction}_record WHERE date_ms >= ? AND date_ms < ?`,
      )
      .pluck();
  const countRecords = { inbound: prepare('inbound'), outbound: prepare('outbound') };
  return (direction, fromMs, toMs) => {
    let total = 0;
    for (const part of splitPeriod(fromMs, toMs)) {
      const count =
        part.tierMs === 0
          ? countRecords[direction].get(part.fromMs, part.toMs)
          : countRollups.get(DIRECTION_NUMBERS[direction], part.tierMs, part.fromMs, part.toMs);
      total += count ?? 0;
    }
    return total;
  };
}
