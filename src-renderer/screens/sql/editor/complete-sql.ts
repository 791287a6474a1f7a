import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { SQL_TABLES, type SqlTable } from '../../../../src-main/common/sql/sql-tables.ts';
import { findTables, isWithinText } from './read-statement.ts';

const WORDS =
  'SELECT FROM WHERE GROUP BY ORDER BY HAVING LIMIT DISTINCT COUNT AS ON USING JOIN LEFT INNER FULL ASOF WITH ' +
  'UNION ALL INTERSECT EXCEPT CASE WHEN THEN ELSE END AND OR NOT NULL IS IN LIKE ILIKE BETWEEN EXISTS DESC ASC ' +
  'NULLS FIRST LAST OVER PARTITION QUALIFY FILTER INTERVAL TIMESTAMP CAST DESCRIBE SUMMARIZE EXPLAIN VALUES PIVOT';
const FUNCTIONS = [
  'count(*)',
  'avg(',
  'sum(',
  'min(',
  'max(',
  'median(',
  'quantile_cont(',
  'approx_count_distinct(',
  'count_if(',
  'date_trunc(',
  'time_bucket(',
  'date_diff(',
  'strftime(',
  'coalesce(',
  'contains(',
  'lower(',
  'length(',
  'round(',
  'regexp_extract(',
  'regexp_matches(',
  'json_extract_string(',
  'string_agg(',
  'arg_max(',
  'lag(',
  'row_number()',
];
const TABLE_PLACE = /\b(from|join|table|describe|summarize)\s+\w*$/i;
/**
 * What can be inserted before the cursor: columns of the tables that the statement names come first, and words of it and
 * of other statements last.
 */
export function completeSql(
  context: CompletionContext,
  others: readonly string[] = [],
): CompletionResult | null {
  const text = context.state.doc.toString();
  const word = context.matchBefore(/\w*/);
  const from = word?.from ?? context.pos;
  const before = text.slice(0, context.pos);
  const owner = /(\w+)\.\w*$/.exec(before)?.[1];
  if (owner !== undefined) {
    const table = findTables(text).get(owner.toLowerCase());
    return table === undefined ? null : { from, options: toColumns([table]), validFor: /^\w*$/ };
  }
  if (!context.explicit && from === context.pos) return null;
  // Within a text or a comment nothing is completed.
  if (isWithinText(before)) return null;
  const tables = SQL_TABLES.map((table): Completion => {
    return { label: table.name, type: 'table', boost: TABLE_PLACE.test(before) ? 99 : 1 };
  });
  const named = [...new Set(findTables(text).values())];
  const options: Completion[] = [
    ...tables,
    ...toColumns(named.length === 0 ? SQL_TABLES : named),
    ...FUNCTIONS.map((label): Completion => ({ label, type: 'function' })),
    ...[...new Set(WORDS.split(' '))].map((label): Completion => ({ label, type: 'keyword', boost: -2 })),
  ];
  const rest = [text.slice(0, from), text.slice(context.pos), ...others].join('\n');
  return { from, options: [...options, ...toOwnWords(rest, options)], validFor: /^\w*$/ };
}

/** Names that a person gave to columns and results in statements. */
function toOwnWords(statements: string, known: readonly Completion[]): Completion[] {
  const plain = statements.replace(/--[^\n]*|'(?:[^']|'')*'/g, ' ');
  const offered = new Set(known.map(({ label }) => (/^\w+/.exec(label)?.[0] ?? label).toLowerCase()));
  const words = new Set(plain.match(/\b[a-z_]\w{2,}\b/gi));
  return [...words]
    .filter((word) => !offered.has(word.toLowerCase()))
    .map((label) => ({ label, type: 'text', boost: -3 }));
}

function toColumns(tables: readonly SqlTable[]): Completion[] {
  const columns = new Map(
    tables.flatMap((table) => table.columns.map((column) => [column.name, column.type])),
  );
  return [...columns].map(([label, detail]) => ({ label, detail, type: 'property', boost: 2 }));
}
