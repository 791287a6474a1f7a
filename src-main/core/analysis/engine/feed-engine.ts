import type { DuckDBAppender, DuckDBConnection } from '@duckdb/node-api';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { toRecordId } from '../../cache/record-ids.ts';
import { readRows } from './engine-database.ts';
import { followDates, NO_DATES, type DateOrder } from './date-order.ts';
import { CHUNK_ROWS, createFeedChunk } from './feed-chunk.ts';
import type { EngineValue, FeedSnapshot, FeedSource } from './feed-source.ts';

/**
 * Records fed in one transaction: those of a row group, which is compressed once it is full, and again whenever a
 * transaction ends within it.
 */
const BATCH_ROWS = CHUNK_ROWS * 60;
/** Records read at once: each is held with its texts, and other calls wait meanwhile. */
const STEP_ROWS = CHUNK_ROWS * 2;
/** Ids of a snapshot's records begin at its number times this. */

/** What has been fed so far, by snapshot. */
export interface EngineFeed {
  /** Records that this process has fed. */
  readonly fedRecords: number;
  /** Another number than before says that records of before are gone, or were read again. */
  readonly version: number;
  /** Records of a snapshot that queries see. */
  countFed(snapshotId: number): number;
  /** Whether these are all of its records, as they are now. */
  isFed(snapshot: Pick<Snapshot, 'id' | 'recordCount' | 'reading'>): boolean;
  /** Whether the records of a snapshot were received in the order of their dates, each with one. */
  isInOrder(snapshotId: number): boolean;
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

type Watermark = Pick<FeedSnapshot, 'startedAtMs' | 'recordCount' | 'reading'> & DateOrder;

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
  let version = 0;
  const watermarks = new Map<number, Watermark>();
  const rows = await readRows<[number, number, number, number, boolean, number]>(
    connection,
    'SELECT snapshot_id, started_at_ms, record_count, reading, is_in_order, last_date_ms FROM fed_snapshots',
  );
  for (const [snapshotId, startedAtMs, recordCount, reading, isInOrder, lastDateMs] of rows)
    watermarks.set(snapshotId, { startedAtMs, recordCount, reading, isInOrder, lastDateMs });
  const fillers = { inbound: createFeedChunk('inbound'), outbound: createFeedChunk('outbound') };

  const rollBack = async (): Promise<void> => {
    await connection.run('ROLLBACK').catch(() => undefined);
  };
  const commit = async (): Promise<void> => {
    try {
      await connection.run('COMMIT');
    } catch (error) {
      await rollBack();
      throw error;
    }
  };
  const forget = async (snapshotId: number): Promise<void> => {
    const ids = [toRecordId(snapshotId, 0), toRecordId(snapshotId + 1, 0)].map(BigInt);
    version += 1;
    await connection.run('BEGIN');
    try {
      for (const table of ['inbound', 'outbound']) {
        await connection.run(`DELETE FROM ${table} WHERE record_id >= $1 AND record_id < $2`, ids);
      }
      await connection.run('DELETE FROM fed_snapshots WHERE snapshot_id = $1', [snapshotId]);
    } catch (error) {
      await rollBack();
      throw error;
    }
    await commit();
    watermarks.delete(snapshotId);
  };
  /**
   * Begins a transaction with the records [from, until) of a snapshot and its watermark. What is read before the one
   * before has ended is held meanwhile: that one is being written on another processor. Returns the order of dates up to
   * its last record.
   */
  const appendBatch = async (
    snapshot: FeedSnapshot,
    batch: {
      readonly from: number;
      readonly until: number;
      readonly before: Ending;
      readonly order: DateOrder;
    },
  ): Promise<DateOrder> => {
    const { from, until, before } = batch;
    let { order } = batch;
    const { snapshotId, direction, startedAtMs, reading } = snapshot;
    const held: (readonly (readonly EngineValue[])[])[] = [];
    let appender: DuckDBAppender | null = null;
    const appendHeld = async (): Promise<DuckDBAppender> => {
      await before.promise;
      if (appender === null) await connection.run('BEGIN');
      appender ??= await connection.createAppender(direction);
      for (const rows of held.splice(0)) {
        for (let at = 0; at < rows.length; at += CHUNK_ROWS)
          appender.appendDataChunk(fillers[direction](rows.slice(at, at + CHUNK_ROWS)));
        appender.flushSync();
      }
      return appender;
    };
    try {
      for (let start = from; start < until; start += STEP_ROWS) {
        const end = Math.min(start + STEP_ROWS, until);
        const rows = source.read(snapshot, start, end);
        if (rows.length !== end - start) throw new RecordsMissing(snapshotId);
        order = followDates(order, rows);
        held.push(rows);
        // Calls that arrived meanwhile come first.
        await new Promise((resolve) => setImmediate(resolve));
        if (before.isOver) await appendHeld();
      }
      (await appendHeld()).closeSync();
      await connection.run('DELETE FROM fed_snapshots WHERE snapshot_id = $1', [snapshotId]);
      await connection.run('INSERT INTO fed_snapshots VALUES ($1, $2, $3, $4, $5, $6, $7)', [
        snapshotId,
        direction,
        startedAtMs,
        until,
        reading,
        order.isInOrder,
        BigInt(order.lastDateMs),
      ]);
      return order;
    } catch (error) {
      await before.promise;
      // What it has taken must not end up in the next transaction.
      (appender as DuckDBAppender | null)?.clear();
      await rollBack();
      throw error;
    }
  };
  const feedSnapshot = async (snapshot: FeedSnapshot, onFed: (count: number) => void): Promise<void> => {
    const { snapshotId, startedAtMs, reading, recordCount } = snapshot;
    let before = toEnding(Promise.resolve());
    const mark = watermarks.get(snapshotId);
    let from = mark?.recordCount ?? 0;
    let order: DateOrder = mark ?? NO_DATES;
    try {
      while (from < recordCount) {
        const until = Math.min(from + BATCH_ROWS, recordCount);
        const count = until - from;
        order = await appendBatch(snapshot, { from, until, before, order });
        const fed = { ...order, startedAtMs, recordCount: until, reading };
        before = toEnding(
          commit().then(() => {
            watermarks.set(snapshotId, fed);
            onFed(count);
          }),
        );
        from = until;
      }
    } finally {
      await before.promise;
    }
  };

  return {
    get fedRecords() {
      return fedRecords;
    },
    get version() {
      return version;
    },
    countFed: (snapshotId) => watermarks.get(snapshotId)?.recordCount ?? 0,
    isFed({ id, recordCount, reading }) {
      const mark = watermarks.get(id);
      return recordCount === 0 || (mark?.reading === reading && mark.recordCount >= recordCount);
    },
    isInOrder: (snapshotId) => watermarks.get(snapshotId)?.isInOrder === true,
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
        try {
          await feedSnapshot(snapshot, (count) => {
            fed += count;
            fedRecords += count;
            onProgress?.({ fed, total });
          });
        } catch (error) {
          // A page may have been read again meanwhile, and have fewer records; the next run feeds what is there then.
          if (!(error instanceof RecordsMissing) || isStillListed(source, snapshot)) throw error;
        }
      }
    },
  };
}

/** The end of a transaction, which may still be ahead. */
interface Ending {
  readonly promise: Promise<void>;
  readonly isOver: boolean;
}

function toEnding(promise: Promise<void>): Ending {
  const ending = { promise, isOver: false };
  const end = (): void => {
    ending.isOver = true;
  };
  promise.then(end, end);
  return ending;
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
