import type { FieldCondition, FilterField } from '../../../../src-main/common/model/records/record-filter.ts';
import {
  SQL_SHOWN_CHARACTERS,
  type SqlCell,
  type SqlColumn,
  type SqlQuestion,
} from '../../../../src-main/common/model/records/sql.ts';
import { DIRECTIONS } from '../../../../src-main/common/reporting/reports.ts';
import { ERROR_FAMILY_COLUMN } from '../../../../src-main/common/sql/sql-tables.ts';
import { fromCivilTime, utcMsToCivil } from '../../../../src-main/common/time/civil-time.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';
import { toAddress } from '../../../filters/filter-address.ts';
import { toPeriodText } from '../../../period/period-selection.ts';
import { findTables } from '../editor/complete-sql.ts';

/** Columns that hold, under their own name, what records can be filtered by. */
const FIELDS: Readonly<Record<string, FilterField>> = {
  channel: 'channel',
  service: 'service',
  response_code: 'responseCode',
  origin: 'origin',
  client: 'client',
  action_id: 'actionId',
  session_id: 'sessionId',
  [ERROR_FAMILY_COLUMN]: 'errorFamily',
};
const OWNER_COLUMN = 'connection_id';
const UNITS: Readonly<Record<string, number>> = {
  second: SECOND_MS,
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
};
const CUT = /\bdate_trunc\(\s*'(\w+?)s?'|\btime_bucket\(\s*INTERVAL\s*'?(\d+)\s*(\w+?)s?\b/gi;

/**
 * Returns where the records are shown that a row of a result is about, as far as its columns say which these are; null
 * where they don't, or where the statement reads the records of both directions or of none.
 */
export function toRowRecords(
  { text, fromMs, toMs, zone, otherConnectionIds = [] }: SqlQuestion,
  columns: readonly SqlColumn[],
  row: readonly SqlCell[],
) {
  const tables = [...findTables(text).values()];
  const directions = DIRECTIONS.filter((direction) => tables.some(({ name }) => name === direction));
  const [direction] = directions;
  if (direction === undefined || directions.length > 1) return null;
  // Which of several connections a row is of must be in it.
  const owner = row[columns.findIndex(({ name }) => name === OWNER_COLUMN)];
  if (otherConnectionIds.length > 0 && typeof owner !== 'string') return null;
  const connection = otherConnectionIds.length > 0 ? { connection: String(owner) } : {};
  const named = columns.flatMap(({ name }, place): FieldCondition[] => {
    const field = FIELDS[name.toLowerCase()];
    const value = row[place];
    // A text that was cut is none that a record has.
    const isCut = typeof value === 'string' && value.length > SQL_SHOWN_CHARACTERS;
    if (field === undefined || value === undefined || typeof value === 'boolean' || isCut) return [];
    return [{ field, values: [value] }];
  });
  const [time, ...otherTimes] = [...columns.keys()].filter((place) => columns[place]?.kind === 'time');
  const span =
    time === undefined || otherTimes.length > 0
      ? null
      : toSpan(String(row[time] ?? ''), readWidth(text), zone);
  const conditions: FieldCondition[] =
    span === null ? named : [...named, { field: 'dateMs', min: span.fromMs, max: span.toMs }];
  if (conditions.length === 0) return null;
  const period = toPeriodText({ kind: 'custom', fromMs, toMs: toMs - SECOND_MS });
  return { name: `${direction}-detail`, query: { ...toAddress({ conditions }), ...connection, period } };
}

/** How long the times are that a statement cuts its records into; null where it says none, or several. */
function readWidth(text: string): number | null {
  const widths = [...text.matchAll(CUT)].map(([, unit, count = '1', each]) => {
    const ms = UNITS[(unit ?? each ?? '').toLowerCase()];
    return ms === undefined ? null : Number(count) * ms;
  });
  const [width] = widths;
  return width !== undefined && widths.every((other) => other === width) ? width : null;
}

/** The time that begins when a clock of the zone shows a text. */
function toSpan(text: string, widthMs: number | null, zone: string): TimeSpan | null {
  const shownMs = Date.parse(`${text.length === 10 ? `${text} 00:00:00` : text}Z`.replace(' ', 'T'));
  if (widthMs === null || Number.isNaN(shownMs)) return null;
  const toInstant = (atMs: number): number => fromCivilTime(utcMsToCivil(atMs), zone);
  return { fromMs: toInstant(shownMs), toMs: toInstant(shownMs + widthMs) };
}
