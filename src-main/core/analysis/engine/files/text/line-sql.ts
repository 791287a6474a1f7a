import type { CsvDialect } from '../../../../../common/model/exports/export-options.ts';
import { FORMULA_PATTERN, isSpreadsheetFormula } from '../../../../../common/spreadsheet-formula.ts';
import { OTHER_FIELDS_COLUMN } from '../../../../../common/sql/sql-tables.ts';
import { quoteText } from '../../engine-database.ts';
import { quoteName, type FileColumn } from '../file-column.ts';
import type { CellSql } from './cell-sql.ts';

/** A column of a file with its cell. */
export interface LineColumn extends FileColumn {
  readonly cell: CellSql;
}

/** Formulas, also behind apostrophes, as the engine's own expressions name their characters; see `guardCsvText`. */
const FORMULA_SQL = quoteText(
  FORMULA_PATTERN.replace('^', "^'*")
    .replace(/\\u([\da-f]{4})/g, String.raw`\x{$1}`)
    .replaceAll(String.raw`\0`, String.raw`\x00`),
);
/** Codes of first characters that no formula begins with; nearly all texts begin with one of them. */
const SAFE_FIRST = (sql: string): string =>
  `ascii(${sql}) BETWEEN 65 AND 126 OR ascii(${sql}) BETWEEN 48 AND 59`;

/** Statements' words for a text file: one column, whose name is the file's first line where it has one. */
export interface LineSql {
  readonly select: string;
  readonly copyOptions: string;
  /** What stands in the place of the last line's end; the end itself where it is left out. */
  readonly end?: LineEnd;
}

/** The end of a file whose lines are parts of a list. */
export interface LineEnd {
  /** What parts two lines, which the last one has behind it as well. */
  readonly separator: string;
  readonly text: string;
}

/** Lines of CSV in a dialect that quotes texts or everything, as `createCsvWriter` writes them. */
export function toCsvSql(columns: readonly LineColumn[], csv: CsvDialect): LineSql {
  const cells = columns.map(({ cell }) => toCsvCell(cell, csv));
  const head = columns.map(({ name }) => quote(csv.guard && isSpreadsheetFormula(name) ? `'${name}` : name));
  const first = `${csv.byteOrderMark ? '\ufeff' : ''}${head.join(csv.separator)}\r`;
  // What is null leaves nothing in a line.
  const line = `concat(${cells.join(`, ${quoteText(csv.separator)}, `)}, chr(13))`;
  return { select: `${line} AS ${quoteName(first)}`, copyOptions: toPlainOptions(true) };
}

/** Lines of NDJSON, as `createNdjsonWriter` writes them. */
export function toNdjsonSql(columns: readonly LineColumn[]): LineSql {
  return { select: toObjectSql(columns, ''), copyOptions: toPlainOptions(false) };
}

/** Lines of JSON, as `createJsonWriter` writes them; `about` is an object, which is told the number of records. */
export function toJsonSql(columns: readonly LineColumn[], about: string, recordCount: number): LineSql {
  const told = { ...(JSON.parse(about) as object), recordCount };
  const head = `${JSON.stringify(told).slice(0, -1)},"records":[`;
  return {
    select: `${toObjectSql(columns, ',')} AS ${quoteName(head)}`,
    copyOptions: toPlainOptions(true),
    end: { separator: ',', text: '\n]}\n' },
  };
}

/** A record as an object, and what is behind it. */
function toObjectSql(columns: readonly LineColumn[], behind: string): string {
  const own = columns.filter(({ value }) => value.kind !== 'other-fields');
  const members = own.map(({ name, cell: { kind, sql, addPlain = asIs } }, place) => {
    const json = kind === 'number' ? sql : addPlain(`CAST(to_json(${sql}) AS VARCHAR)`);
    return `${quoteText(`${place === 0 ? '' : ','}${JSON.stringify(name)}:`)}, coalesce(${json}, 'null')`;
  });
  const separator = own.length === 0 ? '' : ',';
  const others = `CASE WHEN ${OTHER_FIELDS_COLUMN} IS NULL THEN ${quoteText(`}${behind}`)}
    ELSE ${quoteText(separator)} || substr(${OTHER_FIELDS_COLUMN}, 2) || ${quoteText(behind)} END`;
  const end = own.length === columns.length ? quoteText(`}${behind}`) : others;
  return `concat('{', ${[...members, end].join(', ')})`;
}

/** Nothing is quoted or parted: a line is written as it is. */
function toPlainOptions(hasHead: boolean): string {
  return `FORMAT csv, HEADER ${String(hasHead)}, QUOTE '', ESCAPE '', DELIMITER ''`;
}

const asIs = (sql: string): string => sql;

function toCsvCell({ kind, sql, addPlain = asIs }: CellSql, csv: CsvDialect): string {
  if (kind === 'number') {
    const digits = csv.decimalSign === '.' ? sql : `replace(${sql}, '.', ${quoteText(csv.decimalSign)})`;
    if (csv.quoting === 'all') return `'"' || ${digits} || '"'`;
    if (csv.separator !== csv.decimalSign) return digits;
    return `CASE WHEN contains(${digits}, ${quoteText(csv.separator)}) THEN '"' || ${digits} || '"' ELSE ${digits} END`;
  }
  const guarded = csv.guard ? toGuarded(sql, kind === 'digits') : sql;
  const safe = `CASE WHEN contains(${sql}, '"') THEN ${toDoubled(guarded)} ELSE ${guarded} END`;
  return addPlain(`CASE WHEN ${sql} IS NOT NULL THEN concat('"', ${safe}, '"') END`);
}

/** A text with its quotes doubled; `replace` takes five times as long. */
function toDoubled(sql: string): string {
  return `array_to_string(string_split(${sql}, '"'), '""')`;
}

function toGuarded(sql: string, isNumber: boolean): string {
  const plain = isNumber ? ` OR regexp_full_match(${sql}, '-?[0-9]{1,30}')` : '';
  return `CASE WHEN ${SAFE_FIRST(sql)}${plain} THEN ${sql}
    WHEN regexp_matches(${sql}, ${FORMULA_SQL}) THEN '''' || ${sql} ELSE ${sql} END`;
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
