import { BIGINT, DuckDBDataChunk, type DuckDBAppender, type DuckDBConnection } from '@duckdb/node-api';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { readRows } from './engine-database.ts';
import { ENGINE_COLUMNS, PATTERN_COLUMN, type EngineColumn } from './engine-tables.ts';
import type { EngineValue, FeedSnapshot, FeedSource } from './feed-source.ts';
import { createErrorFolder } from './fold-error.ts';

/** Rows of a chunk of the engine. */
const CHUNK_ROWS = 2048;
/** Records fed in one transaction: short enough to let queries in, long enough that its end costs little. */
const BATCH_ROWS = CHUNK_ROWS * 24;
/** Records read at once: each is held with its texts. */
const STEP_ROWS = CHUNK_ROWS * 2;
/** Ids of a snapshot's records begin at its number times this. */
const RECORD_ID_SPAN = 2n ** 32n;

const findErrorPlace = (direction: keyof typeof ENGINE_COLUMNS): number =>
  ENGINE_COLUMNS[direction].findIndex(({ name }) => name === 'error');
const ERROR_PLACES = { inbound: findErrorPlace('inbound'), outbound: findErrorPlace('outbound') };

/** What has been fed so far, by snapshot. */
export interface EngineFeed {
  /** Records that this process has fed. */
  readonly fedRecords: number;
  /** Records of a snapshot that queries see. */
  countFed(snapshotId: number): number;
  /** Whether these are all of its records, as they are now. */
  isFed(snapshot: Pick<Snapshot, 'id' | 'recordCount' | 'reading'>): boolean;
  /**
   * Brings the engine up to the cache: deletes what is gone, adds what is new. Rows and watermark of a batch are one
   * transaction, so that a process that dies leaves whole batches. Calls `onProgress` after each batch.
   */
  follow(onProgress?: (progress: FeedProgress) => void): Promise<void>;
}

/** Records that the cache holds, and those of them that have been fed. */
export interface FeedProgress {
  readonly fed: number;
  readonly total: number;
}

type Watermark = Pick<FeedSnapshot, 'startedAtMs' | 'recordCount' | 'reading'>;

/**
 * Prepares the feeding over a connection of its own. `onReadAgain` hears of each snapshot whose records are no longer
 * those that queries saw.
 */
