import type { DuckDBConnection } from '@duckdb/node-api';
import duckdb, { type Connection } from '@duckdb/node-bindings';
import type { SqlFailure } from '../../../../common/model/records/sql.ts';
import { SQL_TABLES } from '../../../../common/sql/sql-tables.ts';
import { OWN_VALUES_TABLE } from '../own-values.ts';
import { isNode, listReferences, readText, type Json, type References } from './list-references.ts';
import { splitExplain } from './split-explain.ts';
import { toFailure } from './statement-errors.ts';

/** A statement that may run, and the tables that it may read. */
interface CheckedStatement {
  readonly kind: 'checked';
  /** What is run: nothing else than what was checked. */
  readonly sql: string;
  /** The statement without what asks how it would be run. */
  readonly body: string;
  readonly tables: ReadonlySet<string>;
}

const TABLE_FUNCTIONS = new Set(['range', 'generate_series', 'unnest', 'repeat', 'json_each', 'json_tree']);
/** They tell about this computer, write to a log, or hold a thread without working. */
const REFUSED_FUNCTIONS = ['current_setting', 'write_log', 'sleep_ms', 'pg_sleep'];
const OWN_TABLES = new Set<string>(SQL_TABLES.map(({ name }) => name));
/** Tables of the engine that the views of records read. */
const RECORD_TABLES = new Set(['inbound', 'outbound']);

/**
 * Decides whether a statement may run. The engine's tables hold the records of every connection, so a statement is read
 * as DuckDB itself reads it, and may name nothing but the tables made for it: never a schema or a catalog, and only
 * functions that make rows of their own. Whatever the check doesn't know, it refuses. Files, the network and settings
 * are out of reach besides: see `openEngineDatabase`. Call it before the tables are made, and `findForeignSource` after.
 */
export async function checkStatement(
  connection: DuckDBConnection,
  text: string,
): Promise<CheckedStatement | SqlFailure> {
  // The check reads the whole text, the engine only up to here.
  if (text.includes('\0')) return refuse('statement', 'The statement holds a NUL character.');
  const { prefix, body } = splitExplain(text);
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [body]);
  const tree = String(reader.getRows()[0]?.[0]);
  const parsed = JSON.parse(tree) as Readonly<Record<string, Json>>;
  if (parsed['error'] === true) return toParserFailure(parsed, body, text.length - body.length);
  const statements = (parsed['statements'] ?? []) as readonly Json[];
  if (statements.length === 0) return refuse('empty');
  if (statements.length > 1) return refuse('several');
  const references = listReferences(statements);
  const failure = findFault(references, await listReadingMacros(connection));
  if (failure !== null) return failure;
  // DuckDB's own answer to which tables a statement names, from where names mean what they mean when it runs.
  const named = await listNamedTables(connection, tree);
  const foreign = named.find((name) => !OWN_TABLES.has(name));
  if (foreign !== undefined) return refuse('table', foreign);
  const tables = new Set(references.tables.map(({ name }) => name));
  return { kind: 'checked', sql: `${prefix}${body}`, body, tables };
}

/**
 * Looks at how DuckDB would run a statement over the tables made for it, and refuses it where any row would come from
 * elsewhere, whatever the check before has let through.
 */
export async function findForeignSource(
  connection: DuckDBConnection,
  { body, tables }: Pick<CheckedStatement, 'body' | 'tables'>,
): Promise<SqlFailure | null> {
  const reader = await connection.runAndReadAll(`EXPLAIN (FORMAT json) ${body}`);
  const plan = JSON.parse(String(reader.getRows()[0]?.[1])) as Json;
  const pending: Json[] = [plan];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (Array.isArray(node)) {
      for (const child of node as readonly Json[]) pending.push(child);
    }
    if (!isNode(node)) continue;
    const name = readText(node['extra_info'], 'Function').trim().toLowerCase();
    if (name !== '' && !TABLE_FUNCTIONS.has(name)) return refuse('function', name);
    const table = readText(node['extra_info'], 'Table');
    if (table !== '' && !isReadable(table, tables)) return refuse('table', table);
    pending.push(node['children'] ?? null);
  }
  return null;
}

