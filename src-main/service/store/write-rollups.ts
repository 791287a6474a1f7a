import type { Database } from 'better-sqlite3';
import type { Direction } from '../../common/reporting/reports.ts';
import { GroupSums } from './group-sums.ts';
import { readCells } from './rollup-cells.ts';
import { DIRECTION_NUMBERS } from './schema.ts';
import { ROLLUP_TIERS_MS } from './split-period.ts';

/** The rollup that is being added up at one size. */
interface OpenRollup {
  readonly tierMs: number;
  readonly sums: GroupSums;
  readonly larger: OpenRollup | null;
  startMs: number;
}

// About a page of the database: what a second of live traffic rewrites at each size.
const MOST_FRESH_GROUPS = 64;

const COUNT_SQL = `
INSERT INTO record_count VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET records = records + excluded.records`;

/**
 * Adds records to the rollups of every size, inside the caller's transaction. Records in order of date touch
 * each rollup once; each larger size is summed from the one below it. A rollup's few newest changes lie
 * apart from its bulk as "fresh" until they are worth rewriting it for.
 */
export class RollupWriter {
  readonly #read;
  readonly #write;
  readonly #remove;
  readonly #count;
  readonly #finest: OpenRollup;
  #direction: number = DIRECTION_NUMBERS.inbound;

  constructor(db: Database) {
    type Key = [number, number, number, number];
    const where = 'WHERE direction = ? AND tier_ms = ? AND start_ms = ? AND fresh = ?';
    this.#read = db.prepare<Key, Uint8Array>(`SELECT cells FROM rollup ${where}`).pluck();
    this.#write = db.prepare<[...Key, Uint8Array]>(
      'INSERT INTO rollup VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET cells = excluded.cells',
    );
    this.#remove = db.prepare<Key>(`DELETE FROM rollup ${where}`);
    this.#count = db.prepare<Key>(COUNT_SQL);
    const [largestMs, ...smallerMs] = ROLLUP_TIERS_MS;
    const open = (larger: OpenRollup | null, tierMs: number): OpenRollup => {
      return { tierMs, larger, sums: new GroupSums(), startMs: 0 };
    };
    this.#finest = smallerMs.reduce(open, open(null, largestMs));
  }

  /** Starts anew; what was added and not finished is dropped. */
  begin(direction: Direction): void {
    this.#direction = DIRECTION_NUMBERS[direction];
    for (let open: OpenRollup | null = this.#finest; open !== null; open = open.larger) open.sums.clear();
  }

  /** The sums of the smallest rollup at an instant, to be added to before the next call. */
  openAt(atMs: number): GroupSums {
    return this.#moveTo(this.#finest, atMs);
  }

  /** Writes what has been added. */
  finish(): void {
    for (let open: OpenRollup | null = this.#finest; open !== null; open = open.larger) this.#close(open);
  }

  #moveTo(open: OpenRollup, atMs: number): GroupSums {
    if (atMs < open.startMs || atMs >= open.startMs + open.tierMs) {
      this.#close(open);
      open.startMs = Math.floor(atMs / open.tierMs) * open.tierMs;
    }
    return open.sums;
  }

  #close(open: OpenRollup): void {
    if (open.sums.groups === 0) return;
    if (open.larger !== null) this.#moveTo(open.larger, open.startMs).addSums(open.sums);
    this.#store(open);
    open.sums.clear();
  }

  #store({ tierMs, startMs, sums }: OpenRollup): void {
    const direction = this.#direction;
    this.#count.run(direction, tierMs, startMs, sums.records);
    const addStored = (fresh: number): boolean => {
      const stored = this.#read.get(direction, tierMs, startMs, fresh);
      if (stored !== undefined) sums.addCells(readCells(stored), startMs);
      return stored !== undefined;
    };
    const hadFresh = addStored(1);
    const isBulk = sums.groups > MOST_FRESH_GROUPS;
    if (isBulk) {
      addStored(0);
      if (hadFresh) this.#remove.run(direction, tierMs, startMs, 1);
    }
    this.#write.run(direction, tierMs, startMs, isBulk ? 0 : 1, sums.toCells(startMs).bytes);
  }
}