export async function createEngineFeed(
  connection: DuckDBConnection,
  source: FeedSource,
  onReadAgain: (snapshotId: number) => void = () => undefined,
): Promise<EngineFeed> {
  let fedRecords = 0;
  const watermarks = new Map<number, Watermark>();
  const rows = await readRows<[number, number, number, number]>(
    connection,
    'SELECT snapshot_id, started_at_ms, record_count, reading FROM fed_snapshots',
  );
  for (const [snapshotId, startedAtMs, recordCount, reading] of rows)
    watermarks.set(snapshotId, { startedAtMs, recordCount, reading });
  const foldError = createErrorFolder();
  const chunks = { inbound: createChunk('inbound'), outbound: createChunk('outbound') };

  const inTransaction = async (work: () => Promise<void>): Promise<void> => {
    await connection.run('BEGIN');
    try {
      await work();
      await connection.run('COMMIT');
    } catch (error) {
      await connection.run('ROLLBACK').catch(() => undefined);
      throw error;
    }
  };
  const forget = (snapshotId: number): Promise<void> =>
    inTransaction(async () => {
      const from = BigInt(snapshotId) * RECORD_ID_SPAN;
      for (const table of ['inbound', 'outbound']) {
        await connection.run(`DELETE FROM ${table} WHERE record_id >= $1 AND record_id < $2`, [
          from,
          from + RECORD_ID_SPAN,
        ]);
      }
      await connection.run('DELETE FROM fed_snapshots WHERE snapshot_id = $1', [snapshotId]);
      watermarks.delete(snapshotId);
    });
  const feedBatch = async (snapshot: FeedSnapshot, from: number, until: number): Promise<void> => {
    const { snapshotId, direction, startedAtMs, reading } = snapshot;
    const append = (appender: DuckDBAppender, rows: readonly (readonly EngineValue[])[]): void => {
      // One chunk is used again and again: each new one keeps native memory until it is collected.
      const chunk = chunks[direction];
      chunk.reset();
      chunk.rowCount = rows.length;
      const columns = toColumns(rows, ENGINE_COLUMNS[direction]);
      const errors = columns[ERROR_PLACES[direction]] ?? [];
      chunk.setColumns([...columns, errors.map((error) => foldError(String(error ?? '')))]);
      appender.appendDataChunk(chunk);
    };
    await inTransaction(async () => {
      const appender = await connection.createAppender(direction);
      for (let start = from; start < until; start += STEP_ROWS) {
        const end = Math.min(start + STEP_ROWS, until);
        const values = source.read(snapshot, start, end);
        if (values.length !== end - start) throw new RecordsMissing(snapshotId);
        for (let at = 0; at < values.length; at += CHUNK_ROWS)
          append(appender, values.slice(at, at + CHUNK_ROWS));
      }
      appender.closeSync();
      await connection.run('DELETE FROM fed_snapshots WHERE snapshot_id = $1', [snapshotId]);
      await connection.run('INSERT INTO fed_snapshots VALUES ($1, $2, $3, $4, $5)', [
        snapshotId,
        direction,
        startedAtMs,
        until,
        reading,
      ]);
    });
    watermarks.set(snapshotId, { startedAtMs, recordCount: until, reading });
  };

  return {
    get fedRecords() {
      return fedRecords;
    },
    countFed: (snapshotId) => watermarks.get(snapshotId)?.recordCount ?? 0,
    isFed({ id, recordCount, reading }) {
      const mark = watermarks.get(id);
      return recordCount === 0 || (mark?.reading === reading && mark.recordCount >= recordCount);
    },
    async follow(onProgress) {
      const snapshots = source.list();
      const known = new Map(snapshots.map((snapshot) => [snapshot.snapshotId, snapshot]));
      for (const [snapshotId, mark] of [...watermarks]) {
        const snapshot = known.get(snapshotId);
        const isSame = snapshot?.startedAtMs === mark.startedAtMs && snapshot.recordCount >= mark.recordCount;
        const isReadAgain = snapshot !== undefined && snapshot.reading !== mark.reading;
        if (!isSame || isReadAgain) await forget(snapshotId);
        if (isReadAgain) onReadAgain(snapshotId);
      }
      const total = snapshots.reduce((sum, { recordCount }) => sum + recordCount, 0);
      let fed = snapshots.reduce(
        (sum, { snapshotId }) => sum + (watermarks.get(snapshotId)?.recordCount ?? 0),
        0,
      );
      for (const snapshot of snapshots) {
        let from = watermarks.get(snapshot.snapshotId)?.recordCount ?? 0;
        while (from < snapshot.recordCount) {
          const until = Math.min(from + BATCH_ROWS, snapshot.recordCount);
          try {
            await feedBatch(snapshot, from, until);
          } catch (error) {
            // A page may have been read again meanwhile, and have fewer records; the next run feeds what is there then.
            if (error instanceof RecordsMissing && !isStillListed(source, snapshot)) break;
            throw error;
          }
          fed += until - from;
          fedRecords += until - from;
          from = until;
          onProgress?.({ fed, total });
          // Calls that arrived meanwhile come first.
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
    },
  };
}

/** The cache holds fewer records of a snapshot than it counts. */
class RecordsMissing extends Error {
  constructor(snapshotId: number) {
    super(`Records of snapshot ${snapshotId} are missing in the cache.`);
  }
}

function isStillListed(source: FeedSource, { snapshotId, reading }: FeedSnapshot): boolean {
  return source.list().some((now) => now.snapshotId === snapshotId && now.reading === reading);
}

function createChunk(direction: keyof typeof ENGINE_COLUMNS): DuckDBDataChunk {
  return DuckDBDataChunk.create(
    [...ENGINE_COLUMNS[direction], PATTERN_COLUMN].map(({ type }) => type),
    CHUNK_ROWS,
  );
}

/** Values column by column, whole numbers in the form that the engine takes. */
function toColumns(
  rows: readonly (readonly EngineValue[])[],
  columns: readonly EngineColumn[],
): (EngineValue | bigint)[][] {
  return columns.map(({ type }, at) =>
    type === BIGINT
      ? rows.map((row) => (typeof row[at] === 'number' ? BigInt(row[at]) : null))
      : rows.map((row) => row[at] ?? null),
  );
}
