import type { DuckDBConnection } from '@duckdb/node-api';
import { AppError } from '../../../../common/contract/errors.ts';
import { FORMULA_PATTERN, isSpreadsheetFormula } from '../../../../common/csv-habits.ts';
import type { CsvDialect } from '../../../../common/model/exports/export-options.ts';
import { isOwnField, type NamedField } from '../../../../common/model/records/body-path.ts';
import {
  type DetailKind,
  type FieldName,
  type ReportField,
  REPORTS,
} from '../../../../common/reporting/reports.ts';
import { OTHER_FIELDS_COLUMN } from '../../../../common/sql/sql-tables.ts';
import type { ClockOffset } from '../../../../common/sql/filter-statement.ts';
import { formatMoment } from '../../../../common/time/civil-time.ts';
import type { ReadPath } from '../bodies/read-path.ts';
import { countRecords } from '../count-records.ts';
import { quoteText, readRows } from '../engine-database.ts';
import { DATE_TEXT_COLUMN, ENGINE_COLUMNS, toDateTextSql } from '../engine-tables.ts';
import type { FeedSource } from '../feed/feed-source.ts';
import { type BoundValue, toFilterSql } from '../filter-sql.ts';
import { findMarks, type MarkSource } from '../own-values.ts';
import {
  type FilteredRecords,
  type ResolvedScope,
  toRowsInOrderSql,
  toSourceSql,
} from '../resolved-scope.ts';
import { type PathOrder, toOrderedScope, toViewOrder } from '../views/view-slices.ts';

