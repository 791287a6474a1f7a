/** A part of a statement as DuckDB writes its parsed tree. */
export type Json = null | string | number | boolean | readonly Json[] | { readonly [key: string]: Json };
type Node = Readonly<Record<string, Json>>;

/** A table that a statement names, in small letters. */
interface NamedTable {
  readonly name: string;
  /** Catalog and schema, as far as they are named. */
  readonly place: readonly string[];
}

/** Everything that a statement refers to outside of itself, in small letters. */
export interface References {
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
export function listReferences(statements: readonly Json[]): References {
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
export function isNode(part: Json | undefined): part is Node {
  return typeof part === 'object' && part !== null && !Array.isArray(part);
}

/** Returns the text of a property; empty where it has none. */
export function readText(part: Json | undefined, key: string): string {
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
