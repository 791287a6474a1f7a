import type { Direction } from '../../common/reporting/reports.ts';
import {
  addCells,
  addToSums,
  clearSums,
  createGroupSums,
  createRollupSummer,
  MAX_FRESH_GROUPS,
  orderByDate,
  packCells,
} from '../store/group-sums.ts';
import type { TrafficBatch } from '../store/record-store.ts';
import type { PostgresPool, Queryable } from './connect.ts';
import { type CounterName, type DayPartitions, DIRECTION_NUMBERS } from './schema.ts';
import type { GroupCache, GroupDraft } from './group-cache.ts';

/** 2, 4 or 8 bytes wide whole numbers, or text. */
type BinaryColumn = 'smallint' | 'integer' | 'bigint' | 'text';

const HEADER = Buffer.from('5047434f50590aff0d0a000000000000000000', 'hex');
const FIRST_BYTES = 65_536;
const NUMBER_BYTES = { smallint: 2, integer: 4, bigint: 8 } as const;

/** Rows of a table in the binary form of COPY, written value by value into one buffer. */
interface BinaryRows {
  /** Throws RangeError for a number that its column can't hold. */
  add(values: readonly (number | string | null)[]): void;
  /** All rows with header and end. */
  finish(): Buffer;
}

/** A record of either direction; an imported one has a session below 0, a hash and texts. */
type NewRecord = Omit<TrafficBatch[Direction][number], 'responseCode' | 'actionId'> & {
  readonly responseCode: number | null;
  readonly botLatencyMs?: number;
  readonly actionId?: number;
  readonly imported?: {
    readonly contentHash: number;
    readonly characters: number;
    readonly textsJson: string;
  };
};

/**
 * What a transaction writes for a tenant. It holds the tenant's counters: writers take turns, at this process
 * and at others, so a record that is committed later has a higher arrival.
 */
export interface RecordWriting {
  readonly connection: Queryable;
  /** Groups and origins together. */
  readonly groupCount: number;
  write(direction: Direction, records: readonly NewRecord[]): Promise<void>;
  setProperties(properties: Readonly<Record<string, string>>): Promise<void>;
  /** The next number of a counter of its own. */
  next(counter: CounterName): number;
}

type Row = readonly (number | string | null)[];

const LOCK_SQL = 'SELECT name, value FROM counter WHERE tenant = $1 ORDER BY name FOR UPDATE';
const COUNT_SQL = `
UPDATE counter SET value = given.value
FROM unnest($2::text[], $3::bigint[]) AS given (name, value)
WHERE counter.tenant = $1 AND counter.name = given.name`;
const PROPERTIES_SQL = `
INSERT INTO property SELECT $1, name, value FROM unnest($2::text[], $3::text[]) AS given (name, value)
ON CONFLICT (tenant, name) DO UPDATE SET value = excluded.value`;

const toColumns = (own: Readonly<Record<string, BinaryColumn>>): Readonly<Record<string, BinaryColumn>> => ({
  tenant: 'bigint',
  date_ms: 'bigint',
  arrival: 'bigint',
  session: 'integer',
  group_id: 'integer',
  response_time_us: 'bigint',
  ...own,
  content_hash: 'bigint',
  characters: 'integer',
  texts_json: 'text',
});
const COLUMNS = {
  inbound: toColumns({ bot_latency_ms: 'integer' }),
  outbound: toColumns({ action_id: 'integer', origin_id: 'integer' }),
};

const toInsertSql = (direction: Direction): string => {
  const columns = Object.entries(COLUMNS[direction]);
  const lists = columns.map(([, type], place) => `$${place + 1}::${type}[]`).join(', ');
  return `INSERT INTO ${direction}_record (${toNames(direction)}) SELECT * FROM unnest(${lists})`;
};
const toNames = (direction: Direction): string => Object.keys(COLUMNS[direction]).join(', ');

