import type { DuckDBConnection } from '@duckdb/node-api';
import {
  BODY_ROOTS,
  type BodyRoot,
  type FoundPath,
  type FoundPaths,
  MAX_LISTED_PATHS,
  MAX_PATH_STEPS,
  PATH_TYPES,
  type PathType,
  SAMPLED_RECORDS,
  writeBodyPath,
} from '../../../../common/model/records/body-path.ts';
import { BODY_COLUMNS } from '../../../../common/sql/filter-statement.ts';
import type { CallContext } from '../../../calls/calls.ts';
import { countRecords } from '../count-records.ts';
import { toTypes } from '../engine-database.ts';
import { ENGINE_COLUMNS } from '../engine-tables.ts';
import { toFilterSql } from '../filter-sql.ts';
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
