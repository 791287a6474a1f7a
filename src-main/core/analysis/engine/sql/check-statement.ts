import type { DuckDBConnection } from '@duckdb/node-api';
import type { SqlFailure } from '../../../../common/model/records/sql.ts';
import { SQL_TABLES } from '../../../../common/sql/sql-tables.ts';
import { toFailure } from './statement-errors.ts';

/** A statement that may run, and the tables that it may read. */
interface CheckedStatement {
  readonly kind: 'checked';
  /** What is run: nothing else than what was checked. */
  readonly sql: string;
  readonly tables: ReadonlySet<string>;
}

type Json = null | string | number | boolean | readonly Json[] | { readonly [key: string]: Json };

const TABLE_FUNCTIONS = new Set(['range', 'generate_series', 'unnest', 'repeat', 'json_each', 'json_tree']);
/** They tell about this computer, write to a log, or hold a thread without working. */
const REFUSED_FUNCTIONS = new Set(['current_setting', 'write_log', 'sleep_ms', 'pg_sleep']);
/** Sources of rows that are built of others, which are looked at in turn. */
const PLAIN_SOURCES = new Set([
  'BASE_TABLE',
  'TABLE_FUNCTION',
  'SUBQUERY',
  'JOIN',
  'EXPRESSION_LIST',
  'EMPTY',
  'PIVOT',
  'SHOW_REF',
]);
const QUERY_NODES = /_NODE$/;
const EXPLAIN_OPTION = String.raw`(?:analyze|format\s+\w+)`;
/** What goes before the statement that is explained; its options may stand in brackets, as in `(ANALYZE, FORMAT json)`. */
const EXPLAIN = new RegExp(
  String.raw`^(?:\s|--[^\n]*(?:\n|$)|/\*[\s\S]*?\*/)*explain\b` +
    String.raw`(\s+analyze\b|\s*\(\s*${EXPLAIN_OPTION}(?:\s*,\s*${EXPLAIN_OPTION})*\s*\))?`,
  'i',
);
const OWN_TABLES = new Set<string>(SQL_TABLES.map(({ name }) => name));

/**
 * Decides whether a statement may run. The engine's tables hold the records of every connection, so a statement is read
 * as DuckDB itself reads it, and may name nothing but the tables made for it: never a schema or a catalog, and only
 * functions that make rows of their own. Whatever the check doesn't know, it refuses. Files, the network and settings
 * are out of reach besides: see `openEngineDatabase`.
 */
export async function checkStatement(
  connection: DuckDBConnection,
  text: string,
): Promise<CheckedStatement | SqlFailure> {
  // The check reads the whole text, the engine only up to here.
  if (text.includes('\0')) return refuse('statement', 'The statement holds a NUL character.');
  const explain = EXPLAIN.exec(text);
  const body = explain === null ? text : text.slice(explain[0].length);
  const prefix = explain === null ? '' : `EXPLAIN ${explain[1]?.trim() ?? ''} `;
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [body]);
  const parsed = JSON.parse(String(reader.getRows()[0]?.[0])) as Readonly<Record<string, Json>>;
  if (parsed['error'] === true) return toParserFailure(parsed, body, text.length - body.length);
  const statements = (parsed['statements'] ?? []) as readonly Json[];
  if (statements.length === 0) return refuse('empty');
  if (statements.length > 1) return refuse('several');
  const names = collectNames(statements);
  const failure = findFault(names, await listTaken(connection));
  if (failure !== null) return failure;
  const tables = new Set([...names.tables].filter((name) => OWN_TABLES.has(name)));
  return { kind: 'checked', sql: `${prefix}${body}`, tables };
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

/** The text of a property; empty where it has none. */
function readText(node: Json | undefined, key: string): string {
  if (typeof node !== 'object' || node === null || isList(node)) return '';
  const value = node[key];
  return typeof value === 'string' ? value : '';
}

interface Names {
  /** Tables, in small letters, and anything that is named with a schema as `schema.table`. */
  readonly tables: Set<string>;
  /** Results named with WITH. */
  readonly own: Set<string>;
  readonly tableFunctions: Set<string>;
  readonly functions: Set<string>;
  readonly unknown: Set<string>;
}

function collectNames(statements: readonly Json[]): Names {
  const names: Names = {
    tables: new Set(),
    own: new Set(),
    tableFunctions: new Set(),
    functions: new Set(),
    unknown: new Set(),
  };
  const pending: Json[] = [...statements];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    if (isList(node)) {
      for (const item of node) pending.push(item);
      continue;
    }
    noteNames(node, names);
    for (const item of Object.values(node)) pending.push(item);
  }
  return names;
}

function isList(node: Json): node is readonly Json[] {
  return Array.isArray(node);
}

function noteNames(node: Readonly<Record<string, Json>>, names: Names): void {
  const kind = node['class'];
  const type = readText(node, 'type');
  const read = (key: string): string => readText(node, key).toLowerCase();
  const map = node['cte_map'];
  const entries = typeof map === 'object' && map !== null && !isList(map) ? map['map'] : undefined;
  if (Array.isArray(entries)) {
    for (const entry of entries as readonly Json[]) names.own.add(readText(entry, 'key').toLowerCase());
  }
  if (kind === 'FUNCTION' || kind === 'WINDOW') names.functions.add(read('function_name'));
  // Sources of rows and nodes of queries are what can be sampled.
  const isSource = 'sample' in node || 'table_name' in node || 'catalog_name' in node;
  if (!isSource || kind !== undefined) return;
  if (!PLAIN_SOURCES.has(type) && !QUERY_NODES.test(type)) {
    names.unknown.add(type);
  } else if (type === 'TABLE_FUNCTION') {
    names.tableFunctions.add(readText(node['function'], 'function_name').toLowerCase());
  } else if (type === 'BASE_TABLE' || (type === 'SHOW_REF' && read('table_name') !== '')) {
    const place = [read('catalog_name'), read('schema_name')].filter((part) => part !== '');
    names.tables.add([...place, read('table_name')].join('.'));
  } else if (read('catalog_name') !== '' || read('schema_name') !== '') {
    names.unknown.add(type);
  }
}

function findFault(names: Names, taken: ReadonlySet<string>): SqlFailure | null {
  const [unknown] = names.unknown;
  if (unknown !== undefined) return refuse('not-reading', unknown);
  // A name that is a table of the engine too would reach that table wherever the WITH does not apply.
  const shadow = [...names.own].find((name) => taken.has(name) && !OWN_TABLES.has(name));
  if (shadow !== undefined) return refuse('table', shadow);
  const table = [...names.tables].find((name) => !OWN_TABLES.has(name) && !names.own.has(name));
  if (table !== undefined) return refuse('table', table);
  const rows = [...names.tableFunctions].find((name) => !TABLE_FUNCTIONS.has(name));
  if (rows !== undefined) return refuse('function', rows);
  const called = [...names.functions].find((name) => REFUSED_FUNCTIONS.has(name));
  return called === undefined ? null : refuse('function', called);
}

/** Names of everything in the engine that rows could be read of. */
async function listTaken(connection: DuckDBConnection): Promise<Set<string>> {
  const reader = await connection.runAndReadAll(
    'SELECT lower(table_name) FROM duckdb_tables() UNION SELECT lower(view_name) FROM duckdb_views()',
  );
  return new Set(reader.getRows().map(([name]) => String(name)));
}
