import type { DuckDBConnection } from '@duckdb/node-api';
import {
  FINDING_KIND_ROWS,
  toKindRow,
  type FindingKind,
  type FindingKindRow,
} from '../../../../common/model/analysis/finding-kinds.ts';
import { listPlaces, type CloserPlace, type Finding } from '../../../../common/model/analysis/finding.ts';
import type { FieldCondition, FilterPart } from '../../../../common/model/records/record-filter.ts';
import { DAY_MS, HOUR_MS } from '../../../../common/time/durations.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import type { Place } from '../../findings/detect-incidents.ts';
import { USUAL_DAYS } from '../../findings/traffic-grid.ts';
import { readRows } from '../engine-database.ts';
import { FAILED_SQL, findColumn } from '../engine-tables.ts';
import { NO_CONDITION, toFilterSql, type BoundValue, type SqlCondition } from '../filter-sql.ts';
import { toSourceSql, type ResolvedScope } from '../resolved-scope.ts';

/** What a finding's records are, without what is counted of them. */
export interface FindingShape extends Place, TimeSpan {
  readonly kind: FindingKind;
  readonly newFamily: string | null;
  readonly within: readonly CloserPlace[];
}

type Counted = FindingKindRow['counted'];

const HALF_HOUR_MS = HOUR_MS / 2;
const HOURS_BEFORE_MS = 6 * HOUR_MS;
const USUAL_WEEKS = 5;
const COLUMNS = ['date_ms', 'outcome', 'error_pattern', 'session_id', 'client', 'response_code'];
/** A direction whose records don't have the field has no time. */
const TIME_COLUMN = 'time_ms';
const TIMED_SQL = `NOT ${FAILED_SQL} AND ${TIME_COLUMN} >= 0`;
/** How many successful requests of `toRecordsSql` say how long they took, and the median of their times; null of none. */
export const TIMED_COUNT_SQL = `count(*) FILTER (${TIMED_SQL})`;
export const MEDIAN_SQL = `quantile_cont(${TIME_COLUMN}, 0.5) FILTER (${TIMED_SQL})`;
/** Fewer requests beside those that may explain a finding say nothing of the others. */
export const MIN_OTHERS = 20;

/** Returns the conditions that show exactly the records that a finding counts. */
export function listConditions(shape: FindingShape): FieldCondition[] {
  const { kind, newFamily } = shape;
  const code = findCode(shape);
  const failing: FieldCondition = { field: 'outcome', values: ['failed'] };
  const counted: Readonly<Record<Counted, FieldCondition[]>> = {
    all: [],
    failed: [failing],
    family: newFamily === null ? [] : [{ field: 'errorFamily', values: [newFamily] }],
    succeeded: [{ ...failing, exclude: true }],
  };
  return [
    ...counted[FINDING_KIND_ROWS[kind].counted],
    ...(code === null ? [] : [{ field: 'responseCode' as const, values: [code] }]),
    ...listAll(shape),
  ];
}

/** All requests at the place of a finding while it lasted. */
export function listAll(shape: FindingShape): FieldCondition[] {
  return [...listPlace(shape), { field: 'dateMs', min: shape.fromMs, max: shape.toMs }];
}

export function listPlace({
  channel,
  service,
  within,
}: Pick<FindingShape, 'channel' | 'service' | 'within'>): FieldCondition[] {
  return [
    ...(channel === null ? [] : [{ field: 'channel' as const, values: [channel] }]),
    ...(service === null ? [] : [{ field: 'service' as const, values: [service] }]),
    ...listPlaces(within).map(({ field, value }) => ({ field, values: [value] })),
  ];
}

/** The code of the failing requests that it counts; null for any. */
function findCode({ within }: FindingShape): number | null {
  const code = within.find(({ field }) => field === 'responseCode');
  return code === undefined ? null : Number(code.value);
}

/** Which of the requests at its place and in its time a finding counts: those that `listConditions` shows. */
export function toCountedSql(shape: FindingShape, bind: (value: BoundValue) => string): string {
  const { kind, newFamily } = shape;
  const code = findCode(shape);
  const counted: Readonly<Record<Counted, () => string>> = {
    all: () => 'true',
    failed: () => FAILED_SQL,
    family: () => (newFamily === null ? 'true' : `error_pattern = ${bind(newFamily)}`),
    succeeded: () => `NOT ${FAILED_SQL}`,
  };
  const sql = counted[FINDING_KIND_ROWS[kind].counted]();
  return code === null ? sql : `${sql} AND response_code = ${bind(code)}`;
}

