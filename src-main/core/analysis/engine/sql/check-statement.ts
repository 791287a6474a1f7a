import type { DuckDBConnection } from '@duckdb/node-api';
import duckdb, { type Connection } from '@duckdb/node-bindings';
import type { SqlFailure } from '../../../../common/model/records/sql.ts';
import { SQL_TABLES } from '../../../../common/sql/sql-tables.ts';
import { OWN_VALUES_TABLE } from '../engine-tables.ts';
import { isInterrupted, isOutOfMemory } from '../engine-database.ts';

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

const SPACE = /\s+/y;
const LINE = /--[^\n]*/y;
const WORD = /[a-z_]+/iy;

/**
 * Takes the EXPLAIN before a statement apart, its options included, such as ANALYZE or `(ANALYZE, FORMAT json)`: DuckDB
 * parses only what follows, and takes minutes for thousands of comments, so that there are spaces in their place. Reads on
 * and on, never back, whatever the text is.
 */
function splitExplain(text: string): { readonly prefix: string; readonly body: string } {
  const word = readWord(text, skipBlank(text, 0));
  if (word?.text !== 'explain') return { prefix: '', body: blankBefore(text, 0) };
  const next = skipBlank(text, word.end);
  const analyze = readWord(text, next);
  if (analyze?.text === 'analyze')
    return { prefix: 'EXPLAIN ANALYZE ', body: blankBefore(text, analyze.end) };
  const bracket = text[next] === '(' ? readOptions(text, next + 1) : null;
  if (bracket === null) return { prefix: 'EXPLAIN ', body: blankBefore(text, word.end) };
  return { prefix: `EXPLAIN (${bracket.options.join(', ')}) `, body: blankBefore(text, bracket.end) };
}

/** A text from a place on, with as many spaces and the same lines in the place of the comments that it begins with. */
function blankBefore(text: string, from: number): string {
  const start = skipBlank(text, from);
  return text.slice(from, start).replaceAll(/[^\n]/g, ' ') + text.slice(start);
}

/** Options in brackets; null where it is something else in brackets, such as a statement. */
function readOptions(text: string, from: number): { options: string[]; end: number } | null {
  const options: string[] = [];
  for (let at = from; ;) {
    const option = readWord(text, skipBlank(text, at));
    if (option === null) return null;
    let own = option.text;
    let end = option.end;
    if (own === 'format') {
      const format = readWord(text, skipBlank(text, end));
      if (format === null) return null;
      own = `FORMAT ${format.text}`;
      end = format.end;
    } else if (own !== 'analyze') return null;
    options.push(own);
    at = skipBlank(text, end);
    if (text[at] === ')') return { options, end: at + 1 };
    if (text[at] !== ',') return null;
    at += 1;
  }
}

function readWord(text: string, from: number): { text: string; end: number } | null {
  WORD.lastIndex = from;
  const found = WORD.exec(text);
  return found === null ? null : { text: found[0].toLowerCase(), end: WORD.lastIndex };
}

/** Returns the first place that is neither space nor comment. */
function skipBlank(text: string, from: number): number {
  for (let at = from; ;) {
    const end = skipOne(text, at);
    if (end === at) return at;
    at = end;
  }
}

function skipOne(text: string, at: number): number {
  for (const pattern of [SPACE, LINE]) {
    pattern.lastIndex = at;
    if (pattern.test(text)) return pattern.lastIndex;
  }
  return text.startsWith('/*', at) ? skipComment(text, at) : at;
}

/** Comments may hold others. One without an end goes to the end. */
function skipComment(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length;) {
    const isOpening = text.startsWith('/*', at);
    const isClosing = !isOpening && text.startsWith('*/', at);
    if (isOpening) depth += 1;
    if (isClosing) depth -= 1;
    at += isOpening || isClosing ? 2 : 1;
    if (depth === 0) return at;
  }
  return text.length;
}

/** A part of a statement as DuckDB writes its parsed tree. */
type Json = null | string | number | boolean | readonly Json[] | { readonly [key: string]: Json };
type Node = Readonly<Record<string, Json>>;

/** A table that a statement names, in small letters. */
interface NamedTable {
  readonly name: string;
  /** Catalog and schema, as far as they are named. */
  readonly place: readonly string[];
}

/** Everything that a statement refers to outside of itself, in small letters. */
interface References {
  /** Tables, without the results that WITH names where they are named. */
  readonly tables: NamedTable[];
  readonly tableFunctions: Set<string>;
  readonly functions: Set<string>;
  /** Kinds of sources that nothing is known of. */
  readonly unknown: Set<string>;
}

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
const NO_NAMES: ReadonlySet<string> = new Set();

/** A part that is still to be looked at, and the names that WITH has given where it stands. */
interface Pending {
  readonly part: Json;
  readonly scope: ReadonlySet<string>;
}

