import type { DuckDBConnection } from '@duckdb/node-api';
import { RECORD_ID_SPAN } from '../../../../common/model/records/record.ts';
import type {
  ConnectionFamilies,
  FamilyChange,
} from '../../../../common/model/connections/family-changes.ts';
import { DIRECTIONS, type Direction } from '../../../../common/reporting/reports.ts';
import { listTouched, prepareChanges, type FamilyNames } from '../../families/apply-changes.ts';
import { createFamilyLearner, type ErrorFamilyLearner } from '../../families/learn-families.ts';
import { quoteText, readRows, toTypes, commit, rollBack } from '../engine-database.ts';
import { toChangeSql, toShapeSql, type ActSql } from './act-sql.ts';
import type { FeedSnapshot, FeedSource, FoundPatterns } from './feed-source.ts';

type Owner = Pick<FeedSnapshot, 'connectionId' | 'direction'>;

/** What a person made of the families of every connection that has such changes. */
export type FamiliesByConnection = Readonly<Record<string, ConnectionFamilies>>;

/** The families of a connection's errors in one direction, and the patterns that belong to each. */
interface KeptFamilies {
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
  /** What a person changed, from the next turn of feeding on. */
  setChanges(changes: FamiliesByConnection): void;
  /** Whether some records have families by other changes than those that hold now. */
  isBehind(snapshots: readonly FeedSnapshot[]): boolean;
  /**
   * Gives records the families that follow from the changes of now, in a transaction for each connection and direction.
   * Returns those whose records changed.
   */
  catchUp(snapshots: readonly FeedSnapshot[]): Promise<Owner[]>;
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
/** Texts that are written before other calls have their turn. */
const TEXTS_AT_ONCE = 2_000;
const TABLES = ['error_families', 'family_names', 'family_changes'];

/** Lets other calls have their turn. */
const haveTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const toKey = ({ connectionId, direction }: Owner): string => JSON.stringify([connectionId, direction]);

/** Keeps families in the engine's tables; what these lack, because the file was begun anew, comes from the cache. */
export async function createFamilyStore(
  connection: DuckDBConnection,
  source: FeedSource,
): Promise<FamilyStore> {
  const opened = new Map<string, Promise<LoadedFamilies>>();
  const loaded: LoadedFamilies[] = [];
  let wanted: FamiliesByConnection = {};
  const rows = await readRows<[string, Direction, string]>(
    connection,
    'SELECT connection_id, direction, changes FROM family_changes',
  );
  /** The changes that records have their families by. */
  const applied = new Map(
    rows.map(([connectionId, direction, changes]) => [
      toKey({ connectionId, direction }),
      JSON.parse(changes) as FamilyChange[],
    ]),
  );
  const getWanted = ({ connectionId, direction }: Owner): readonly FamilyChange[] =>
    wanted[connectionId]?.[direction] ?? [];
  const getApplied = (owner: Owner): readonly FamilyChange[] => applied.get(toKey(owner)) ?? [];
  const listOutdated = (snapshots: readonly FeedSnapshot[]): Owner[] => {
    const owners = new Map(snapshots.map((own): [string, Owner] => [toKey(own), own]));
    const toIds = (changes: readonly FamilyChange[]): string =>
      JSON.stringify(changes.map(({ id, isUndone }) => [id, isUndone]));
    return [...owners.values()].filter((own) => toIds(getWanted(own)) !== toIds(getApplied(own)));
  };
  const open = (owner: Owner): Promise<LoadedFamilies> => {
    const key = toKey(owner);
    const before = opened.get(key);
    if (before !== undefined) return before;
    const own = loadFamilies(connection, source, owner, getApplied).then((families) => {
      loaded.push(families);
      return families;
    });
    own.catch(() => opened.delete(key));
    opened.set(key, own);
    return own;
  };
  return {
    open,
    setChanges(changes) {
      wanted = changes;
    },
    isBehind: (snapshots) => listOutdated(snapshots).length > 0,
    async catchUp(snapshots) {
      const changed: Owner[] = [];
      for (const owner of listOutdated(snapshots)) {
        const own = await open(owner);
        const changes = getWanted(owner);
        await connection.run('BEGIN');
        try {
          if (await own.change(changes)) changed.push(owner);
        } catch (error) {
          await rollBack(connection);
          await own.reload();
          throw error;
        }
        await commit(connection);
        applied.set(toKey(owner), [...changes]);
      }
      return changed;
    },
    async forgetOthers(connectionIds) {
      const isOther = ({ owner }: LoadedFamilies): boolean => !connectionIds.includes(owner.connectionId);
      for (const { owner } of loaded.filter(isOther)) opened.delete(toKey(owner));
      loaded.splice(0, loaded.length, ...loaded.filter((own) => !isOther(own)));
      for (const table of TABLES) {
        const listed = await readRows<[string]>(connection, `SELECT DISTINCT connection_id FROM ${table}`);
        for (const [connectionId] of listed.filter(([own]) => !connectionIds.includes(own))) {
          await connection.run(`DELETE FROM ${table} WHERE connection_id = $1`, [connectionId]);
          for (const direction of DIRECTIONS) applied.delete(toKey({ connectionId, direction }));
        }
      }
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
  /** Gives records the families of other changes, within the transaction that is open. Returns whether any changed. */
  change(changes: readonly FamilyChange[]): Promise<boolean>;
  reload(): Promise<void>;
  rest(): void;
  takeFound(): FoundPatterns[];
}

async function loadFamilies(
  connection: DuckDBConnection,
  source: FeedSource,
  owner: Owner,
  getApplied: (owner: Owner) => readonly FamilyChange[],
): Promise<LoadedFamilies> {
  const { connectionId, direction } = owner;
  const own = 'connection_id = $1 AND direction = $2';
  let learner: ErrorFamilyLearner = createFamilyLearner();
  /** What the engine's table has. */
  let written = new Map<string, string>();
  /** What the cache has, as far as it was told. */
  const told = new Map<string, string>();
  let isBehind = false;
  let changes: readonly FamilyChange[] = [];
  let rules = prepareChanges([], (name) => name);
  /** Whether values of a variable are families, and those that texts had so far. */
  let hasParts = false;
  let hasNewPart = false;
  const seen = new Set<string>();

  const setChanges = (next: readonly FamilyChange[]): void => {
    changes = next;
    hasParts = next.some(({ act }) => act.kind === 'split');
    rules = prepareChanges(next, learner.findOfPattern);
  };
  const reload = async (): Promise<void> => {
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
    setChanges(getApplied(owner));
  };
  for (const { pattern, family } of source.listErrorPatterns(connectionId, direction))
    told.set(pattern, family);
  await reload();
  const find = (text: string): string => {
    const learned = learner.find(text);
    if (changes.length === 0) return learned;
    const family = rules.toFamily(learned, text);
    if (hasParts && !seen.has(family)) {
      seen.add(family);
      hasNewPart = true;
    }
    return family;
  };

  /** Finds the families of records anew that have one of some names. Returns whether any changed. */
  const findAnew = async ({ names, shapes }: FamilyNames): Promise<boolean> => {
    const conditions = [
      ...(names.size === 0 ? [] : [`error_pattern IN (${[...names].map(quoteText).join(', ')})`]),
      ...shapes.map(toShapeSql),
    ];
    if (conditions.length === 0) return false;
    const where = `record_id // ${RECORD_ID_SPAN} IN (${listOwn(source, owner).join(', ')})`;
    const texts = await connection.stream(
      `SELECT DISTINCT error, error_pattern FROM ${direction} WHERE ${where} AND (${conditions.join(' OR ')})`,
    );
    const moved: (readonly [text: string, before: string, family: string])[] = [];
    for (;;) {
      const chunk = await texts.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      for (const [text, before] of chunk.getRows() as [string, string][]) {
        const family = find(text);
        if (family !== before) moved.push([text, before, family]);
      }
      await haveTurn();
    }
    if (moved.length === 0) return false;
    await connection.run('CREATE TEMP TABLE moved_texts (text VARCHAR, was VARCHAR, family VARCHAR)');
    try {
      const appender = await connection.createAppender('moved_texts', 'main', 'temp');
      for (const [place, row] of moved.entries()) {
        if (place % TEXTS_AT_ONCE === 0) await haveTurn();
        for (const value of row) appender.appendVarchar(value);
        appender.endRow();
      }
      appender.closeSync();
      await connection.run(
        `UPDATE ${direction} SET error_pattern = family FROM moved_texts
         WHERE error = text AND error_pattern = was AND ${where}`,
      );
    } finally {
      await connection.run('DROP TABLE temp.moved_texts');
    }
    return true;
  };
  /** Does what records tell by themselves, without a look at each text. */
  const runAll = async (statements: readonly ActSql[]): Promise<boolean> => {
    for (const { where, family } of statements) {
      await connection.run(
        `UPDATE ${direction} SET error_pattern = ${family} WHERE ${where}
         AND record_id // ${RECORD_ID_SPAN} IN (${listOwn(source, owner).join(', ')})`,
      );
    }
    return statements.length > 0;
  };
  /** Writes what has become of families that changes name, for whoever asks by a name of before. */
  const writeNames = async (): Promise<void> => {
    hasNewPart = false;
    await connection.run(`DELETE FROM family_names WHERE ${own}`, [connectionId, direction]);
    const rows: [name: string, family: string][] = [];
    const asked = [...rules.named].map((name) => [name, name] as const);
    for (const [name, from] of [...asked, ...rules.former]) {
      const { names, shapes } = rules.findNow(from);
      for (const family of names) if (family !== name) rows.push([name, family]);
      for (const shape of shapes) {
        const parts = await readRows<[string]>(
          connection,
          `SELECT DISTINCT error_pattern FROM ${direction} WHERE ${toShapeSql(shape)}
           AND record_id // ${RECORD_ID_SPAN} IN (${listOwn(source, owner).join(', ')})`,
        );
        for (const [family] of parts) if (!names.has(family)) rows.push([name, family]);
      }
    }
    await writeRows(connection, rows, (listed, bind) => {
      const [id, way] = [bind(connectionId), bind(direction)];
      return `INSERT INTO family_names SELECT ${id}, ${way}, a, b FROM ${listed}`;
    });
  };

  return {
    owner,
    find,
    async keep() {
      const isNew = learner.settle();
      if (!isNew && !isBehind) {
        if (hasNewPart) await writeNames();
        return false;
      }
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
        const where = `connection_id = ${bind(connectionId)} AND direction = ${bind(direction)}`;
        return `UPDATE error_families SET family = b FROM ${rows} WHERE ${where} AND pattern = a`;
      });
      if (changes.length > 0) {
        // By the changes as they were: that is what records are called until now.
        const touched = rules.findEver(moved.flat());
        setChanges(changes);
        const isChanged = await findAnew(touched);
        await writeNames();
        return isChanged;
      }
      const snapshots = listOwn(source, owner);
      await writeRows(connection, moved, (rows) =>
        [
          `UPDATE ${direction} SET error_pattern = b FROM (SELECT DISTINCT a, b FROM ${rows})`,
          `WHERE error_pattern = a AND record_id // ${RECORD_ID_SPAN} IN (${snapshots.join(', ')})`,
        ].join(' '),
      );
      return moved.length > 0;
    },
    async change(next) {
      const touched = listTouched(changes, next, learner.findOfPattern);
      const statements = toChangeSql(changes, next, {
        findLearned: learner.findOfPattern,
        listLearned: () => [...written.keys()],
      });
      setChanges(next);
      const isChanged = statements === null ? await findAnew(touched) : await runAll(statements);
      await writeNames();
      await connection.run(`DELETE FROM family_changes WHERE ${own}`, [connectionId, direction]);
      await connection.run('INSERT INTO family_changes VALUES ($1, $2, $3)', [
        connectionId,
        direction,
        JSON.stringify(next),
      ]);
      return isChanged;
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
