import { ENGINE_COLUMNS } from '../../analysis/engine/engine-tables.ts';
import type { EngineValue, FeedSnapshot } from '../../analysis/engine/feed-source.ts';
import type { EngineSource } from '../../analysis/engine/resolve-scope.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import { openCacheDatabase } from '../file/open-database.ts';
import { toRecordId } from './record-tables.ts';
import { createSnapshotReader } from './snapshot-rows.ts';

/** Columns that lie in the table of long texts. */
const TEXT_COLUMNS = new Set(['payload', 'response']);

/** Opens the cache, read-only, for the engine to be fed from; close it when done. */
export function openEngineSource(file: string): EngineSource & { close(): void } {
  const database = openCacheDatabase(file, 'read');
  const snapshots = createSnapshotReader(database);
  const identity = database.prepare<[], string>('SELECT identity FROM cache_state').pluck();
  const list = database.prepare<[], FeedSnapshot>(
    `SELECT snapshot_id AS snapshotId, CASE report WHEN 'inbound-detail' THEN 'inbound' ELSE 'outbound' END AS direction,
       started_at_ms AS startedAtMs, record_count AS recordCount
     FROM snapshots WHERE is_removed = 0 AND report IN ('inbound-detail', 'outbound-detail')
     ORDER BY started_at_ms DESC, snapshot_id DESC`,
  );
  const prepareRead = (direction: Direction) => {
    const columns = ENGINE_COLUMNS[direction].map(
      ({ name }) => `${TEXT_COLUMNS.has(name) ? 't' : 'r'}.${name}`,
    );
    return database
      .prepare<[number, number], EngineValue[]>(
        `SELECT ${columns.join(', ')} FROM ${direction}_records AS r
         JOIN ${direction}_texts AS t ON t.record_id = r.record_id
         WHERE r.record_id >= ? AND r.record_id < ? ORDER BY r.record_id`,
      )
      .raw()
      .safeIntegers();
  };
  const reads = { inbound: prepareRead('inbound'), outbound: prepareRead('outbound') };
  return {
    identity: identity.get() ?? '',
    list: () => list.all(),
    read: ({ snapshotId, direction }, from, until) =>
      reads[direction].all(toRecordId(snapshotId, from), toRecordId(snapshotId, until)),
    getSnapshot: (snapshotId) => snapshots.get(snapshotId),
    listSnapshots: (connectionId) => snapshots.list(connectionId),
    close: () => void database.close(),
  };
}