/** A column of a file with its cell. */
interface LineColumn extends FileColumn {
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

/** Numbers from here on, and those closer to nothing, are not written with the same digits as in JavaScript. */
export const LARGEST_NUMBER = 1e15;
export const SMALLEST_NUMBER = 1e-4;

/** What a cell of text holds: a number without quotes, a text that is a number, or any text. */
type CellKind = 'number' | 'digits' | 'text';

/** A cell as an expression of text, null where it is empty. */
interface CellSql {
  readonly kind: CellKind;
  readonly sql: string;
  /** Puts what needs no look at its characters, in double quotes, beside the others, which are quoted already. */
  addPlain?(quoted: string): string;
}

/** The expressions of a file's columns as texts; `offsets` are those of the clocks, by zone. */
export function toCellSql(
  { value }: FileColumn,
  direction: ResolvedScope['direction'],
  offsets: (zone: string) => readonly ClockOffset[],
): CellSql {
  const sql = toValueSql(value, direction);
  if (value.kind === 'moment') {
    const text = toMomentSql(value.zone, offsets(value.zone));
    const otherwise = value.hasText ? toValueSql({ kind: 'field', name: 'dateText' }, direction) : 'NULL';
    return { kind: 'text', sql: `CASE WHEN date_ms IS NULL THEN ${otherwise} ELSE ${text} END` };
  }
  if (value.kind !== 'field') return { kind: 'text', sql };
  if (value.name === 'dateText')
    return { kind: 'text', sql: DATE_TEXT_COLUMN, addPlain: (quoted) => toDateTextSql(quoted, '"') };
  const kind = findCellKind(value.name, direction);
  return { kind, sql: kind === 'number' ? toNumberSql(sql) : sql };
}

/** How the values of a field are written. */
export function findCellKind(name: FieldName<DetailKind>, direction: ResolvedScope['direction']): CellKind {
  const fields: Readonly<Record<string, ReportField>> = REPORTS[`${direction}-detail`].fields;
  const { type } = fields[name] ?? {};
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'digits' ? 'digits' : 'text';
}

/** Whole numbers have no point, as JavaScript writes them. */
function toNumberSql(sql: string): string {
  return `CASE WHEN ${sql} = trunc(${sql}) THEN CAST(CAST(${sql} AS BIGINT) AS VARCHAR) ELSE CAST(${sql} AS VARCHAR) END`;
}

/** An instant as `formatRecordMoment` writes it. */
function toMomentSql(zone: string, offsets: readonly ClockOffset[]): string {
  const [first, ...later] = offsets;
  const cases = later
    .toReversed()
    .map(({ fromMs, offsetMs }) => `WHEN date_ms >= ${fromMs} THEN ${offsetMs}`)
    .join(' ');
  const base = first?.offsetMs ?? 0;
  const offset = cases === '' ? String(base) : `CASE ${cases} ELSE ${base} END`;
  const text = `strftime(epoch_ms(date_ms + ${offset}), '%Y-%m-%d %H:%M:%S.%g')`;
  const twice = listShownTwice(zone, offsets);
  if (twice.length === 0) return text;
  const suffixes = twice.map(
    ({ fromMs, toMs, suffix }) => `WHEN date_ms >= ${fromMs} AND date_ms < ${toMs} THEN ${quoteText(suffix)}`,
  );
  return `${text} || CASE ${suffixes.join(' ')} ELSE '' END`;
}

/** Spans whose times a clock shows twice, since it is put back, with the offset that tells them apart. */
function listShownTwice(
  zone: string,
  offsets: readonly ClockOffset[],
): { fromMs: number; toMs: number; suffix: string }[] {
  const toSuffix = (atMs: number): string => formatMoment(Math.floor(atMs / 1000) * 1000, zone).slice(19);
  return offsets.slice(1).flatMap(({ fromMs, offsetMs }, place) => {
    const backMs = (offsets[place]?.offsetMs ?? 0) - offsetMs;
    if (backMs <= 0) return [];
    return [
      { fromMs: fromMs - backMs, toMs: fromMs, suffix: toSuffix(fromMs - 1) },
      { fromMs, toMs: fromMs + backMs, suffix: toSuffix(fromMs) },
    ];
  });
}

/** What of a record stands in a column of a file. */
export type FileValue =
  | { readonly kind: 'field'; readonly name: FieldName<DetailKind> }
  /** The instant; `hasText` says that the text as received stands where there is none. */
  | { readonly kind: 'moment'; readonly zone: string; readonly hasText: boolean }
  | { readonly kind: 'other-fields' | 'mark' | 'note' }
  /** What is at a path in a body or in an own table, as one text. */
  | { readonly kind: 'path'; readonly path: string }
  /** A person's own name of a number. */
  | {
      readonly kind: 'name';
      readonly field: NamedField;
      readonly names: readonly { readonly value: string; readonly name: string }[];
    };

/** A column of a file that the engine writes. */
export interface FileColumn {
  readonly name: string;
  readonly value: FileValue;
}

/** Names a value in a statement; quotes in the name are doubled. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The column of a field in the tables of a direction, an expression for the date as received. */
function toFieldSql(name: FieldName<DetailKind>, direction: ResolvedScope['direction']): string {
  if (name === 'dateText') return toDateTextSql();
  const fields: Readonly<Record<string, ReportField>> = REPORTS[`${direction}-detail`].fields;
  return fields[name]?.column ?? 'NULL';
}

/** The value of a column as SQL over a record's columns, of its own type: a moment is an instant. */
export function toValueSql(value: FileValue, direction: ResolvedScope['direction']): string {
  switch (value.kind) {
    case 'field':
      return toFieldSql(value.name, direction);
    case 'moment':
      return 'make_timestamptz(date_ms * 1000)';
    case 'other-fields':
      return OTHER_FIELDS_COLUMN;
    case 'mark':
    case 'note':
      return `marked.${value.kind}`;
    case 'path':
      return quoteName(value.path);
    case 'name': {
      const cases = value.names.map(
        (entry) => `WHEN ${quoteText(entry.value)} THEN ${quoteText(entry.name)}`,
      );
      const number = `CAST(${toFieldSql(value.field, direction)} AS VARCHAR)`;
      return cases.length === 0 ? 'CAST(NULL AS VARCHAR)' : `CASE ${number} ${cases.join(' ')} END`;
    }
  }
}

/** The records of a file, in its order. */
export interface RecordRows {
  /** FROM and what it names. */
  readonly from: string;
  /** ORDER BY, where the order is another one than that received. */
  readonly order: string;
  readonly values: readonly BoundValue[];
  /** How many there are. */
  readonly total: number;
}

/**
 * Finds the records of a file. Throws AppError `cache.page-damaged` where the file is to hold texts of records whose page
 * could not be read: the engine has everything else of them.
 */
export async function prepareRecordRows(options: {
  readonly connection: DuckDBConnection;
  readonly records: FilteredRecords;
  readonly order: PathOrder;
  readonly columns: readonly FileColumn[];
  readonly source: MarkSource & Pick<FeedSource, 'listRunStarts'>;
  readonly connectionId: string;
  /** What reads the paths among the columns: the rows have each under its own name. */
  readonly paths: readonly ReadPath[];
}): Promise<RecordRows> {
  const { connection, records, order, columns, source, connectionId, paths } = options;
  const { filter } = records;
  const scope = toOrderedScope(records.scope, order, source);
  const where = toFilterSql(filter, scope.direction);
  const { columns: sorted, made, leading, sql } = toViewOrder(order, scope);
  const isEvery = filter.conditions.length === 0;
  const total = await (isEvery ? countRecords(connection, scope) : countRecords(connection, scope, where));
  const names = ENGINE_COLUMNS[scope.direction].map(({ name }) => name);
  // Without an order of their own they come in the order received.
  const isSorted = sorted.length + made.length > 0 || leading.isDescending;
  const plain = (isSorted ? toSourceSql : toRowsInOrderSql)(scope, [...names, ...made], where);
  const values = paths.map(({ path, sql }) => `${sql} AS ${quoteName(path)}`);
  const rows = values.length === 0 ? plain : `(SELECT *, ${values.join(', ')} FROM ${plain})`;
  if (columns.some(({ value }) => isOfPage(value))) await refuseDamaged(connection, rows, where.values);
  const ordered = isSorted ? ` ORDER BY ${sql}` : '';
  if (!columns.some(({ value }) => value.kind === 'mark' || value.kind === 'note')) {
    return { from: `FROM ${rows}`, order: ordered, values: where.values, total };
  }
  await connection.run('CREATE TEMP TABLE marked_records (marked_id BIGINT, mark VARCHAR, note VARCHAR)');
  for (const { id, mark, note } of await findMarks(connection, scope, source, connectionId)) {
    await connection.run('INSERT INTO marked_records VALUES ($1, $2, $3)', [BigInt(id), mark, note]);
  }
  return {
    from: `FROM ${rows} AS records LEFT JOIN marked_records AS marked ON marked_id = record_id`,
    order: ` ORDER BY ${sql}`,
    values: where.values,
    total,
  };
}

/** Texts of any length and unknown fields are in no column of the cache, only in its pages. */
function isOfPage(value: FileColumn['value']): boolean {
  if (value.kind === 'field') return value.name === 'payload' || value.name === 'response';
  return value.kind === 'other-fields' || (value.kind === 'path' && !isOwnField(value.path));
}

async function refuseDamaged(
  connection: DuckDBConnection,
  rows: string,
  values: readonly BoundValue[],
): Promise<void> {
  const [[count] = [0]] = await readRows<[number]>(
    connection,
    `SELECT count(*) FROM ${rows} WHERE payload IS NULL`,
    values,
  );
  if (count > 0) throw new AppError('cache.page-damaged', 'Stored pages are damaged.', { records: count });
}
