import type { DuckDBConnection } from '@duckdb/node-api';
import {
  BODY_ROOTS,
  type BodyRoot,
  type FoundPath,
  type FoundPaths,
  isBodyField,
  isOwnField,
  MAX_LISTED_PATHS,
  MAX_PATH_STEPS,
  PATH_TYPES,
  type PathType,
  SAMPLED_RECORDS,
  writeBodyPath,
} from '../../../../common/model/records/body-path.ts';
import { toRecordId } from '../../../../common/model/records/record.ts';
import { mapLeaves } from '../../../../common/query/filter-tree.ts';
import type { Direction } from '../../../../common/reporting/reports.ts';
import { BODY_COLUMNS } from '../../../../common/sql/filter-statement.ts';
import type { CallContext } from '../../../calls/calls.ts';
import { countRecords } from '../count-records.ts';
import { readRows, toTypes } from '../engine-database.ts';
import { ENGINE_COLUMNS, PATH_COLUMNS } from '../engine-tables.ts';
import { type KeptCondition, type KeptPath, toFilterSql, toKeptList, toPathValues } from '../filter-sql.ts';
import { type FilteredRecords, toSourceSql } from '../resolved-scope.ts';

/** Keys that differ from record to record would fill the memory: beyond so many no new path is followed. */
const MAX_NODES = 20_000;
/** Elements of one array that are looked at. */
const MAX_ELEMENTS = 200;

/** How many of the records have been read. */
export interface PathsProgress {
  readonly read: number;
  readonly total: number;
}

/**
 * Finds the paths in the bodies of some records, with their types and how many records have each: of a sample, or of all
 * of them. A body that isn't JSON has none.
 */
export async function findPaths(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  { isExact }: { readonly isExact: boolean },
  { signal, pause, progress }: Pick<CallContext<PathsProgress>, 'signal' | 'pause' | 'progress'>,
): Promise<FoundPaths> {
  const { direction } = scope;
  const where = toFilterSql(filter, direction);
  const recordCount = await countRecords(connection, scope, where);
  const every = isExact ? 1 : Math.max(1, Math.floor(recordCount / SAMPLED_RECORDS));
  const roots = listRoots(direction);
  const columns = roots.map((root) => BODY_COLUMNS[root]);
  const source = toSourceSql(scope, ['record_id', ...columns], where);
  const among = every === 1 ? '' : `WHERE hash(record_id) % ${every} = 0`;
  const bodies = await connection.stream(
    `SELECT ${columns.join(', ')} FROM ${source} ${among}`,
    [...where.values],
    toTypes(where.values),
  );
  const tree = createPathTree();
  for (;;) {
    signal.throwIfAborted();
    const chunk = await bodies.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    for (const row of chunk.getRows()) {
      tree.beginRecord();
      for (const [place, root] of roots.entries()) tree.add(root, row[place]);
    }
    progress({ read: tree.recordCount, total: Math.ceil(recordCount / every) });
    await pause();
  }
  const paths = tree.list();
  return {
    paths: paths.slice(0, MAX_LISTED_PATHS),
    pathCount: paths.length,
    readCount: tree.recordCount,
    recordCount: isExact ? tree.recordCount : recordCount,
  };
}

/** The bodies that records of a direction have. */
function listRoots(direction: keyof typeof ENGINE_COLUMNS): readonly BodyRoot[] {
  return BODY_ROOTS.filter((root) =>
    ENGINE_COLUMNS[direction].some(({ name }) => name === BODY_COLUMNS[root]),
  );
}

interface PathNode {
  readonly children: Map<string, PathNode>;
  /** Any element of the array. */
  elements: PathNode | null;
  readonly counts: number[];
  recordCount: number;
  /** The last record that has it, and the types that it has there. */
  record: number;
  types: number;
}

/** Counts the paths of one body after another. */
export function createPathTree() {
  const roots = new Map<BodyRoot, PathNode>();
  let nodeCount = 0;
  let recordCount = 0;

  const createNode = (): PathNode => {
    nodeCount += 1;
    return {
      children: new Map(),
      elements: null,
      counts: PATH_TYPES.map(() => 0),
      recordCount: 0,
      record: 0,
      types: 0,
    };
  };
  const note = (node: PathNode, type: PathType): void => {
    const at = PATH_TYPES.indexOf(type);
    if (node.record !== recordCount) {
      node.record = recordCount;
      node.types = 0;
      node.recordCount += 1;
    }
    if ((node.types & (1 << at)) !== 0) return;
    node.types |= 1 << at;
    node.counts[at] = (node.counts[at] ?? 0) + 1;
  };
  /** No deeper than a path can go, however deep the body is. */
  const walk = (node: PathNode, value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth === MAX_PATH_STEPS) return;
    if (Array.isArray(value)) {
      if (value.length === 0) return;
      const elements = (node.elements ??= createNode());
      for (const element of value.slice(0, MAX_ELEMENTS)) {
        note(elements, toPathType(element));
        walk(elements, element, depth + 1);
      }
      return;
    }
    for (const key of Object.keys(value)) {
      let child = node.children.get(key);
      if (child === undefined) {
        if (nodeCount >= MAX_NODES || key.length > MAX_KEY_CHARACTERS) continue;
        child = createNode();
        node.children.set(key, child);
      }
      const own = (value as Record<string, unknown>)[key];
      note(child, toPathType(own));
      walk(child, own, depth + 1);
    }
  };
  const listBelow = (root: BodyRoot, node: PathNode, steps: readonly (string | null)[]): FoundPath[] => {
    const path = steps.length === 0 ? null : writeBodyPath({ root, steps });
    const types = node.counts
      .map((count, at) => ({ type: PATH_TYPES[at] ?? 'null', count }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count);
    return [
      ...(path === null ? [] : [{ path, recordCount: node.recordCount, types }]),
      ...[...node.children].flatMap(([key, child]) => listBelow(root, child, [...steps, key])),
      ...(node.elements === null ? [] : listBelow(root, node.elements, [...steps, null])),
    ];
  };

  return {
    get recordCount() {
      return recordCount;
    },
    beginRecord(): void {
      recordCount += 1;
    },
    /** Adds a body of the record that was begun. */
    add(root: BodyRoot, body: unknown): void {
      if (typeof body !== 'string' || !/^\s*[{[]/.test(body)) return;
      let value: unknown;
      try {
        value = JSON.parse(body);
      } catch {
        return;
      }
      let node = roots.get(root);
      if (node === undefined) {
        node = createNode();
        roots.set(root, node);
      }
      walk(node, value, 0);
    },
    list: (): FoundPath[] =>
      [...roots]
        .flatMap(([root, node]) => listBelow(root, node, []))
        .sort((a, b) => b.recordCount - a.recordCount || (a.path < b.path ? -1 : 1)),
  };
}

/** Longer keys are no part of a path. */
const MAX_KEY_CHARACTERS = 200;

/** The type of a value of JSON. */
export function toPathType(value: unknown): PathType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'string') return 'text';
  return typeof value === 'object' ? 'object' : typeof value === 'number' ? 'number' : 'boolean';
}

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
