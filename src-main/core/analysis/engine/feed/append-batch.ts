import {
  BIGINT,
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  DOUBLE,
  ENUM,
  VARCHAR,
} from '@duckdb/node-api';
import duckdb, { type Vector } from '@duckdb/node-bindings';
import { toRecordId } from '../../../../common/model/records/record.ts';
import { type DecideOutcome, type JudgedRecord, OUTCOMES } from '../../../../common/reporting/outcome.ts';
import type { Direction } from '../../../../common/reporting/reports.ts';
import { commit, type Ending, readRows, rollBack } from '../engine-database.ts';
import {
  ENGINE_COLUMNS,
  type EngineColumn,
  OUTCOME_COLUMN,
  PATH_COLUMNS,
  PATTERN_COLUMN,
} from '../engine-tables.ts';
import type { OutcomeStore } from '../outcomes.ts';
import type { EngineValue, FeedSnapshot, FeedSource } from './feed-source.ts';
import type { FamilyStore } from './keep-families.ts';

/** The most rows of a chunk of the engine. */
export const CHUNK_ROWS = 2048;

/** Records read at once: each is held with its texts, and other calls wait meanwhile. */
const STEP_ROWS = CHUNK_ROWS * 2;

/** Records of a snapshot that are fed in one transaction. */
interface Batch {
  readonly from: number;
  readonly until: number;
  /** The transaction before it on the same connection. */
  readonly before: Ending;
  /** The order of dates up to `from`. */
  readonly order: DateOrder;
}

/**
 * Begins a transaction with a batch and the snapshot's watermark after it, which it returns; whoever called ends it. What
 * is read before the transaction before has ended is held meanwhile: that one is being written on another processor.
 */
export type AppendBatch = (snapshot: FeedSnapshot, batch: Batch) => Promise<Watermark>;

/** What records get beyond what they have, and what is called where ones that were fed before get another family. */
export interface FeedStores {
  readonly families: FamilyStore;
  readonly outcomes: OutcomeStore;
  onChanged(): Promise<void>;
  /** Fills columns of the records [fromId, untilId) that take the engine itself. */
  fillPaths(direction: Direction, fromId: number, untilId: number): Promise<void>;
}

/** The cache holds fewer records of a snapshot than it counts. */
export class RecordsMissing extends Error {
  constructor(snapshotId: number) {
    super(`Records of snapshot ${snapshotId} are missing in the cache.`);
  }
}

/** Appends batches over a connection; its calls throw RecordsMissing, and leave no transaction where they throw. */
export function createBatchAppender(
  connection: DuckDBConnection,
  source: FeedSource,
  { families, outcomes, onChanged, fillPaths }: FeedStores,
): AppendBatch {
  const fillers = { inbound: createFeedChunk('inbound'), outbound: createFeedChunk('outbound') };

  return async (snapshot, { from, until, before, order: orderBefore }) => {
    const { snapshotId, direction, startedAtMs, reading } = snapshot;
    const own = await families.open(snapshot);
    const ownOutcomes = outcomes.open(snapshot);
    const fill: FillRows = (rows) => fillers[direction](rows, own.find, ownOutcomes.decide);
    const starts = new Set(source.listRunStarts(snapshotId));
    const rowsAhead = holdRows(connection, direction, fill);
    let order = orderBefore;
    try {
      for (let start = from; start < until; start += STEP_ROWS) {
        const end = Math.min(start + STEP_ROWS, until);
        const rows = source.read(snapshot, start, end);
        if (rows.length !== end - start) throw new RecordsMissing(snapshotId);
        order = followDates(order, rows, { from: start, starts });
        rowsAhead.add(rows);
        // Calls that arrived meanwhile come first.
        await new Promise((resolve) => setImmediate(resolve));
        if (before.isOver) {
          await before.promise;
          await rowsAhead.append();
        }
      }
      await before.promise;
      await rowsAhead.finish();
      const isMoved = await own.keep();
      if (isMoved) await onChanged();
      await ownOutcomes.finish(toRecordId(snapshotId, from), toRecordId(snapshotId, until), isMoved);
      await fillPaths(direction, toRecordId(snapshotId, from), toRecordId(snapshotId, until));
      const watermark = { ...order, startedAtMs, recordCount: until, reading };
      await writeWatermark(connection, snapshot, watermark);
      return watermark;
    } catch (error) {
      await before.promise;
      rowsAhead.discard();
      await rollBack(connection);
      throw error;
    }
  };
}

