import type { DuckDBConnection } from '@duckdb/node-api';
import { RECORD_ID_SPAN } from '../../../../common/model/records/record-ids.ts';
import { createFamilyLearner, type ErrorFamilyLearner } from '../../families/learn-families.ts';
import { readRows, toTypes } from '../engine-database.ts';
import type { FeedSnapshot, FeedSource, FoundPatterns } from './feed-source.ts';

type Owner = Pick<FeedSnapshot, 'connectionId' | 'direction'>;

/** The families of a connection's errors in one direction, and the patterns that belong to each. */
export interface KeptFamilies {
  /** Returns the family of an error as far as it is known now; empty for an empty text. */
  find(text: string): string;
  /**
   * Compares what is new, and writes patterns and families within the transaction that is open; records whose family
   * turned out to be part of another one get that one. Returns whether there were any.
   */
  keep(): Promise<boolean>;
}

/** The families of every connection whose records are fed. */
export interface FamilyStore {
  /** Loads those of a connection and direction, once. */
  open(owner: Owner): Promise<KeptFamilies>;
  /** Forgets what is of other connections than these. */
  forgetOthers(connectionIds: readonly string[]): Promise<void>;
  /** Goes back to what is written: for after a transaction that was rolled back. */
  reload(): Promise<void>;
  /** Frees what makes feeding many records fast. */
  rest(): void;
  /** Patterns that the cache doesn't have yet; each is returned once. */
  takeFound(): FoundPatterns[];
}

/** Rows that are written by one statement. */
const ROWS_AT_ONCE = 500;

/** Keeps families in the engine's tables; what these lack, because the file was begun anew, comes from the cache. */
export function createFamilyStore(connection: DuckDBConnection, source: FeedSource): FamilyStore {
  const opened = new Map<string, Promise<LoadedFamilies>>();
  const loaded: LoadedFamilies[] = [];
  return {
    open(owner) {
      const key = JSON.stringify([owner.connectionId, owner.direction]);
      const before = opened.get(key);
      if (before !== undefined) return before;
      const own = loadFamilies(connection, source, owner).then((families) => {
        loaded.push(families);
        return families;
      });
      own.catch(() => opened.delete(key));
      opened.set(key, own);
      return own;
    },
    async forgetOthers(connectionIds) {
      const isOther = ({ owner }: LoadedFamilies): boolean => !connectionIds.includes(owner.connectionId);
      for (const { owner } of loaded.filter(isOther))
        opened.delete(JSON.stringify([owner.connectionId, owner.direction]));
      loaded.splice(0, loaded.length, ...loaded.filter((own) => !isOther(own)));
      const rows = await readRows<[string]>(connection, 'SELECT DISTINCT connection_id FROM error_families');
      for (const [connectionId] of rows.filter(([own]) => !connectionIds.includes(own)))
        await connection.run('DELETE FROM error_families WHERE connection_id = $1', [connectionId]);
    },
    async reload() {
      for (const own of loaded) await own.reload();
    },
    rest() {
      for (const own of loaded) own.rest();
    },
    takeFound: () => loaded.flatMap((own) => own.takeFound()),
  };
}

interface LoadedFamilies extends KeptFamilies {
  readonly owner: Owner;
  reload(): Promise<void>;
  rest(): void;
  takeFound(): FoundPatterns[];
}

async function loadFamilies(
  connection: DuckDBConnection,
  source: FeedSource,
  owner: Owner,
): Promise<LoadedFamilies> {
  const { connectionId, direction } = owner;
  let learner: ErrorFamilyLearner = createFamilyLearner();
  /** What the engine's table has. */
  let written = new Map<string, string>();
  /** What the cache has, as far as it was told. */
  const told = new Map<string, string>();
  let isBehind = false;

  const reload = async (): Promise<void> => {
    const own = 'connection_id = $1 AND direction = $2';
    const rows = await readRows<[pattern: string, family: string]>(
      connection,
      `SELECT pattern, family FROM error_families WHERE ${own} ORDER BY place`,
      [connectionId, direction],
    );
    written = new Map(rows);
    // A process may have ended before the cache was told what it had found.
    const all = new Map([...told, ...written]);
    isBehind = [...told.keys()].some((pattern) => !written.has(pattern));
    learner = createFamilyLearner([...all].map(([pattern, family]) => ({ pattern, family })));
  };
  for (const { pattern, family } of source.listErrorPatterns(connectionId, direction))
    told.set(pattern, family);
  await reload();

  return {
    owner,
    find: (text) => learner.find(text),
    async keep() {
      if (!learner.settle() && !isBehind) return false;
      isBehind = false;
      const added: [pattern: string, family: string, place: number][] = [];
      const joined: [pattern: string, family: string][] = [];
      const moved: [from: string, family: string][] = [];
      for (const { pattern, family } of learner.list()) {
        const before = written.get(pattern);
        if (before === family) continue;
        written.set(pattern, family);
        if (before === undefined) added.push([pattern, family, written.size]);
        else joined.push([pattern, family]);
        if (pattern !== family) moved.push([before ?? pattern, family]);
      }
      await writeRows(connection, added, (rows, bind) => {
        const [id, way] = [bind(connectionId), bind(direction)];
        return `INSERT INTO error_families SELECT ${id}, ${way}, a, b, c FROM ${rows}`;
      });
      await writeRows(connection, joined, (rows, bind) => {
        const own = `connection_id = ${bind(connectionId)} AND direction = ${bind(direction)}`;
        return `UPDATE error_families SET family = b FROM ${rows} WHERE ${own} AND pattern = a`;
      });
      const snapshots = listOwn(source, owner);
      await writeRows(connection, moved, (rows) =>
        [
          `UPDATE ${direction} SET error_pattern = b FROM (SELECT DISTINCT a, b FROM ${rows})`,
          `WHERE error_pattern = a AND record_id // ${RECORD_ID_SPAN} IN (${snapshots.join(', ')})`,
        ].join(' '),
      );
      return moved.length > 0;
    },
    reload,
    rest: () => learner.forgetTexts(),
    takeFound() {
      const patterns = [...written]
        .filter(([pattern, family]) => told.get(pattern) !== family)
        .map(([pattern, family]) => ({ pattern, family }));
      for (const { pattern, family } of patterns) told.set(pattern, family);
      return patterns.length === 0 ? [] : [{ connectionId, direction, patterns }];
    },
  };
}

/** Snapshots of a connection and direction; zero is none. */
function listOwn(source: FeedSource, { connectionId, direction }: Owner): number[] {
  const own = source
    .list()
    .filter((snapshot) => snapshot.connectionId === connectionId && snapshot.direction === direction);
  return [0, ...own.map(({ snapshotId }) => snapshotId)];
}

/** Runs a statement over rows, in a table expression with the columns `a`, `b` and so on. */
async function writeRows(
  connection: DuckDBConnection,
  rows: readonly (readonly (string | number)[])[],
  toSql: (rows: string, bind: (value: string | number) => string) => string,
): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const values: (string | number)[] = [];
    const bind = (value: string | number): string => `$${values.push(value)}`;
    const listed = rows.slice(at, at + ROWS_AT_ONCE).map((row) => `(${row.map(bind).join(', ')})`);
    const names = ['a', 'b', 'c'].slice(0, rows[at]?.length ?? 0);
    const sql = toSql(`(VALUES ${listed.join(', ')}) AS listed(${names.join(', ')})`, bind);
    await connection.run(sql, values, toTypes(values));
  }
}
