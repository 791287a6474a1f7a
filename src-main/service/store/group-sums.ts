/**
 * Sums of records by group. Groups are numbered from 1 without gaps, so a group's number is its place in
 * plain columns; emptied sums are used again. Changed by the functions of this file only, which take much
 * less time than closures would.
 */
export interface GroupSums {
  capacity: number;
  /** For each group: records, response time, bot latency; date, arrival and session of the newest record. */
  columns: Float64Array;
  groupIds: number[];
  /** Number of records in all groups. */
  recordCount: number;
}

/** The sums of a group with its newest record by (date, arrival). */
interface SummedGroup {
  readonly groupId: number;
  readonly records: number;
  readonly responseTimeUs: number;
  readonly botLatencyMs: number;
  readonly newestMs: number;
  readonly newestArrival: number;
  readonly newestSession: number;
}

const COLUMNS = 6;
const FIRST_CAPACITY = 256;

/** Makes empty sums; they take memory once something is added. */
export function createGroupSums(): GroupSums {
  return { capacity: 0, columns: new Float64Array(0), groupIds: [], recordCount: 0 };
}

/** Adds a record, or the sums of several whose newest is given. */
// eslint-disable-next-line @typescript-eslint/max-params -- an object for each record would take longer than adding it
export function addToSums(
  sums: GroupSums,
  groupId: number,
  records: number,
  responseTimeUs: number,
  botLatencyMs: number,
  newestMs: number,
  newestArrival: number,
  newestSession: number,
): void {
  if (groupId >= sums.capacity) grow(sums, groupId + 1);
  const { columns } = sums;
  const at = groupId * COLUMNS;
  const before = columns[at] ?? 0;
  columns[at] = before + records;
  columns[at + 1] = (columns[at + 1] ?? 0) + responseTimeUs;
  columns[at + 2] = (columns[at + 2] ?? 0) + botLatencyMs;
  sums.recordCount += records;
  if (before === 0) sums.groupIds.push(groupId);
  else {
    const latestMs = columns[at + 3] ?? 0;
    if (newestMs < latestMs) return;
    if (newestMs === latestMs && newestArrival < (columns[at + 4] ?? 0)) return;
  }
  columns[at + 3] = newestMs;
  columns[at + 4] = newestArrival;
  columns[at + 5] = newestSession;
}

/** Calls `visit` with the sums of each group. */
export function forEachGroup({ columns, groupIds }: GroupSums, visit: (group: SummedGroup) => void): void {
  const read = (at: number): number => columns[at] ?? 0;
  for (const groupId of groupIds) {
    const at = groupId * COLUMNS;
    visit({
      groupId,
      records: read(at),
      responseTimeUs: read(at + 1),
      botLatencyMs: read(at + 2),
      newestMs: read(at + 3),
      newestArrival: read(at + 4),
      newestSession: read(at + 5),
    });
  }
}

/** Empties sums, so that they can be used again. */
export function clearSums(sums: GroupSums): void {
  for (const groupId of sums.groupIds) sums.columns.fill(0, groupId * COLUMNS, groupId * COLUMNS + 3);
  sums.groupIds = [];
  sums.recordCount = 0;
}

function grow(sums: GroupSums, needed: number): void {
  sums.capacity = Math.max(FIRST_CAPACITY, 2 ** Math.ceil(Math.log2(needed)));
  const grown = new Float64Array(sums.capacity * COLUMNS);
  grown.set(sums.columns);
  sums.columns = grown;
}
