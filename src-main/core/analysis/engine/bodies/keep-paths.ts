import type { DuckDBConnection } from '@duckdb/node-api';
import { isBodyField, isOwnField } from '../../../../common/model/records/body-path.ts';
import { toRecordId } from '../../../../common/model/records/record.ts';
import { mapLeaves } from '../../../../common/query/filter-tree.ts';
import type { Direction } from '../../../../common/reporting/reports.ts';
import { readRows } from '../engine-database.ts';
import { PATH_COLUMNS } from '../engine-tables.ts';
import { type KeptCondition, type KeptPath, toKeptList, toPathValues } from '../filter-sql.ts';
import type { FilteredRecords } from '../resolved-scope.ts';

/** Columns that are free for new paths when a process starts: those that were used longest ago give way. */
const FREE_AT_START = 4;
/** Records that are filled in one transaction, as many as are fed in one. */
const FILL_ROWS = 122_880;

interface Entry extends KeptPath {
  readonly direction: Direction;
  readonly path: string;
  readonly slot: number;
  column: string | null;
}

/** Keeps the values at paths that are asked for in columns of their own. */
export interface PathStore {
  /** The column of a path, which begins to be filled where there is room. */
  use(direction: Direction, path: string): KeptPath | undefined;
  /** Returns the records with a filter whose conditions on paths know their columns. */
  resolve(records: FilteredRecords): FilteredRecords;
  /** Fills the columns for the records [fromId, untilId), in the transaction that is open. */
  fill(direction: Direction, fromId: number, untilId: number): Promise<void>;
  /** Resolves once no column is being filled. */
  settle(): Promise<void>;
}

/**
 * Creates the store over the feed's connection. Within a process a column never gets another path, since a statement may
 * still read it: with no room left, other paths are read from the bodies. `enqueue` runs a task between two runs of the
 * feed; `listFed` says how many records of each snapshot there are; `rest` resolves once nobody waits for an answer: what
 * asked for a path first reads the same bodies.
 */
export async function createPathStore(
  connection: DuckDBConnection,
  enqueue: (task: () => Promise<void>) => Promise<void>,
  listFed: () => readonly { readonly snapshotId: number; readonly recordCount: number }[],
  rest: () => Promise<void> = () => Promise.resolve(),
): Promise<PathStore> {
  const known = await readRows<[Direction, string, number, number]>(
    connection,
    'SELECT direction, path, slot, used FROM kept_paths ORDER BY used DESC',
  );
  let lastUsed = known[0]?.[3] ?? 0;
  const entries = new Map<string, Entry>();
  const filling = new Set<Promise<void>>();
  /** Entries that were used in this process. */
  const used = new Set<Entry>();
  for (const direction of ['inbound', 'outbound'] as const) {
    const own = known.filter(([of]) => of === direction);
    for (const [, path, slot] of own.slice(0, PATH_COLUMNS.length - FREE_AT_START))
      entries.set(toKey(direction, path), {
        direction,
        path,
        slot,
        column: PATH_COLUMNS[slot]?.name ?? null,
      });
    for (const [, path] of own.slice(PATH_COLUMNS.length - FREE_AT_START))
      await connection.run('DELETE FROM kept_paths WHERE direction = $1 AND path = $2', [direction, path]);
  }

  const toFillSql = ({ direction, path, slot }: Entry): string | null => {
    const values = toPathValues(path, direction);
    if (values === null) return null;
    return `${PATH_COLUMNS[slot]?.name ?? ''} = ${values.isList ? toKeptList(values.sql) : values.sql}`;
  };
  const fillRange = async (entry: Entry, fromId: number, untilId: number): Promise<void> => {
    const sql = toFillSql(entry);
    if (sql === null) return;
    await connection.run(
      `UPDATE ${entry.direction} SET ${sql} WHERE record_id >= ${fromId} AND record_id < ${untilId}`,
    );
  };
  const noteUse = (entry: Entry): Promise<void> =>
    enqueue(async () => {
      lastUsed += 1;
      const { direction, path, slot } = entry;
      await connection.run('DELETE FROM kept_paths WHERE direction = $1 AND path = $2', [direction, path]);
      await connection.run('INSERT INTO kept_paths VALUES ($1, $2, $3, $4)', [
        direction,
        path,
        slot,
        BigInt(lastUsed),
      ]);
    });
  /** Records that are fed meanwhile get their value as they come. */
  const fillAll = async (entry: Entry): Promise<void> => {
    const ranges: [number, number][] = [];
    await enqueue(() => {
      entries.set(toKey(entry.direction, entry.path), entry);
      for (const { snapshotId, recordCount } of listFed())
        for (let from = 0; from < recordCount; from += FILL_ROWS)
          ranges.push([toRecordId(snapshotId, from), toRecordId(snapshotId, from + FILL_ROWS)]);
      return Promise.resolve();
    });
    for (const [fromId, untilId] of ranges) {
      await rest();
      await enqueue(() => fillRange(entry, fromId, untilId));
    }
    await noteUse(entry);
    entry.column = PATH_COLUMNS[entry.slot]?.name ?? null;
  };
  const findFree = (direction: Direction): number => {
    const taken = new Set(
      [...entries.values()].filter((own) => own.direction === direction).map(({ slot }) => slot),
    );
    return PATH_COLUMNS.findIndex((_column, slot) => !taken.has(slot));
  };
  const work = (entry: Entry, task: Promise<void>): void => {
    const own = task
      .catch(() => {
        // What can't be kept is read from the bodies; a column that nobody has seen is free again.
        if (entry.column === null) entries.delete(toKey(entry.direction, entry.path));
      })
      .finally(() => filling.delete(own));
    filling.add(own);
  };

  const use: PathStore['use'] = (direction, path) => {
    if (isOwnField(path) || toPathValues(path, direction) === null) return undefined;
    const own = entries.get(toKey(direction, path));
    if (own !== undefined) {
      if (!used.has(own) && own.column !== null) work(own, noteUse(own));
      used.add(own);
      return own;
    }
    const slot = findFree(direction);
    if (slot < 0) return undefined;
    const entry: Entry = { direction, path, slot, column: null };
    entries.set(toKey(direction, path), entry);
    used.add(entry);
    work(entry, fillAll(entry));
    return entry;
  };

  return {
    use,
    resolve({ scope, filter }) {
      const resolved = mapLeaves(filter, (condition) => {
        const kept = isBodyField(condition.field) ? use(scope.direction, condition.field) : undefined;
        return kept === undefined ? condition : ({ ...condition, kept } satisfies KeptCondition);
      });
      return { scope, filter: resolved };
    },
    async fill(direction, fromId, untilId) {
      const own = [...entries.values()].filter((entry) => entry.direction === direction);
      const sets = own.flatMap((entry) => toFillSql(entry) ?? []);
      if (sets.length === 0) return;
      await connection.run(
        `UPDATE ${direction} SET ${sets.join(', ')} WHERE record_id >= ${fromId} AND record_id < ${untilId}`,
      );
    },
    async settle() {
      while (filling.size > 0) await Promise.all(filling);
    },
  };
}

function toKey(direction: Direction, path: string): string {
  return `${direction} ${path}`;
}
