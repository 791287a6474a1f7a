import type { DuckDBConnection } from '@duckdb/node-api';
import { toRecordId } from '../../../../common/model/records/record-ids.ts';
import { readRows } from '../engine-database.ts';
import type { DateOrder } from './date-order.ts';
import type { FeedSnapshot } from './feed-source.ts';
import { commit, rollBack } from './transaction.ts';

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
