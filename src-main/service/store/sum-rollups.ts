import { addToSums, clearSums, createGroupSums, forEachGroup, type GroupSums } from './group-sums.ts';

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
