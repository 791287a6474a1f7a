import type { DuckDBConnection } from '@duckdb/node-api';
import { toRecordId } from '../../../../common/model/records/record-ids.ts';
import { readRows, commit, rollBack } from '../engine-database.ts';
import { ENGINE_COLUMNS } from '../engine-tables.ts';
import type { FeedSnapshot, EngineValue } from './feed-source.ts';

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
export async function writeWatermark(
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
export function followDates(
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
