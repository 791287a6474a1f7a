import type { Direction } from '../../common/reporting/reports.ts';
import { addToSums, clearSums, createGroupSums } from '../store/group-sums.ts';
import { orderByDate } from '../store/order-by-date.ts';
import { addCells, packCells } from '../store/rollup-cells.ts';
import { createRollupSummer, MAX_FRESH_GROUPS } from '../store/sum-rollups.ts';
import type { Queryable } from './connect.ts';
import { DIRECTION_NUMBERS } from './schema.ts';

/** Records as rollups see them. */
export interface SummedRecords {
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
const COUNT_SQL = `
INSERT INTO record_count AS known
SELECT $1, $2, tier_ms, start_ms, records
FROM unnest($3::bigint[], $4::bigint[], $5::bigint[]) AS row (tier_ms, start_ms, records)
ON CONFLICT (tenant, direction, tier_ms, start_ms) DO UPDATE SET records = known.records + excluded.records`;

/**
 * Adds records to the rollups and counts of every size, inside the transaction that writes them and that holds the
 * tenant's counters, so nobody else changes them meanwhile. A rollup's few newest changes lie apart from its bulk as
 * "fresh" until they are worth rewriting it for.
 */
export async function writeRollups(
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
  await connection.query(COUNT_SQL, [...scope, tiers, starts, changes.map((change) => change.records)]);
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