/** Rows that are read ahead of the transaction that takes them. */
interface HeldRows {
  add(rows: readonly (readonly EngineValue[])[]): void;
  /** Begins the transaction, if it hasn't begun, and hands it the rows that are held. */
  append(): Promise<void>;
  /** Appends what is left; nothing can be added any more. */
  finish(): Promise<void>;
  /** Forgets what was handed over: it must not end up in the next transaction. */
  discard(): void;
}

type FillRows = (rows: readonly (readonly EngineValue[])[]) => DuckDBDataChunk;

function holdRows(connection: DuckDBConnection, table: string, fill: FillRows): HeldRows {
  const held: (readonly (readonly EngineValue[])[])[] = [];
  let appender: DuckDBAppender | null = null;

  const begin = async (): Promise<DuckDBAppender> => {
    await connection.run('BEGIN');
    return connection.createAppender(table);
  };
  const appendHeld = async (): Promise<DuckDBAppender> => {
    appender ??= await begin();
    for (const rows of held.splice(0)) {
      for (let at = 0; at < rows.length; at += CHUNK_ROWS)
        appender.appendDataChunk(fill(rows.slice(at, at + CHUNK_ROWS)));
      appender.flushSync();
    }
    return appender;
  };
  return {
    add: (rows) => void held.push(rows),
    append: async () => {
      await appendHeld();
    },
    finish: async () => (await appendHeld()).closeSync(),
    discard: () => appender?.clear(),
  };
}

type Rows = readonly (readonly EngineValue[])[];

/**
 * Returns a chunk that holds some rows, at most 2048, until it is asked for the next ones. `findFamily` returns the family
 * of an error. What can't be decided without a body stays `unknown` until `decideByBodies`.
 */
type FillChunk = (
  rows: Rows,
  findFamily: (error: string) => string,
  decide: DecideOutcome,
) => DuckDBDataChunk;

const TYPES: Readonly<Record<EngineColumn['type'], DuckDBType>> = {
  BIGINT,
  DOUBLE,
  VARCHAR,
  outcome: ENUM([...OUTCOMES]),
};

/** Creates a FillChunk for a direction's table. One chunk is used again and again: each new one keeps native memory. */
function createFeedChunk(direction: Direction): FillChunk {
  const columns = ENGINE_COLUMNS[direction];
  const errorAt = columns.findIndex(({ name }) => name === 'error');
  const toJudged = createRowReader(columns.map(({ name }) => name));
  const chunk = DuckDBDataChunk.create(
    [...columns, PATTERN_COLUMN, OUTCOME_COLUMN, ...PATH_COLUMNS].map(({ type }) => TYPES[type]),
  );
  return (rows, findFamily, decide) => {
    chunk.reset();
    chunk.rowCount = rows.length;
    for (const [at, { type }] of columns.entries()) write(chunk, at, type, readColumn(rows, at, type));
    const patterns = rows.map((row) => findFamily(String(row[errorAt] ?? '')));
    write(chunk, columns.length, PATTERN_COLUMN.type, patterns);
    for (const [place, row] of rows.entries())
      outcomes[place] = OUTCOMES.indexOf(decide(toJudged(row, patterns[place])) ?? 'unknown');
    const vector = duckdb.data_chunk_get_vector(chunk.chunk, columns.length + 1);
    duckdb.copy_data_to_vector(vector, 0, outcomes.buffer, 0, rows.length);
    // They are filled by the engine itself, once the rows are there.
    for (const at of PATH_COLUMNS.keys())
      writeNone(duckdb.data_chunk_get_vector(chunk.chunk, columns.length + 2 + at));
    return chunk;
  };
}

