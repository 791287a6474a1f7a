import { addToSums, clearSums, createGroupSums, forEachGroup, type GroupSums } from './group-sums.ts';
import { ROLLUP_TIERS_MS } from './split-period.ts';

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
