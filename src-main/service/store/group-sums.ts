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

/**
 * Sums per group of one rollup as columns, packed into one blob: a summary then adds up numbers that lie
 * side by side instead of stepping through a row per group.
 */
interface RollupCells {
  readonly length: number;
  readonly responseTimeUs: Float64Array;
  readonly botLatencyMs: Float64Array;
  readonly groupId: Uint32Array;
  readonly records: Uint32Array;
  /** The newest record by (date, arrival); its date is counted from the rollup's start. */
  readonly newestOffsetMs: Uint32Array;
  readonly newestArrival: Uint32Array;
  /** Negative for a session that was imported. */
  readonly newestSession: Int32Array;
}

const CELL_BYTES = 36;

/** The cells of a blob. Throws for one that isn't whole, which is damage. */
export function readCells(blob: Uint8Array): RollupCells {
  if (blob.length % CELL_BYTES !== 0) throw new Error(`A rollup of ${blob.length} bytes`);
  return viewCells(blob.byteOffset % 8 === 0 ? blob : blob.slice());
}

/** Adds the blob of a rollup that starts at `startMs`. */
export function addCells(sums: GroupSums, blob: Uint8Array, startMs: number): void {
  const cells = readCells(blob);
  const { groupId, records, responseTimeUs, botLatencyMs } = cells;
  const { newestOffsetMs, newestArrival, newestSession } = cells;
  for (let index = 0; index < cells.length; index += 1) {
    addToSums(
      sums,
      groupId[index] ?? 0,
      records[index] ?? 0,
      responseTimeUs[index] ?? 0,
      botLatencyMs[index] ?? 0,
      startMs + (newestOffsetMs[index] ?? 0),
      newestArrival[index] ?? 0,
      newestSession[index] ?? 0,
    );
  }
}

/** The blob of a rollup that starts at `startMs`. */
export function packCells(sums: GroupSums, startMs: number): Uint8Array {
  const blob = new Uint8Array(sums.groupIds.length * CELL_BYTES);
  const cells = viewCells(blob);
  let index = 0;
  sums.groupIds.sort((a, b) => a - b);
  forEachGroup(sums, (group) => {
    cells.groupId[index] = group.groupId;
    cells.records[index] = group.records;
    cells.responseTimeUs[index] = group.responseTimeUs;
    cells.botLatencyMs[index] = group.botLatencyMs;
    cells.newestOffsetMs[index] = group.newestMs - startMs;
    cells.newestArrival[index] = group.newestArrival;
    cells.newestSession[index] = group.newestSession;
    index += 1;
  });
  return blob;
}

function viewCells(bytes: Uint8Array): RollupCells {
  const length = bytes.length / CELL_BYTES;
  const { buffer, byteOffset } = bytes;
  const toOffset = (column: number): number => byteOffset + 4 * column * length;
  return {
    length,
    responseTimeUs: new Float64Array(buffer, toOffset(0), length),
    botLatencyMs: new Float64Array(buffer, toOffset(2), length),
    groupId: new Uint32Array(buffer, toOffset(4), length),
    records: new Uint32Array(buffer, toOffset(5), length),
    newestOffsetMs: new Uint32Array(buffer, toOffset(6), length),
    newestArrival: new Uint32Array(buffer, toOffset(7), length),
    newestSession: new Int32Array(buffer, toOffset(8), length),
  };
}

/** The rollup that is being added up at one size. */
export interface OpenRollup {
  readonly tierMs: number;
  readonly startMs: number;
  readonly sums: GroupSums;
}

/**
 * Adds records up to the rollups of every size. Records in order of date touch each rollup once; each larger size is
 * summed from the one below it.
 */
export interface RollupSummer {
  /** Starts anew; what was added and not finished is dropped. */
  begin(): void;
  /** The sums of the smallest rollup at an instant, to be added to before the next call. */
  openAt(atMs: number): GroupSums;
  /** Closes what is open. */
  finish(): void;
}

