import type { Database } from '../../node/open-database.ts';
import type { Direction } from '../../common/reporting/reports.ts';
import { addToSums, clearSums, createGroupSums, forEachGroup, type GroupSums } from './group-sums.ts';
import { addCells, packCells } from './rollup-cells.ts';
import { DIRECTION_NUMBERS } from './schema.ts';
import { ROLLUP_TIERS_MS } from '../store/split-period.ts';

/**
 * Adds records to the rollups of every size, inside the caller's transaction. Records in order of date touch
 * each rollup once; each larger size is summed from the one below it. A rollup's few newest changes lie
 * apart from its bulk as "fresh" until they are worth rewriting it for.
 */
export interface RollupWriter {
  /** Starts anew; what was added and not finished is dropped. */
  begin(direction: Direction): void;
  /** The sums of the smallest rollup at an instant, to be added to before the next call. */
  openAt(atMs: number): GroupSums;
  /** Writes what has been added. */
  finish(): void;
}

/** The rollup that is being added up at one size. */
interface OpenRollup {
  readonly tierMs: number;
  readonly sums: GroupSums;
  readonly larger: OpenRollup | null;
  startMs: number;
}

// About a page of the database: what a second of live traffic rewrites at each size.
const MAX_FRESH_GROUPS = 64;

const COUNT_SQL = `
INSERT INTO record_count VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET records = records + excluded.records`;

export function createRollupWriter(db: Database): RollupWriter {
  type Key = [direction: number, tierMs: number, startMs: number, fresh: number];
  const where = 'WHERE direction = ? AND tier_ms = ? AND start_ms = ? AND fresh = ?';
  const read = db.prepare<Key, Uint8Array>(`SELECT cells FROM rollup ${where}`).pluck();
  const write = db.prepare<[...Key, Uint8Array]>(
    'INSERT INTO rollup VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET cells = excluded.cells',
  );
  const remove = db.prepare<Key>(`DELETE FROM rollup ${where}`);
  const count = db.prepare<Key>(COUNT_SQL);
  const finest = openRollups();
  let direction: number = DIRECTION_NUMBERS.inbound;

  const store = ({ tierMs, startMs, sums }: OpenRollup): void => {
    count.run(direction, tierMs, startMs, sums.recordCount);
    const addStored = (fresh: number): boolean => {
      const stored = read.get(direction, tierMs, startMs, fresh);
      if (stored !== undefined) addCells(sums, stored, startMs);
      return stored !== undefined;
    };
    const hadFresh = addStored(1);
    const isBulk = sums.groupIds.length > MAX_FRESH_GROUPS;
    if (isBulk) {
      addStored(0);
      if (hadFresh) remove.run(direction, tierMs, startMs, 1);
    }
    write.run(direction, tierMs, startMs, isBulk ? 0 : 1, packCells(sums, startMs));
  };
  const close = (open: OpenRollup): void => {
    if (open.sums.groupIds.length === 0) return;
    if (open.larger !== null) {
      const larger = moveTo(open.larger, open.startMs);
      forEachGroup(open.sums, (...group) => {
        addToSums(larger, ...group);
      });
    }
    store(open);
    clearSums(open.sums);
  };
  const moveTo = (open: OpenRollup, atMs: number): GroupSums => {
    if (atMs < open.startMs || atMs >= open.startMs + open.tierMs) {
      close(open);
      open.startMs = Math.floor(atMs / open.tierMs) * open.tierMs;
    }
    return open.sums;
  };
  return {
    begin: (of) => {
      direction = DIRECTION_NUMBERS[of];
      for (let open: OpenRollup | null = finest; open !== null; open = open.larger) clearSums(open.sums);
    },
    openAt: (atMs) => moveTo(finest, atMs),
    finish: () => {
      for (let open: OpenRollup | null = finest; open !== null; open = open.larger) close(open);
    },
  };
}

/** One of each size; the smallest leads to the larger ones. */
function openRollups(): OpenRollup {
  const [largestMs, ...smallerMs] = ROLLUP_TIERS_MS;
  const open = (larger: OpenRollup | null, tierMs: number): OpenRollup => {
    return { tierMs, larger, sums: createGroupSums(), startMs: 0 };
  };
  return smallerMs.reduce(open, open(null, largestMs));
}