/** Reads what rules look at from a row, whose values are in the order of some columns. */
function createRowReader(
  names: readonly string[],
): (row: readonly EngineValue[], family: string | undefined) => JudgedRecord {
  const [code, error, channel, service, origin, action] = [
    'response_code',
    'error',
    'channel',
    'service',
    'origin',
    'action_id',
  ].map((name) => names.indexOf(name)) as [number, number, number, number, number, number];
  const toNumber = (value: EngineValue | undefined): number | null =>
    typeof value === 'number' ? value : null;
  const toText = (value: EngineValue | undefined): string | null =>
    value === null || value === undefined ? null : String(value);
  return (row, family = '') => ({
    responseCode: toNumber(row[code]),
    error: toText(row[error]),
    channel: toNumber(row[channel]),
    service: toNumber(row[service]),
    origin: toText(row[origin]),
    actionId: toText(row[action]),
    family,
  });
}

function readColumn(rows: Rows, at: number, type: EngineColumn['type']): EngineValue[] {
  if (type === 'VARCHAR') return rows.map((row) => row[at] ?? null);
  return rows.map((row) => {
    const value = row[at];
    return typeof value === 'number' ? value : null;
  });
}

const HALF = 2 ** 32;
const TEXT_BYTES = 16;

// A column is put together here: not everywhere may JavaScript write to the engine's own memory. The package's vectors do
// the same in several times the time, with four bigints for each null.
const words = new Int32Array(CHUNK_ROWS * 2);
const numbers = new Float64Array(CHUNK_ROWS);
const isValid = new Uint8Array(CHUNK_ROWS / 8);
/** Places in OUTCOMES: an enumeration of so few values is a byte each. */
const outcomes = new Uint8Array(CHUNK_ROWS);
/** A text of no characters is sixteen bytes of zero. */
const noTexts = new ArrayBuffer(CHUNK_ROWS * TEXT_BYTES);

function write(
  { chunk }: DuckDBDataChunk,
  at: number,
  type: EngineColumn['type'],
  values: readonly EngineValue[],
): void {
  const vector = duckdb.data_chunk_get_vector(chunk, at);
  if (type === 'VARCHAR') writeTexts(vector, values);
  else if (type === 'BIGINT') writeWholeNumbers(vector, values);
  else writeNumbers(vector, values);
  if (values.includes(null)) writeNulls(vector, values);
}

function writeTexts(vector: Vector, values: readonly EngineValue[]): void {
  duckdb.copy_data_to_vector(vector, 0, noTexts, 0, values.length * TEXT_BYTES);
  for (let place = 0; place < values.length; place += 1) {
    const value = values[place] ?? '';
    if (value !== '') duckdb.vector_assign_string_element(vector, place, String(value));
  }
}

/** Whole numbers are written as the two words that they consist of: a bigint for each takes several times as long. */
function writeWholeNumbers(vector: Vector, values: readonly EngineValue[]): void {
  for (let place = 0; place < values.length; place += 1) {
    const value = Number(values[place] ?? 0);
    const high = Math.floor(value / HALF);
    words[place * 2] = value - high * HALF;
    words[place * 2 + 1] = high;
  }
  duckdb.copy_data_to_vector(vector, 0, words.buffer, 0, values.length * 8);
}

function writeNumbers(vector: Vector, values: readonly EngineValue[]): void {
  for (let place = 0; place < values.length; place += 1) numbers[place] = Number(values[place] ?? 0);
  duckdb.copy_data_to_vector(vector, 0, numbers.buffer, 0, values.length * 8);
}

const noneValid = new Uint8Array(CHUNK_ROWS / 8);

function writeNone(vector: Vector): void {
  duckdb.copy_data_to_vector(vector, 0, noTexts, 0, noTexts.byteLength);
  duckdb.vector_ensure_validity_writable(vector);
  duckdb.copy_data_to_vector_validity(vector, 0, noneValid.buffer, 0, noneValid.byteLength);
}

function writeNulls(vector: Vector, values: readonly EngineValue[]): void {
  isValid.fill(0xff);
  for (let place = 0; place < values.length; place += 1) {
    if (values[place] === null) isValid[place >> 3] = (isValid[place >> 3] ?? 0) & ~(1 << (place & 7));
  }
  duckdb.vector_ensure_validity_writable(vector);
  duckdb.copy_data_to_vector_validity(vector, 0, isValid.buffer, 0, isValid.byteLength);
}