/** Groups of a rollup whose changes lie apart from its bulk: what a second of live traffic rewrites at each size. */
export const MAX_FRESH_GROUPS = 64;

interface Tier {
  readonly tierMs: number;
  readonly sums: GroupSums;
  readonly larger: Tier | null;
  startMs: number;
}

/** `onClosed` is called with each rollup once it is complete; its sums may be changed, and are used again afterwards. */
export function createRollupSummer(onClosed: (rollup: OpenRollup) => void): RollupSummer {
  const finest = createTiers();

  const close = (open: Tier): void => {
    if (open.sums.groupIds.length === 0) return;
    if (open.larger !== null) {
      const larger = moveTo(open.larger, open.startMs);
      forEachGroup(open.sums, (group) => {
        addToSums(
          larger,
          group.groupId,
          group.records,
          group.responseTimeUs,
          group.botLatencyMs,
          group.newestMs,
          group.newestArrival,
          group.newestSession,
        );
      });
    }
    onClosed(open);
    clearSums(open.sums);
  };
  const moveTo = (open: Tier, atMs: number): GroupSums => {
    if (atMs < open.startMs || atMs >= open.startMs + open.tierMs) {
      close(open);
      open.startMs = Math.floor(atMs / open.tierMs) * open.tierMs;
    }
    return open.sums;
  };
  return {
    begin: () => {
      for (let open: Tier | null = finest; open !== null; open = open.larger) clearSums(open.sums);
    },
    openAt: (atMs) => moveTo(finest, atMs),
    finish: () => {
      for (let open: Tier | null = finest; open !== null; open = open.larger) close(open);
    },
  };
}

/** One of each size; the smallest leads to the larger ones. */
function createTiers(): Tier {
  const [largestMs, ...smallerMs] = ROLLUP_TIERS_MS;
  const open = (larger: Tier | null, tierMs: number): Tier => {
    return { tierMs, larger, sums: createGroupSums(), startMs: 0 };
  };
  return smallerMs.reduce(open, open(null, largestMs));
}

/** Sizes of the rollups in milliseconds, largest first; each divides the one before. */
export const ROLLUP_TIERS_MS = [691_200_000, 86_400_000, 3_600_000, 300_000] as const;

/** A part [fromMs, toMs) of a period; `tierMs` 0 means single records. */
interface PeriodPart {
  readonly tierMs: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Cuts [fromMs, toMs) into whole rollups, the largest in the middle, and single records at the two edges.
 * The parts are in order, don't overlap and leave nothing out.
 */
export function splitPeriod(
  fromMs: number,
  toMs: number,
  tiersMs: readonly number[] = ROLLUP_TIERS_MS,
): PeriodPart[] {
  if (fromMs >= toMs) return [];
  const [tierMs, ...smaller] = tiersMs;
  if (tierMs === undefined) return [{ tierMs: 0, fromMs, toMs }];
  const firstMs = Math.ceil(fromMs / tierMs) * tierMs;
  const lastMs = Math.floor(toMs / tierMs) * tierMs;
  if (firstMs >= lastMs) return splitPeriod(fromMs, toMs, smaller);
  return [
    ...splitPeriod(fromMs, firstMs, smaller),
    { tierMs, fromMs: firstMs, toMs: lastMs },
    ...splitPeriod(lastMs, toMs, smaller),
  ];
}

/** Places of the records, oldest first and otherwise as they are given. They mostly come in that order. */
export function orderByDate(records: readonly { readonly dateMs: number }[]): Uint32Array {
  const order = Uint32Array.from(records, (_record, index) => index);
  const dateOf = (index: number): number => records[index]?.dateMs ?? 0;
  const isOrdered = records.every((record, index) => index === 0 || dateOf(index - 1) <= record.dateMs);
  return isOrdered ? order : order.sort((a, b) => dateOf(a) - dateOf(b));
}
