import { SQL_TABLES, type SqlTable } from '../../../../src-main/common/sql/sql-tables.ts';

/** A table with its alias, if a word that is none of SQL's follows. */
const REFERENCE =
  /(?:\b(?:from|join)\s|,)\s*(\w+)\b(?:\s+(?:as\s+)?(?!(?:where|group|order|join|left|inner|full|cross|asof|semi|anti|on|using|limit|having|qualify|union|select)\b)(\w+))?/gi;

/** The tables that a statement names, by their names and aliases in small letters. */
export function findTables(text: string): Map<string, SqlTable> {
  const found = new Map<string, SqlTable>();
  for (const [, name = '', alias] of text.matchAll(REFERENCE)) {
    const table = SQL_TABLES.find((candidate) => candidate.name === name.toLowerCase());
    if (table === undefined) continue;
    found.set(table.name, table);
    if (alias !== undefined) found.set(alias.toLowerCase(), table);
  }
  return found;
}

/** True where a text ends within a literal or a comment. */
export function isWithinText(before: string): boolean {
  const rest = before.replace(/--[^\n]*\n/g, '').replace(/'[^']*'/g, '');
  return rest.includes("'") || /--[^\n]*$/.test(rest);
}