/** The times that say what is usual of a finding: around the same hours on earlier days, the hours before, or weeks. */
export function toDatesSql(shape: FindingShape, source: Finding['source']): string {
  const { fromMs } = shape;
  const untilMs = Math.min(shape.toMs, fromMs + DAY_MS / 2);
  const spans =
    source === 'hours'
      ? [{ fromMs: fromMs - HOURS_BEFORE_MS, toMs: fromMs }]
      : source === 'weeks'
        ? Array.from({ length: USUAL_WEEKS }, (_, week) => ({
            fromMs: fromMs - (week + 1) * 7 * DAY_MS,
            toMs: Math.min(shape.toMs, fromMs + 7 * DAY_MS) - (week + 1) * 7 * DAY_MS,
          }))
        : Array.from({ length: USUAL_DAYS }, (_, day) => ({
            fromMs: fromMs - (day + 1) * DAY_MS - HALF_HOUR_MS,
            toMs: untilMs - (day + 1) * DAY_MS + HALF_HOUR_MS,
          }));
  const dates = spans.map((span) => `date_ms >= ${span.fromMs} AND date_ms < ${span.toMs}`);
  // Storage of other times is skipped by the whole span alone.
  const [firstMs, lastMs] = [
    Math.min(...spans.map((span) => span.fromMs)),
    Math.max(...spans.map((span) => span.toMs)),
  ];
  return `(date_ms >= ${firstMs} AND date_ms < ${lastMs} AND (${dates.join(' OR ')}))`;
}

/**
 * Returns the median of the times of successful requests around the same hours on earlier days, or in the hours before, in
 * milliseconds; null where none was timed.
 */
export async function readUsualMedian(
  connection: DuckDBConnection,
  scopes: readonly ResolvedScope[],
  { shape, source, conditions = listPlace(shape) }: UsualQuestion,
): Promise<number | null> {
  const dates = toDatesSql(shape, source);
  return readMedian(connection, toRecordsSql(scopes, shape.kind, conditions, { also: dates }));
}

interface UsualQuestion {
  readonly shape: FindingShape;
  readonly source: Finding['source'];
  /** Which records; by default those at the shape's place. */
  readonly conditions?: readonly FilterPart[];
}

/** The median of the times of successful requests; null where none was timed. */
export async function readMedian(
  connection: DuckDBConnection,
  { source, values }: ReturnType<typeof toRecordsSql>,
): Promise<number | null> {
  const [[medianMs] = [null]] = await readRows<[number | null]>(
    connection,
    `SELECT ${MEDIAN_SQL} FROM ${source}`,
    [...values],
  );
  return medianMs;
}

/** The records of several directions that meet conditions which mean the same in each. */
export function toRecordsSql(
  scopes: readonly ResolvedScope[],
  kind: FindingKind,
  conditions: readonly FilterPart[],
  {
    also = 'true',
    more = [],
  }: { readonly also?: string | undefined; readonly more?: readonly string[] } = {},
): { readonly source: string; readonly values: BoundValue[] } {
  const values: BoundValue[] = [];
  const wheres = scopes.map(({ direction }) =>
    toFilterSql({ conditions: [...conditions] }, direction, undefined, values),
  );
  const toSelect = (scope: ResolvedScope, where: SqlCondition): string => {
    const column = findColumn(toKindRow(kind).field ?? 'responseTimeMs', scope.direction)?.name;
    const time = `${column ?? 'NULL::DOUBLE'} AS ${TIME_COLUMN}`;
    const source = toSourceSql(scope, [...COLUMNS, ...more, time], {
      ...where,
      sql: `${where.sql} AND ${also}`,
    });
    return `SELECT *, '${scope.direction}' AS direction FROM ${source}`;
  };
  const selects = scopes.map((scope, place) => toSelect(scope, wheres[place] ?? NO_CONDITION));
  return { source: `(${selects.join(' UNION ALL ')})`, values };
}
