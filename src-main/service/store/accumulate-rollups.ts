import { ROLLUP_TIERS_MS } from './split-period.ts';

/** Sums over the records of one group inside one rollup. Times as named; `newest*` by (date, arrival). */
export interface RollupCell {
  readonly tierMs: number;
  readonly startMs: number;
  readonly groupId: number;
  records: number;
  responseTimeUs: number;
  botLatencyMs: number;
  newestMs: number;
  newestArrival: number;
  newestSession: number;
}

export interface RollupInput {
  readonly dateMs: number;
  readonly arrival: number;
  readonly session: number;
  readonly groupId: number;
  readonly responseTimeUs: number;
  readonly botLatencyMs: number;
}

// Groups are numbered from 1 and far fewer than this, so bucket and group fit one exact number.
const GROUP_LIMIT = 2 ** 24;

/** Rollups of a batch at every tier, each larger tier summed from the one below it. */
export function accumulateRollups(records: readonly RollupInput[]): RollupCell[] {
  const tiers = [...ROLLUP_TIERS_MS].reverse();
  const [finestMs = 0, ...coarserMs] = tiers;
  const finest = new Map<number, RollupCell>();
  for (const record of records) {
    addToCell(finest, finestMs, record.dateMs, {
      ...record,
      records: 1,
      newestMs: record.dateMs,
      newestArrival: record.arrival,
      newestSession: record.session,
    });
  }
  const all = [...finest.values()];
  let below = all.slice();
  for (const tierMs of coarserMs) {
    const cells = new Map<number, RollupCell>();
    for (const cell of below) addToCell(cells, tierMs, cell.startMs, cell);
    below = [...cells.values()];
    for (const cell of below) all.push(cell);
  }
  return all;
}

function addToCell(
  cells: Map<number, RollupCell>,
  tierMs: number,
  atMs: number,
  addend: Omit<RollupCell, 'tierMs' | 'startMs'>,
): void {
  const bucket = Math.floor(atMs / tierMs);
  const key = bucket * GROUP_LIMIT + addend.groupId;
  const cell = cells.get(key);
  if (cell === undefined) {
    cells.set(key, {
      tierMs,
      startMs: bucket * tierMs,
      groupId: addend.groupId,
      records: addend.records,
      responseTimeUs: addend.responseTimeUs,
      botLatencyMs: addend.botLatencyMs,
      newestMs: addend.newestMs,
      newestArrival: addend.newestArrival,
      newestSession: addend.newestSession,
    });
    return;
  }
  cell.records += addend.records;
  cell.responseTimeUs += addend.responseTimeUs;
  cell.botLatencyMs += addend.botLatencyMs;
  if (
    addend.newestMs > cell.newestMs ||
    (addend.newestMs === cell.newestMs && addend.newestArrival > cell.newestArrival)
  ) {
    cell.newestMs = addend.newestMs;
    cell.newestArrival = addend.newestArrival;
    cell.newestSession = addend.newestSession;
  }
}
