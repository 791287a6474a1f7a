import type { Database } from 'better-sqlite3';
import { readCells, ROLLUP_TIERS_MS } from '../../../src-main/service/store/group-sums.ts';

/** What the records of one group in one rollup come to, newest last. */
interface Sums {
  records: number;
  responseTimeUs: number;
  botLatencyMs: number;
  newest: readonly [dateMs: number, arrival: number, session: number];
}
type RawRecord = [
  dateMs: number,
  arrival: number,
  session: number,
  groupId: number,
  timeUs: number,
  latency: number,
];

/**
 * Where the rollups and counts of a store don't say what its records do, as sentences; none when they agree.
 * Everything is computed again from single records.
 */
export function findRollupFaults(db: Database): string[] {
  const faults: string[] = [];
  for (const [direction, latency] of ['bot_latency_ms', '0'].entries()) {
    const table = ['inbound_record', 'outbound_record'][direction]!;
    let expected = sumRecords(db, table, latency);
    for (const tierMs of ROLLUP_TIERS_MS.toReversed()) {
      expected = sumLarger(expected, tierMs);
      const stored = readStored(db, direction, tierMs);
      for (const [startMs, groups] of expected) {
        const count = [...groups.values()].reduce((sum, each) => sum + each.records, 0);
        const isSame = stored.get(startMs) === toText(groups, startMs, count);
        if (!isSame) faults.push(`${table}, ${tierMs} ms from ${startMs}: other sums`);
        stored.delete(startMs);
      }
      for (const left of stored.keys())
        faults.push(`${table}, ${tierMs} ms from ${left}: sums of no records`);
    }
  }
  return faults;
}

type Rollups = Map<number, Map<number, Sums>>;

function sumRecords(db: Database, table: string, latency: string): Rollups {
  const tierMs = ROLLUP_TIERS_MS.at(-1)!;
  const rollups: Rollups = new Map();
  const records = db.prepare<[], RawRecord>(
    `SELECT date_ms, arrival, session, group_id, response_time_us, ${latency} FROM ${table}`,
  );
  for (const [dateMs, arrival, session, groupId, timeUs, latencyMs] of records.raw().iterate()) {
    const groups = openRollup(rollups, dateMs, tierMs);
    addTo(groups, groupId, [1, timeUs, latencyMs], [dateMs, arrival, session]);
  }
  return rollups;
}

function sumLarger(smaller: Rollups, tierMs: number): Rollups {
  const rollups: Rollups = new Map();
  for (const [startMs, cells] of smaller) {
    const groups = openRollup(rollups, startMs, tierMs);
    for (const [groupId, { records, responseTimeUs, botLatencyMs, newest }] of cells) {
      addTo(groups, groupId, [records, responseTimeUs, botLatencyMs], newest);
    }
  }
  return rollups;
}

function openRollup(rollups: Rollups, atMs: number, tierMs: number): Map<number, Sums> {
  const startMs = Math.floor(atMs / tierMs) * tierMs;
  const groups = rollups.get(startMs) ?? new Map<number, Sums>();
  rollups.set(startMs, groups);
  return groups;
}

function readStored(db: Database, direction: number, tierMs: number): Map<number, string> {
  const rollups: Rollups = new Map();
  const rows = db
    .prepare<[number, number], [number, Uint8Array]>(
      'SELECT start_ms, cells FROM rollup WHERE direction = ? AND tier_ms = ?',
    )
    .raw()
    .all(direction, tierMs);
  for (const [startMs, blob] of rows) {
    const groups = openRollup(rollups, startMs, tierMs);
    const cells = readCells(blob);
    for (let at = 0; at < cells.length; at += 1) {
      const newest = [
        startMs + cells.newestOffsetMs[at]!,
        cells.newestArrival[at]!,
        cells.newestSession[at]!,
      ] as const;
      const sums = [cells.records[at]!, cells.responseTimeUs[at]!, cells.botLatencyMs[at]!] as const;
      addTo(groups, cells.groupId[at]!, sums, newest);
    }
  }
  const count = db
    .prepare<[number, number, number], number>(
      'SELECT records FROM record_count WHERE direction = ? AND tier_ms = ? AND start_ms = ?',
    )
    .pluck();
  return new Map(
    [...rollups].map(([startMs, groups]) => [
      startMs,
      toText(groups, startMs, count.get(direction, tierMs, startMs) ?? 0),
    ]),
  );
}

function addTo(
  groups: Map<number, Sums>,
  groupId: number,
  [records, responseTimeUs, botLatencyMs]: readonly [number, number, number],
  newest: Sums['newest'],
): void {
  const sums = groups.get(groupId);
  if (sums === undefined) {
    groups.set(groupId, { records, responseTimeUs, botLatencyMs, newest });
    return;
  }
  sums.records += records;
  sums.responseTimeUs += responseTimeUs;
  sums.botLatencyMs += botLatencyMs;
  const [dateMs, arrival] = sums.newest;
  if (newest[0] > dateMs || (newest[0] === dateMs && newest[1] > arrival)) sums.newest = newest;
}

function toText(groups: Map<number, Sums>, startMs: number, count: number): string {
  const sorted = [...groups].sort(([a], [b]) => a - b);
  return JSON.stringify([startMs, count, sorted.map(([groupId, sums]) => ({ groupId, ...sums }))]);
}