/** Writes for one tenant. */
export interface RecordWriter {
  /** `dates` are those of the records that may be written: making their partitions would wait for the transaction. */
  transact<Result>(dates: RecordDates, work: (writing: RecordWriting) => Promise<Result>): Promise<Result>;
}

/** Dates of records in milliseconds, by direction. */
type RecordDates = Readonly<Record<Direction, Iterable<number>>>;

export const NO_DATES: RecordDates = { inbound: [], outbound: [] };

interface WriterParts {
  readonly groups: GroupCache;
  readonly partitions: DayPartitions;
  /** False for a role under row-level security, which can't use COPY: its rows are inserted. */
  readonly canCopy: boolean;
}

/** Creates the writer of a tenant. */
export function createRecordWriter(
  pool: PostgresPool,
  tenant: number,
  { groups, partitions, canCopy }: WriterParts,
): RecordWriter {
  const addRows = async (connection: Queryable, direction: Direction, rows: readonly Row[]) => {
    const columns = Object.values(COLUMNS[direction]);
    if (!canCopy) {
      const lists = columns.map((_column, place) => rows.map((row) => row[place] ?? null));
      await connection.query(toInsertSql(direction), lists);
      return;
    }
    const binary = createBinaryRows(columns);
    for (const row of rows) binary.add(row);
    await connection.copy(`${direction}_record (${toNames(direction)})`, binary.finish());
  };

  const begin = async (connection: Queryable) => {
    const counters = new Map(await connection.query<[string, number]>(LOCK_SQL, [tenant]));
    const get = (name: CounterName): number => counters.get(name) ?? 0;
    const draft = await groups.begin(connection, {
      group: get('traffic_group'),
      origin: get('origin'),
      removal: get('removal'),
    });
    const writing: RecordWriting = {
      connection,
      get groupCount() {
        return draft.size;
      },
      write: async (direction, records) => {
        const counter = `${direction}_arrival` as const;
        const before = get(counter);
        if (records.length === 0) return;
        const groupIds = records.map((record) => resolveGroup(draft, direction, record));
        const firstArrival = before + 1;
        const rows = records.map((record, place) => {
          const numbers = { arrival: firstArrival + place, groupId: groupIds[place] ?? 0 };
          return toRow({ tenant, direction, draft }, record, numbers);
        });
        await addRows(connection, direction, rows);
        await writeRollups(connection, tenant, direction, { records, groupIds, firstArrival });
        counters.set(counter, before + records.length);
      },
      setProperties: async (properties) => {
        const entries = Object.entries(properties);
        // Nothing of a tenant that was removed meanwhile may come back.
        if (entries.length === 0 || counters.size === 0) return;
        await connection.query(PROPERTIES_SQL, [
          tenant,
          entries.map(([name]) => name),
          entries.map(([, value]) => value),
        ]);
      },
      next: (counter) => {
        const value = get(counter) + 1;
        counters.set(counter, value);
        return value;
      },
    };
    const end = async (): Promise<void> => {
      await draft.store(connection);
      const { group, origin } = draft.last;
      counters.set('traffic_group', group).set('origin', origin);
      await connection.query(COUNT_SQL, [tenant, [...counters.keys()], [...counters.values()]]);
    };
    return { writing, end, keep: draft.keep };
  };
  return {
    transact: async (dates, work) => {
      await partitions.ensure('inbound', dates.inbound);
      await partitions.ensure('outbound', dates.outbound);
      const [result, keep] = await pool.transact(async (connection) => {
        const begun = await begin(connection);
        const done = await work(begun.writing);
        await begun.end();
        return [done, begun.keep] as const;
      });
      keep();
      return result;
    },
  };
}

function resolveGroup(draft: GroupDraft, direction: Direction, record: NewRecord): number {
  const { channel, service, origin, responseCode } = record;
  return draft.resolveGroup(direction, {
    channel,
    service,
    responseCode,
    origin: direction === 'inbound' ? origin : '',
  });
}

