import type { Database } from '../../node/open-database.ts';
import type { Direction } from '../../common/reporting/reports.ts';
import { addCells, packCells } from '../store/rollup-cells.ts';
import {
  createRollupSummer,
  MAX_FRESH_GROUPS,
  type OpenRollup,
  type RollupSummer,
} from '../store/sum-rollups.ts';
import { DIRECTION_NUMBERS } from './schema.ts';

/**
 * Adds records to the rollups of every size, inside the caller's transaction. A rollup's few newest changes lie apart
 * from its bulk as "fresh" until they are worth rewriting it for.
 */
export interface RollupWriter extends Pick<RollupSummer, 'openAt' | 'finish'> {
  /** Starts anew; what was added and not finished is dropped. */
  begin(direction: Direction): void;
}

const COUNT_SQL = `
INSERT INTO record_count VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET records = records + excluded.records`;

/** Prepares the writing of rollups. */
export function createRollupWriter(db: Database): RollupWriter {
  type Key = [direction: number, tierMs: number, startMs: number, fresh: number];
  const where = 'WHERE direction = ? AND tier_ms = ? AND start_ms = ? AND fresh = ?';
  const read = db.prepare<Key, Uint8Array>(`SELECT cells FROM rollup ${where}`).pluck();
  const write = db.prepare<[...Key, Uint8Array]>(
    'INSERT INTO rollup VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET cells = excluded.cells',
  );
  const remove = db.prepare<Key>(`DELETE FROM rollup ${where}`);
  const count = db.prepare<Key>(COUNT_SQL);
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
  const summer = createRollupSummer(store);
  return {
    begin: (of) => {
      direction = DIRECTION_NUMBERS[of];
      summer.begin();
    },
    openAt: summer.openAt,
    finish: summer.finish,
  };
}
