import type { DuckDBConnection } from '@duckdb/node-api';
import type { Finding, FindingKind } from '../../../../common/model/analysis/finding.ts';
import type { FieldCondition } from '../../../../common/model/records/record-filter.ts';
import type { Direction } from '../../../../common/reporting/reports.ts';
import { DAY_MS, HOUR_MS, USUAL_DAYS, type TimeSpan } from '../../findings/traffic-grid.ts';
import type { Place } from '../../findings/detect-incidents.ts';
import { readRows } from '../engine-database.ts';
import { toFilterSql, type SqlCondition } from '../filter-sql.ts';
import { toSourceSql, type RecordScope } from '../record-scope.ts';

/** What a finding's records are, without what is counted of them. */
export interface FindingShape extends Place, TimeSpan {
  readonly kind: FindingKind;
  readonly newFamily: string | null;
}

/** What is counted and measured of the records of a finding. */
export interface FindingFigures extends Pick<
  Finding,
  'requests' | 'count' | 'shown' | 'errorFamily' | 'examples'
> {
  /** Null where nothing was timed. */
  readonly medianMs: number | null;
}

const MAX_EXAMPLES = 3;
const HALF_HOUR_MS = HOUR_MS / 2;
const HOURS_BEFORE_MS = 6 * HOUR_MS;
const FAILS = 'coalesce(response_code BETWEEN 400 AND 599, false)';
const COLUMNS = ['date_ms', 'response_code', 'response_time_ms', 'error_pattern', 'session_id'];

/** Returns the conditions that show exactly the records that a finding counts. */
export function listConditions(shape: FindingShape): FieldCondition[] {
  const { kind, newFamily } = shape;
  const failing: FieldCondition = { field: 'responseCode', classes: ['4xx', '5xx'] };
  const counted: Readonly<Record<FindingKind, FieldCondition[]>> = {
    down: [],
    unreachable: [],
    'errors-up': [failing],
    'new-errors': newFamily === null ? [] : [{ field: 'errorFamily', values: [newFamily] }],
    slower: [{ ...failing, exclude: true }],
    'volume-down': [],
    'volume-up': [],
  };
  return [...counted[kind], ...listPlace(shape), { field: 'dateMs', min: shape.fromMs, max: shape.toMs }];
}

function listPlace({ channel, service }: Place): FieldCondition[] {
  return [
    ...(channel === null ? [] : [{ field: 'channel' as const, values: [channel] }]),
    ...(service === null ? [] : [{ field: 'service' as const, values: [service] }]),
  ];
}

/** Counts and measures the records of a finding in its directions. */
export async function readFigures(
  connection: DuckDBConnection,
  scopes: readonly RecordScope[],
  shape: FindingShape,
): Promise<FindingFigures> {
  const { kind, fromMs, toMs } = shape;
  const all = [...listPlace(shape), { field: 'dateMs' as const, min: fromMs, max: toMs }];
  const [[requests, failures, medianMs] = [0, 0, null]] = await readFrom<[number, number, number | null]>(
    connection,
    scopes,
    all,
    (source) => `SELECT count(*), count(*) FILTER (${FAILS}),
      quantile_cont(response_time_ms, 0.5) FILTER (NOT ${FAILS} AND response_time_ms >= 0) FROM ${source}`,
  );
  const counted = listConditions(shape);
  const counts = new Map(
    await readFrom<[Direction, number]>(
      connection,
      scopes,
      counted,
      (source) => `SELECT direction, count(*) FROM ${source} GROUP BY direction`,
    ),
  );
  const shown = scopes.map(({ direction }) => ({ direction, count: counts.get(direction) ?? 0 }));
  const own = shown.reduce((sum, { count }) => sum + count, 0);
  const [[family] = [null]] =
    kind === 'errors-up'
      ? await readFrom<[string]>(
          connection,
          scopes,
          counted,
          (source) => `SELECT error_pattern FROM ${source} WHERE error_pattern <> ''
            GROUP BY error_pattern ORDER BY count(*) DESC, error_pattern LIMIT 1`,
        )
      : [[shape.newFamily] as const];
  const examples = await readFrom<[Direction, string]>(
    connection,
    scopes,
    counted,
    // A session has requests of both directions; each is named once, with the one that it began with.
    (source) => `SELECT arg_min(direction, date_ms), session_id FROM ${source} WHERE session_id <> ''
      GROUP BY session_id ORDER BY count(*) DESC, min(date_ms), session_id LIMIT ${MAX_EXAMPLES}`,
  );
  return {
    requests,
    count: kind === 'down' || kind === 'unreachable' ? failures : own,
    shown,
    medianMs,
    errorFamily: family,
    examples: examples.map(([direction, sessionId]) => ({ direction, sessionId })),
  };
}

/**
 * Returns the median time of successful requests around the same hours on earlier days, or in the hours before, in
 * milliseconds; null where none was timed.
 */
export async function readUsualMedian(
  connection: DuckDBConnection,
  scopes: readonly RecordScope[],
  shape: FindingShape,
  source: Finding['source'],
): Promise<number | null> {
  const { fromMs } = shape;
  const untilMs = Math.min(shape.toMs, fromMs + DAY_MS / 2);
  const spans =
    source === 'hours'
      ? [{ fromMs: fromMs - HOURS_BEFORE_MS, toMs: fromMs }]
      : Array.from({ length: USUAL_DAYS }, (_, day) => ({
          fromMs: fromMs - (day + 1) * DAY_MS - HALF_HOUR_MS,
          toMs: untilMs - (day + 1) * DAY_MS + HALF_HOUR_MS,
        }));
  const dates = spans.map((span) => `date_ms >= ${span.fromMs} AND date_ms < ${span.toMs}`);
  const [[medianMs] = [null]] = await readFrom<[number | null]>(
    connection,
    scopes,
    listPlace(shape),
    (all) =>
      `SELECT quantile_cont(response_time_ms, 0.5) FROM ${all} WHERE NOT ${FAILS} AND response_time_ms >= 0`,
    `(${dates.join(' OR ')})`,
  );
  return medianMs;
}

/** Reads from the records of several directions that meet conditions which mean the same in each. */
async function readFrom<Row extends readonly unknown[]>(
  connection: DuckDBConnection,
  scopes: readonly RecordScope[],
  conditions: readonly FieldCondition[],
  toSql: (source: string) => string,
  also = 'true',
): Promise<Row[]> {
  const wheres = scopes.map(({ direction }) => toFilterSql({ conditions: [...conditions] }, direction));
  const toSelect = (scope: RecordScope, where: SqlCondition): string => {
    const source = toSourceSql(scope, COLUMNS, { ...where, sql: `${where.sql} AND ${also}` });
    return `SELECT *, '${scope.direction}' AS direction FROM ${source}`;
  };
  const selects = scopes.map((scope, place) => toSelect(scope, wheres[place] ?? { sql: 'true', values: [] }));
  return readRows<Row>(connection, toSql(`(${selects.join(' UNION ALL ')})`), wheres[0]?.values ?? []);
}