/** Scans are named as `catalog.schema.table`; what was copied for a statement lies in the catalog of temporary tables. */
function isReadable(table: string, tables: ReadonlySet<string>): boolean {
  const [name = '', schema, catalog] = table.replaceAll('"', '').split('.').toReversed();
  // No statement can name it: the views of records read it, for the columns of their own connection.
  if (name === OWN_VALUES_TABLE) return true;
  if (!tables.has(name)) return false;
  return RECORD_TABLES.has(name) || (schema === 'main' && catalog === 'temp') || schema === undefined;
}

/**
 * The tables that DuckDB finds named in a parsed statement, with the names of WITH in their scopes taken out. They are
 * looked for at once, while nothing else is answered: in the statement as it is written anew, without its comments.
 */
async function listNamedTables(connection: DuckDBConnection, tree: string): Promise<string[]> {
  try {
    const written = 'SELECT json_deserialize_sql($1::VARCHAR::JSON)';
    const reader = await connection.runAndReadAll(written, [tree]);
    const sql = String(reader.getRows()[0]?.[0]);
    // Only the bindings have this function, and the connection of the package is one of theirs.
    const bound = (connection as unknown as { readonly connection: Connection }).connection;
    const list = duckdb.get_table_names(bound, sql, true);
    return Array.from({ length: duckdb.get_list_size(list) }, (_, place) => {
      const named = duckdb.get_varchar(duckdb.get_list_child(list, place)).toLowerCase();
      // Some come with the name that they have in the statement; a name with a space is in quotes.
      return named.startsWith('"') ? named : (named.split(' as ')[0] ?? named);
    });
  } catch {
    // The statement is wrong, which is said with its place when it runs.
    return [];
  }
}

function refuse(fault: SqlFailure['fault'], message = ''): SqlFailure {
  return { kind: 'failed', fault, message, offset: null };
}

function toParserFailure(parsed: Readonly<Record<string, Json>>, body: string, skipped: number): SqlFailure {
  if (parsed['error_type'] === 'not implemented') return refuse('not-reading');
  const message = readText(parsed, 'error_message');
  const position = Number(parsed['position'] ?? Number.NaN);
  const offset = Number.isSafeInteger(position) ? skipped + toPlace(body, position) : null;
  return { ...toFailure(new Error(message), body), offset };
}

/** The parser counts characters, of which some take two places in a text. */
function toPlace(text: string, characters: number): number {
  let place = 0;
  for (let count = 0; count < characters && place < text.length; count += 1) {
    place += (text.codePointAt(place) ?? 0) > 0xffff ? 2 : 1;
  }
  return place;
}

function findFault(references: References, macros: ReadonlySet<string>): SqlFailure | null {
  const [unknown] = references.unknown;
  if (unknown !== undefined) return refuse('not-reading', unknown);
  const table = references.tables.find(({ name, place }) => place.length > 0 || !OWN_TABLES.has(name));
  if (table !== undefined) return refuse('table', [...table.place, table.name].join('.'));
  const rows = [...references.tableFunctions].find((name) => !TABLE_FUNCTIONS.has(name));
  if (rows !== undefined) return refuse('function', rows);
  const called = [...references.functions].find(
    (name) => REFUSED_FUNCTIONS.includes(name) || macros.has(name),
  );
  return called === undefined ? null : refuse('function', called);
}

/** Functions of DuckDB that are written as statements over its own tables. */
async function listReadingMacros(connection: DuckDBConnection): Promise<Set<string>> {
  const reader = await connection.runAndReadAll(
    `SELECT DISTINCT lower(function_name) FROM duckdb_functions()
     WHERE function_type IN ('macro', 'table_macro') AND macro_definition ILIKE '%FROM%' AND internal`,
  );
  return new Set(reader.getRows().map(([name]) => String(name)));
}