function toRow(
  {
    tenant,
    direction,
    draft,
  }: { readonly tenant: number; readonly direction: Direction; readonly draft: GroupDraft },
  record: NewRecord,
  { arrival, groupId }: { readonly arrival: number; readonly groupId: number },
): Row {
  const { dateMs, session, responseTimeUs, imported } = record;
  const own =
    direction === 'inbound'
      ? [record.botLatencyMs ?? 0]
      : [record.actionId ?? 0, draft.resolveOrigin(record.origin)];
  const texts = [imported?.contentHash ?? null, imported?.characters ?? null, imported?.textsJson ?? null];
  return [tenant, dateMs, arrival, session, groupId, responseTimeUs, ...own, ...texts];
}

/** Creates an empty buffer for rows with these columns. */
function createBinaryRows(columns: readonly BinaryColumn[]): BinaryRows {
  let buffer = Buffer.allocUnsafe(FIRST_BYTES);
  let length = HEADER.copy(buffer);
  const reserve = (bytes: number): void => {
    if (length + bytes <= buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(2 * buffer.length, length + bytes));
    buffer.copy(grown, 0, 0, length);
    buffer = grown;
  };
  const addNumber = (column: keyof typeof NUMBER_BYTES, value: number): void => {
    length = buffer.writeInt32BE(NUMBER_BYTES[column], length);
    if (column === 'smallint') length = buffer.writeInt16BE(value, length);
    else if (column === 'integer') length = buffer.writeInt32BE(toWhole(value), length);
    else length = writeBigint(buffer, toWhole(value), length);
  };
  return {
    add: (values) => {
      reserve(2 + 12 * values.length);
      length = buffer.writeInt16BE(columns.length, length);
      for (const [place, column] of columns.entries()) {
        const value = values[place] ?? null;
        if (value === null) length = buffer.writeInt32BE(-1, length);
        else if (typeof value === 'number') addNumber(column === 'text' ? 'bigint' : column, value);
        else {
          const bytes = Buffer.byteLength(value);
          reserve(4 + bytes + 12 * values.length);
          length = buffer.writeInt32BE(bytes, length);
          length += buffer.write(value, length);
        }
      }
    },
    finish: () => {
      reserve(2);
      length = buffer.writeInt16BE(-1, length);
      return buffer.subarray(0, length);
    },
  };
}

function toWhole(value: number): number {
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`${value} is not a whole number`);
}

/** Several times as fast as by way of BigInt. */
function writeBigint(buffer: Buffer, value: number, at: number): number {
  const high = Math.floor(value / 2 ** 32);
  buffer.writeInt32BE(high, at);
  return buffer.writeUInt32BE(value - high * 2 ** 32, at + 4);
}

/** Records as rollups see them. */
interface SummedRecords {
  readonly records: readonly {
    readonly dateMs: number;
    readonly session: number;
    readonly responseTimeUs: number;
    readonly botLatencyMs?: number;
  }[];
  /** Of each record. */
  readonly groupIds: readonly number[];
  /** Arrivals follow without a gap. */
  readonly firstArrival: number;
}

/** What a batch adds to one rollup. */
interface Change {
  readonly tierMs: number;
  readonly startMs: number;
  readonly records: number;
  readonly cells: Uint8Array;
}

type StoredRow = readonly [tierMs: number, startMs: number, fresh: number, cells: Uint8Array];

