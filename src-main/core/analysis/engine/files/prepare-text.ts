import type { DuckDBConnection } from '@duckdb/node-api';
import type { CsvDialect } from '../../../../common/model/exports/export-options.ts';
import { OTHER_FIELDS_COLUMN } from '../../../../common/sql/sql-tables.ts';
import { listClockOffsets, type ClockOffset } from '../../../../common/sql/zone-clock.ts';
import { DAY_MS } from '../../../../common/time/durations.ts';
import { quoteText, readRows } from '../engine-database.ts';
import { DATE_TEXT_COLUMN } from '../engine-tables.ts';
import type { ResolvedScope } from '../resolved-scope.ts';
import { toValueSql, type FileColumn } from './file-column.ts';
import {
  findCellKind,
  LARGEST_NUMBER,
  SMALLEST_NUMBER,
  toCellSql,
  toCsvSql,
  toJsonSql,
  toNdjsonSql,
  type LineSql,
} from './line-sql.ts';
import type { RecordRows } from './record-rows.ts';

export type TextFormat =
  | { readonly kind: 'csv'; readonly csv: CsvDialect }
  | { readonly kind: 'ndjson' }
  | { readonly kind: 'json' };

/** What the lines of a file are to hold. */
interface TextFile {
  readonly direction: ResolvedScope['direction'];
  readonly columns: readonly FileColumn[];
  readonly format: TextFormat;
  /** What the file is, as JSON. */
  readonly about: string;
}

/** Changes of the clock are looked up day by day. */
const MAX_CLOCK_DAYS = 3660;
const FIRST_MS = Date.UTC(1000, 0, 1);
const LAST_MS = Date.UTC(9999, 11, 30);
/**
 * Characters whose presence is told, or that the engine has in the place of halves of surrogate pairs. They are looked
 * for where a text has others than those of ASCII.
 */
const TOLD = quoteText(String.raw`[\x{61c}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}\x{fffd}]`);

/**
 * Looks the records through and returns how their lines are written; null where something in them is not written here
 * with the same characters as row by row: halves of surrogate pairs, NUL, marks of direction, numbers of unusual size,
 * dates far apart, unknown fields that are named as known ones.
 */
export async function prepareText(
  connection: DuckDBConnection,
  { from, values, total }: Pick<RecordRows, 'from' | 'values' | 'total'>,
  { direction, columns, format, about }: TextFile,
): Promise<LineSql | null> {
  if (format.kind === 'csv' && format.csv.quoting === 'needed') return null;
  const isNumber = ({ value }: FileColumn): boolean =>
    value.kind === 'field' && findCellKind(value.name, direction) === 'number';
  const unusual = columns.flatMap((column) => {
    const { value } = column;
    if (value.kind === 'moment') return [];
    const isDate = value.kind === 'field' && value.name === 'dateText';
    const sql = isDate ? DATE_TEXT_COLUMN : toValueSql(value, direction);
    return isNumber(column) ? [toOddNumber(sql)] : [toOddText(sql)];
  });
  if (format.kind !== 'csv') {
    const names = columns.map(({ name }) => quoteText(name)).join(', ');
    // Halves of surrogate pairs are valid in JSON, but not to the engine.
    unusual.push(
      `CASE WHEN ${OTHER_FIELDS_COLUMN} IS NULL THEN false
        WHEN json_valid(${OTHER_FIELDS_COLUMN}) THEN list_has_any(json_keys(${OTHER_FIELDS_COLUMN}), [${names}])
        ELSE true END`,
    );
  }
  const [found] = await readRows<[boolean | null, number | null, number | null]>(
    connection,
    `SELECT bool_or(${unusual.join(' OR ') || 'false'}), min(date_ms), max(date_ms) ${from}`,
    values,
  );
  const [isOdd = null, firstMs = null, lastMs = null] = found ?? [];
  if (isOdd === true) return null;
  const clocks = toClocks(columns, firstMs ?? 0, lastMs ?? 0);
  if (clocks === null) return null;
  const lines = columns.map((column) => ({ ...column, cell: toCellSql(column, direction, clocks) }));
  if (format.kind === 'csv') return toCsvSql(lines, format.csv);
  return format.kind === 'json' ? toJsonSql(lines, about, total) : toNdjsonSql(lines);
}

/** CASE, since both sides of AND are evaluated for every row, and the expression takes longer than all else. */
function toOddText(sql: string): string {
  return `CASE WHEN strlen(${sql}) <> length(${sql}) THEN regexp_matches(${sql}, ${TOLD}) ELSE false END
    OR contains(${sql}, chr(0))`;
}

function toOddNumber(sql: string): string {
  return `abs(${sql}) >= ${LARGEST_NUMBER} OR (${sql} <> 0 AND abs(${sql}) < ${SMALLEST_NUMBER})`;
}

/** Null where dates are too far apart, or out of the calendar. */
function toClocks(
  columns: readonly FileColumn[],
  firstMs: number,
  lastMs: number,
): ((zone: string) => readonly ClockOffset[]) | null {
  const hasMoments = columns.some(({ value }) => value.kind === 'moment');
  if (!hasMoments) return () => [];
  if (firstMs < FIRST_MS || lastMs > LAST_MS || lastMs - firstMs > MAX_CLOCK_DAYS * DAY_MS) return null;
  return (zone) => listClockOffsets(firstMs - DAY_MS, lastMs + DAY_MS, zone);
}
