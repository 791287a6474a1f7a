import type { FieldName, DetailKind } from '../../../../../common/reporting/reports.ts';
import { REPORTS, type ReportField } from '../../../../../common/reporting/reports.ts';
import { formatMoment } from '../../../../../common/time/format-moment.ts';
import type { ClockOffset } from '../../../../../common/sql/zone-clock.ts';
import { quoteText } from '../../engine-database.ts';
import { DATE_TEXT_COLUMN, toDateTextSql } from '../../engine-tables.ts';
import type { ResolvedScope } from '../../resolved-scope.ts';
import { toValueSql, type FileColumn } from '../file-column.ts';

/** Numbers from here on, and those closer to nothing, are not written with the same digits as in JavaScript. */
export const LARGEST_NUMBER = 1e15;
export const SMALLEST_NUMBER = 1e-4;

/** What a cell of text holds: a number without quotes, a text that is a number, or any text. */
export type CellKind = 'number' | 'digits' | 'text';

/** A cell as an expression of text, null where it is empty. */
export interface CellSql {
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