/** How far a snapshot has been fed, and the order of dates up to there. */
export type Watermark = Pick<FeedSnapshot, 'startedAtMs' | 'recordCount' | 'reading'> & DateOrder;

/** Reads how far each snapshot has been fed, by its number. */
export async function loadWatermarks(connection: DuckDBConnection): Promise<Map<number, Watermark>> {
  const rows = await readRows<[number, number, number, number, boolean, number, number, number]>(
    connection,
    `SELECT snapshot_id, started_at_ms, record_count, reading, is_in_order, last_date_ms, first_date_ms, until_ms
     FROM fed_snapshots`,
  );
  return new Map(
    rows.map(
      ([snapshotId, startedAtMs, recordCount, reading, isInOrder, lastDateMs, firstDateMs, untilMs]) => [
        snapshotId,
        { startedAtMs, recordCount, reading, isInOrder, lastDateMs, firstDateMs, untilMs },
      ],
    ),
  );
}

/** Replaces a snapshot's watermark, within the transaction of the records that it counts. */
async function writeWatermark(
  connection: DuckDBConnection,
  { snapshotId, direction }: Pick<FeedSnapshot, 'snapshotId' | 'direction'>,
  { startedAtMs, recordCount, reading, isInOrder, lastDateMs, firstDateMs, untilMs }: Watermark,
): Promise<void> {
  await connection.run('DELETE FROM fed_snapshots WHERE snapshot_id = $1', [snapshotId]);
  await connection.run('INSERT INTO fed_snapshots VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)', [
    snapshotId,
    direction,
    startedAtMs,
    recordCount,
    reading,
    isInOrder,
    BigInt(lastDateMs),
    BigInt(firstDateMs),
    BigInt(untilMs),
  ]);
}

/** Deletes the records of a snapshot and its watermark, in a transaction of their own. */
export async function deleteFed(connection: DuckDBConnection, snapshotId: number): Promise<void> {
  const ids = [toRecordId(snapshotId, 0), toRecordId(snapshotId + 1, 0)].map(BigInt);
  await connection.run('BEGIN');
  try {
    for (const table of ['inbound', 'outbound']) {
      await connection.run(`DELETE FROM ${table} WHERE record_id >= $1 AND record_id < $2`, ids);
    }
    await connection.run('DELETE FROM fed_snapshots WHERE snapshot_id = $1', [snapshotId]);
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
  await commit(connection);
}

/** Whether records came in the order of their dates so far: those of each run, and each run before those that came first. */
export interface DateOrder {
  readonly isInOrder: boolean;
  /** The newest date of the run; this and what follows mean nothing once they are not in order. */
  readonly lastDateMs: number;
  /** The oldest date of the run, and of those that came before it. */
  readonly firstDateMs: number;
  readonly untilMs: number;
}

/** Before the first record. */
export const NO_DATES: DateOrder = {
  isInOrder: true,
  lastDateMs: Number.MIN_SAFE_INTEGER,
  firstDateMs: Number.MAX_SAFE_INTEGER,
  untilMs: Number.MAX_SAFE_INTEGER,
};
const DATE_AT = ENGINE_COLUMNS.inbound.findIndex(({ name }) => name === 'date_ms');

/**
 * Returns the order of dates after some more records, in the columns that the engine is fed with. The first of them has the
 * place `from` in its snapshot, whose runs begin at `starts`.
 */
function followDates(
  before: DateOrder,
  rows: readonly (readonly EngineValue[])[],
  { from, starts }: { readonly from: number; readonly starts: ReadonlySet<number> },
): DateOrder {
  if (!before.isInOrder) return before;
  let { lastDateMs, firstDateMs, untilMs } = before;
  for (const [place, row] of rows.entries()) {
    if (starts.has(from + place)) {
      untilMs = Math.min(untilMs, firstDateMs);
      lastDateMs = NO_DATES.lastDateMs;
    }
    const dateMs = row[DATE_AT];
    if (typeof dateMs !== 'number' || dateMs < lastDateMs || dateMs > untilMs) {
      return { ...before, isInOrder: false };
    }
    if (lastDateMs === NO_DATES.lastDateMs) firstDateMs = dateMs;
    lastDateMs = dateMs;
  }
  return { isInOrder: true, lastDateMs, firstDateMs, untilMs };
}
