import type { DuckDBConnection } from '@duckdb/node-api';
import type { AppendBatch } from './append-batch.ts';
import { NO_DATES, type DateOrder } from './date-order.ts';
import { CHUNK_ROWS } from './feed-chunk.ts';
import type { FeedSnapshot } from './feed-source.ts';
import { commit, toEnding } from './transaction.ts';
import type { Watermark } from './watermarks.ts';

/**
 * Records fed in one transaction: those of a row group, which is compressed once it is full, and again whenever a
 * transaction ends within it.
 */
const BATCH_ROWS = CHUNK_ROWS * 60;

/**
 * Feeds the records of a snapshot that are behind its watermark, batch after batch: while one is written the next one is
 * read. `onFed` gets the watermark after each, once it is written, and the number of its records.
 */
export async function feedSnapshot(
  { connection, appendBatch }: { readonly connection: DuckDBConnection; readonly appendBatch: AppendBatch },
  snapshot: FeedSnapshot,
  mark: Watermark | undefined,
  onFed: (mark: Watermark, count: number) => void,
): Promise<void> {
  let before = toEnding(Promise.resolve());
  let from = mark?.recordCount ?? 0;
  let order: DateOrder = mark ?? NO_DATES;
  try {
    while (from < snapshot.recordCount) {
      const until = Math.min(from + BATCH_ROWS, snapshot.recordCount);
      const count = until - from;
      const fed = await appendBatch(snapshot, { from, until, before, order });
      before = toEnding(commit(connection).then(() => onFed(fed, count)));
      order = fed;
      from = until;
    }
  } finally {
    await before.promise;
  }
}
