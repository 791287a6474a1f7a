import type { Database } from '../../node/open-database.ts';
import { addToSums } from '../store/group-sums.ts';
import { IMPORT_SCHEMA_SQL } from './import-schema.ts';
import { DIRECTION_NUMBERS, ROLLUP_SCHEMA_SQL } from './schema.ts';
import { createRollupWriter } from './rollup-writer.ts';

/** What leads from version 1 to the next ones, in order. */
const UPGRADES: readonly ((db: Database) => void)[] = [
  (db) => void db.exec(IMPORT_SCHEMA_SQL),
  packRollups,
  (db) => void db.exec(MOVE_PROGRESS_SQL),
];

/** Up to version 3, where sample traffic goes on was kept as counters; now it is properties. */
const MOVE_PROGRESS_SQL = `
INSERT INTO property SELECT 'next_session', CAST(value AS TEXT) FROM counter WHERE name = 'session';
INSERT INTO property SELECT 'live_until_ms', CAST(value + 1 AS TEXT) FROM counter WHERE name = 'newest_ms';
DELETE FROM counter WHERE name IN ('session', 'newest_ms');`;

/** Brings an older store to the present schema, inside the caller's transaction. */
export function upgradeSchema(db: Database, fromVersion: number): void {
  for (const upgrade of UPGRADES.slice(fromVersion - 1)) upgrade(db);
}

const OLD_TIER_MS = 300_000;

type OldCell = readonly [
  groupId: number,
  records: number,
  responseTimeUs: number,
  botLatencyMs: number,
  newestMs: number,
  newestArrival: number,
  newestSession: number,
];

/** Version 2 held a row for each group of a rollup. The smallest rollups say all that the larger ones do. */
function packRollups(db: Database): void {
  db.exec(`ALTER TABLE rollup RENAME TO old_rollup; DELETE FROM record_count; ${ROLLUP_SCHEMA_SQL}`);
  const starts = db
    .prepare<[number, number], number>(
      'SELECT DISTINCT start_ms FROM old_rollup WHERE direction = ? AND tier_ms = ? ORDER BY start_ms',
    )
    .pluck();
  const cells = db
    .prepare<[number, number, number], OldCell>(
      `SELECT group_id, records, response_time_us, bot_latency_ms, newest_ms, newest_arrival, newest_session
       FROM old_rollup WHERE direction = ? AND tier_ms = ? AND start_ms = ?`,
    )
    .raw();
  const rollups = createRollupWriter(db);
  for (const direction of ['inbound', 'outbound'] as const) {
    const number = DIRECTION_NUMBERS[direction];
    rollups.begin(direction);
    for (const startMs of starts.all(number, OLD_TIER_MS)) {
      for (const cell of cells.all(number, OLD_TIER_MS, startMs)) addToSums(rollups.openAt(startMs), ...cell);
    }
    rollups.finish();
  }
  db.exec('DROP TABLE old_rollup');
}
