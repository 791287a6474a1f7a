import type { DuckDBAppender, DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import { toRecordId } from '../../../../common/model/records/record-ids.ts';
import type { Direction } from '../../../../common/reporting/reports.ts';
import { followDates, writeWatermark, type DateOrder, type Watermark } from './watermarks.ts';
import { CHUNK_ROWS, createFeedChunk } from './feed-chunk.ts';
import type { EngineValue, FeedSnapshot, FeedSource } from './feed-source.ts';
import type { OutcomeStore } from '../outcomes.ts';
import type { FamilyStore } from './keep-families.ts';
import { rollBack, type Ending } from '../engine-database.ts';

/** Records read at once: each is held with its texts, and other calls wait meanwhile. */
const STEP_ROWS = CHUNK_ROWS * 2;

/** Records of a snapshot that are fed in one transaction. */
export interface Batch {
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
    const fill: FillChunk = (rows) => fillers[direction](rows, own.find, ownOutcomes.decide);
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

type FillChunk = (rows: readonly (readonly EngineValue[])[]) => DuckDBDataChunk;

function holdRows(connection: DuckDBConnection, table: string, fill: FillChunk): HeldRows {
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
