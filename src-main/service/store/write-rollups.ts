import type { Database } from 'better-sqlite3';
import type { Direction } from '../../common/reporting/report-identifiers.ts';
import { GroupSums } from './group-sums.ts';
import { readCells } from './rollup-cells.ts';
import { DIRECTION_NUMBERS } from './schema.ts';
import { ROLLUP_TIERS_MS } from './split-period.ts';

/** The rollup that is being added up at one size. */
interface OpenRollup {
  readonly tierMs: number;
  readonly sums: GroupSums;
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
  readonly #open: readonly OpenRollup[] = ROLLUP_TIERS_MS.map((tierMs) => {
    return { tierMs, sums: new GroupSums(), startMs: 0 };
  }).reverse();
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
  }

  /** Starts anew; what was added and not finished is dropped. */
  begin(direction: Direction): void {
    this.#direction = DIRECTION_NUMBERS[direction];
    for (const { sums } of this.#open) sums.clear();
  }

  /** Adds a record, or several of the same smallest rollup whose newest is given. */
  add(
    groupId: number,
    records: number,
    responseTimeUs: number,
    botLatencyMs: number,
    newestMs: number,
    newestArrival: number,
    newestSession: number,
  ): void {
    this.#moveTo(0, newestMs)?.sums.add(
      groupId,
      records,
      responseTimeUs,
      botLatencyMs,
      newestMs,
      newestArrival,
      newestSession,
    );
  }

  /** Writes what has been added. */
  finish(): void {
    for (const level of this.#open.keys()) this.#close(level);
  }

  #moveTo(level: number, atMs: number): OpenRollup | undefined {
    const open = this.#open[level];
    if (open === undefined || (atMs >= open.startMs && atMs < open.startMs + open.tierMs)) return open;
    this.#close(level);
    open.startMs = Math.floor(atMs / open.tierMs) * open.tierMs;
    return open;
  }

  #close(level: number): void {
    const open = this.#open[level];
    if (open === undefined || open.sums.groups === 0) return;
    this.#moveTo(level + 1, open.startMs)?.sums.addSums(open.sums);
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