/** A rollup has a bulk and what is fresh: with the limit, each is looked up, and the table never read as a whole. */
const READ_SQL = `
SELECT r.tier_ms, r.start_ms, r.fresh, r.cells
FROM unnest($3::bigint[], $4::bigint[]) AS changed (tier_ms, start_ms)
JOIN LATERAL (
  SELECT * FROM rollup
  WHERE tenant = $1 AND direction = $2 AND tier_ms = changed.tier_ms AND start_ms = changed.start_ms
  LIMIT 2
) r ON true`;
const WRITE_SQL = `
INSERT INTO rollup
SELECT $1, $2, tier_ms, start_ms, fresh, cells
FROM unnest($3::bigint[], $4::bigint[], $5::smallint[], $6::bytea[]) AS row (tier_ms, start_ms, fresh, cells)
ON CONFLICT (tenant, direction, tier_ms, start_ms, fresh) DO UPDATE SET cells = excluded.cells`;
const REMOVE_SQL = `
DELETE FROM rollup r USING unnest($3::bigint[], $4::bigint[]) AS merged (tier_ms, start_ms)
WHERE r.tenant = $1 AND r.direction = $2 AND r.tier_ms = merged.tier_ms AND r.start_ms = merged.start_ms AND r.fresh = 1`;
const COUNT_CELLS_SQL = `
INSERT INTO record_count AS known
SELECT $1, $2, tier_ms, start_ms, records
FROM unnest($3::bigint[], $4::bigint[], $5::bigint[]) AS row (tier_ms, start_ms, records)
ON CONFLICT (tenant, direction, tier_ms, start_ms) DO UPDATE SET records = known.records + excluded.records`;

/**
 * Adds records to the rollups and counts of every size, inside the transaction that writes them and that holds the
 * tenant's counters, so nobody else changes them meanwhile. A rollup's few newest changes lie apart from its bulk as
 * "fresh" until they are worth rewriting it for.
 */
async function writeRollups(
  connection: Queryable,
  tenant: number,
  direction: Direction,
  summed: SummedRecords,
): Promise<void> {
  const changes = sumChanges(summed);
  const scope = [tenant, DIRECTION_NUMBERS[direction]];
  const tiers = changes.map(({ tierMs }) => tierMs);
  const starts = changes.map(({ startMs }) => startMs);
  const stored = Map.groupBy(
    await connection.query<StoredRow>(READ_SQL, [...scope, tiers, starts]),
    ([tierMs, startMs]) => `${tierMs} ${startMs}`,
  );
  const sums = createGroupSums();
  const written: { change: Change; fresh: number; cells: Uint8Array }[] = [];
  const merged: Change[] = [];
  for (const change of changes) {
    const { tierMs, startMs } = change;
    const rows = stored.get(`${tierMs} ${startMs}`) ?? [];
    const add = (isFresh: number): void => {
      for (const [, , fresh, cells] of rows) if (fresh === isFresh) addCells(sums, cells, startMs);
    };
    clearSums(sums);
    addCells(sums, change.cells, startMs);
    add(1);
    const isBulk = sums.groupIds.length > MAX_FRESH_GROUPS;
    if (isBulk) {
      add(0);
      if (rows.some(([, , fresh]) => fresh === 1)) merged.push(change);
    }
    written.push({ change, fresh: isBulk ? 0 : 1, cells: packCells(sums, startMs) });
  }
  await connection.query(WRITE_SQL, [
    ...scope,
    tiers,
    starts,
    written.map(({ fresh }) => fresh),
    written.map(({ cells }) => Buffer.from(cells.buffer, cells.byteOffset, cells.length)),
  ]);
  if (merged.length > 0) {
    await connection.query(REMOVE_SQL, [
      ...scope,
      merged.map(({ tierMs }) => tierMs),
      merged.map(({ startMs }) => startMs),
    ]);
  }
  await connection.query(COUNT_CELLS_SQL, [...scope, tiers, starts, changes.map((change) => change.records)]);
}

function sumChanges({ records, groupIds, firstArrival }: SummedRecords): Change[] {
  const changes: Change[] = [];
  const summer = createRollupSummer(({ tierMs, startMs, sums }) => {
    changes.push({ tierMs, startMs, records: sums.recordCount, cells: packCells(sums, startMs) });
  });
  for (const place of orderByDate(records)) {
    const record = records[place];
    if (record === undefined) continue;
    const { dateMs, session, responseTimeUs, botLatencyMs = 0 } = record;
    const sums = summer.openAt(dateMs);
    const groupId = groupIds[place] ?? 0;
    addToSums(sums, groupId, 1, responseTimeUs, botLatencyMs, dateMs, firstArrival + place, session);
  }
  summer.finish();
  return changes;
}