/** Lists what parsed statements refer to. Names are those of the parser, each looked up in its own scope. */
function listReferences(statements: readonly Json[]): References {
  const references: References = {
    tables: [],
    tableFunctions: new Set(),
    functions: new Set(),
    unknown: new Set(),
  };
  const pending: Pending[] = [{ part: statements, scope: NO_NAMES }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { part, scope } = next;
    if (Array.isArray(part)) {
      for (const item of part as readonly Json[]) pending.push({ part: item, scope });
    } else if (isNode(part)) {
      noteReferences(part, scope, references);
      for (const inside of listInside(part, scope)) pending.push(inside);
    }
  }
  return references;
}

/** True for a part that has properties. */
function isNode(part: Json | undefined): part is Node {
  return typeof part === 'object' && part !== null && !Array.isArray(part);
}

/** Returns the text of a property; empty where it has none. */
function readText(part: Json | undefined, key: string): string {
  const value = isNode(part) ? part[key] : undefined;
  return typeof value === 'string' ? value : '';
}

/** What is inside of a part. Of the results that a WITH names each is known to the later ones, and to all of its statement. */
function listInside(node: Node, outer: ReadonlySet<string>): Pending[] {
  const map = node['cte_map'];
  const entries = isNode(map) && Array.isArray(map['map']) ? (map['map'] as readonly Json[]) : [];
  const inside: Pending[] = [];
  let scope = outer;
  for (const entry of entries) {
    inside.push({ part: entry, scope });
    scope = new Set([...scope, toSmall(readText(entry, 'key'))]);
  }
  // What is recursive names itself; a node of its own for each WITH is what some statements are parsed to.
  const own = toSmall(readText(node, 'cte_name'));
  const named = own === '' ? scope : new Set([...scope, own]);
  for (const [key, part] of Object.entries(node)) {
    if (key === 'cte_map') continue;
    const isNamed = key === 'right' || key === 'child';
    inside.push({ part, scope: isNamed ? named : scope });
  }
  return inside;
}

function noteReferences(node: Node, scope: ReadonlySet<string>, references: References): void {
  const kind = node['class'];
  const type = readText(node, 'type');
  const read = (key: string): string => toSmall(readText(node, key));
  if (kind === 'FUNCTION' || kind === 'WINDOW') references.functions.add(read('function_name'));
  // Sources of rows and nodes of queries are what can be sampled.
  const isSource = 'sample' in node || 'table_name' in node || 'catalog_name' in node;
  if (!isSource || kind !== undefined) return;
  const place = [read('catalog_name'), read('schema_name')].filter((part) => part !== '');
  const name = read('table_name');
  if (!PLAIN_SOURCES.has(type) && !QUERY_NODES.test(type)) {
    references.unknown.add(type);
  } else if (type === 'TABLE_FUNCTION') {
    references.tableFunctions.add(toSmall(readText(node['function'], 'function_name')));
  } else if (type === 'BASE_TABLE' || (type === 'SHOW_REF' && name !== '')) {
    if (place.length > 0 || !scope.has(name)) references.tables.push({ name, place });
  } else if (place.length > 0) {
    references.unknown.add(type);
  }
}

/** As DuckDB compares names: letters beyond ASCII stay as they are. */
function toSmall(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

const PLACE = /\n\nLINE (\d+): (.*)\n( *)\^\s*$/s;

/** What DuckDB said of a statement, as a failure of it. */
export function toFailure(error: unknown, sql: string): SqlFailure {
  const text = (error instanceof Error ? error.message : String(error)).trim();
  if (isOutOfMemory(error)) return fail('memory', text);
  if (isInterrupted(error)) return fail('cancelled', '');
  const place = PLACE.exec(text);
  const message = place === null ? text : text.slice(0, place.index);
  return { ...fail('statement', message), offset: place === null ? null : toOffset(place, sql) };
}

function fail(fault: SqlFailure['fault'], message: string): SqlFailure {
  return { kind: 'failed', fault, message, offset: null };
}

/** Long lines are shown in part, with dots in the place of what was left out. */
function toOffset([, line = '1', shown = '', indent = '']: RegExpExecArray, sql: string): number | null {
  const lines = sql.split('\n');
  const own = lines[Number(line) - 1];
  if (own === undefined) return null;
  const isCut = shown.startsWith('...');
  const part = shown.replace(/^\.\.\./, '').replace(/\.\.\.$/, '');
  const start = own.indexOf(part);
  if (start < 0) return null;
  const column = indent.length - `LINE ${line}: `.length - (isCut ? 3 : 0) + start;
  const before = lines.slice(0, Number(line) - 1).reduce((sum, { length }) => sum + length + 1, 0);
  return before + Math.min(Math.max(0, column), own.length);
}
