import type { DuckDBConnection } from '@duckdb/node-api';
import {
  FINDING_KIND_ROWS,
  toKindRow,
  type FindingMeasure,
  type FindingKind,
  type FindingKindRow,
} from '../../../../common/model/analysis/finding-kinds.ts';
import { CLOSER_FIELDS, type CloserPlace, type Finding } from '../../../../common/model/analysis/finding.ts';
import type { FieldCondition } from '../../../../common/model/records/record-filter.ts';
import { DIRECTIONS, type Direction } from '../../../../common/reporting/reports.ts';
import { MINUTE_MS, DAY_MS, HOUR_MS } from '../../../../common/time/durations.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import type { Place } from '../../findings/detect-incidents.ts';
import { isWithin } from '../../findings/explain-incidents.ts';
import type { DownIncident } from '../../findings/join-down-spans.ts';
import { toFindingId, type JoinedIncident } from '../../findings/join-incidents.ts';
import { USUAL_DAYS, type TrafficGrid, type TrafficCounts } from '../../findings/traffic-grid.ts';
import { COUNTED, TRAFFIC_KINDS } from '../../findings/expect-traffic.ts';
import { readRows } from '../engine-database.ts';
import { FAILED_SQL, findColumn } from '../engine-tables.ts';
import { NO_CONDITION, toFilterSql, type BoundValue, type SqlCondition } from '../filter-sql.ts';
import { toSourceSql, type ResolvedScope } from '../resolved-scope.ts';

/** The window that was looked at. */
export interface Looked {
  readonly window: TimeSpan;
  readonly grids: readonly TrafficGrid[];
  readonly scopes: Readonly<Record<Direction, ResolvedScope>>;
}

/** Returns an incident as a finding, measured over its records. */
export async function describeIncident(
  connection: DuckDBConnection,
  { window, grids, scopes }: Looked,
  incident: JoinedIncident,
  untilMs: number,
): Promise<Finding> {
  const { kind, channel, service, newFamily, directions, measured, also } = incident;
  const sinceMs = window.fromMs + incident.onset * MINUTE_MS;
  const endedMs = incident.end === null ? null : window.fromMs + incident.end * MINUTE_MS;
  const { source } = incident;
  const own = directions.map((direction) => scopes[direction]);
  const usualShare = measured.expected / Math.max(1, measured.total);
  const place = { kind, channel, service, newFamily, fromMs: sinceMs, toMs: endedMs ?? untilMs };
  const measure = async (shape: FindingShape, usualRequests: number): Promise<MeasuredFinding> => {
    const { medianMs, figures } = await readFigures(connection, own, shape);
    const share = figures.count / Math.max(1, figures.requests);
    const measures: Readonly<Record<FindingMeasure, () => Promise<[recent: number, usual: number]>>> = {
      times: async () => [medianMs ?? 0, (await readUsualMedian(connection, own, shape, source)) ?? 0],
      volume: () => Promise.resolve([figures.requests, usualRequests]),
      failing: () => Promise.resolve([share, usualShare]),
      family: () => Promise.resolve([share, usualShare]),
      outage: () => Promise.resolve([share, 0]),
    };
    const [recent, usual] = await measures[FINDING_KIND_ROWS[kind].measure]();
    return { shape, figures, recent, usual };
  };
  let found = await measure({ ...place, within: [] }, measured.expected);
  for (let tried = 0; tried < CLOSER_FIELDS.length; tried += 1) {
    const closer = await findCloser(connection, own, found, source);
    if (closer === null) break;
    found = await measure({ ...place, within: [...found.shape.within, closer.place] }, closer.usualRequests);
  }
  const { shape, figures, recent, usual } = found;
  const end = incident.end ?? Math.ceil((untilMs - window.fromMs) / MINUTE_MS);
  return {
    id: toFindingId(incident, sinceMs),
    kind,
    also: [...also],
    part: incident.part,
    directions: [...directions],
    channel,
    service,
    within: [...shape.within],
    sinceMs,
    endedMs,
    untilMs,
    ...figures,
    recent,
    usual,
    source,
    isNewFamily: newFamily !== null,
    filter: { conditions: listConditions(shape) },
    trend: measureTrend(
      grids.filter(({ direction }) => directions.includes(direction)),
      incident,
      incident.onset,
      end,
    ),
  };
}

/** An outage that the service reported, or (no part) that kept it from being reached. */
interface Outage extends Omit<DownIncident, 'part'> {
  readonly part: DownIncident['part'] | null;
}

/** Returns an outage as a finding, with what became of requests meanwhile. */
export async function describeDown(
  connection: DuckDBConnection,
  { window, grids, scopes }: Looked,
  span: Outage,
  untilMs: number,
): Promise<Finding> {
  const { part, sinceMs, isOngoing, also } = span;
  const toMs = Math.max(sinceMs + 1, isOngoing ? Math.max(untilMs, span.untilMs) : span.untilMs);
  const place = { channel: null, service: null, within: [] };
  const kind = part === null ? 'unreachable' : 'down';
  const shape: FindingShape = { kind, ...place, newFamily: null, fromMs: sinceMs, toMs };
  const directions: readonly Direction[] = part === 'connector' ? ['outbound', 'inbound'] : DIRECTIONS;
  const { figures } = await readFigures(
    connection,
    directions.map((direction) => scopes[direction]),
    shape,
  );
  const toMinute = (atMs: number): number => Math.round((atMs - window.fromMs) / MINUTE_MS);
  return {
    id: `down:${part ?? 'service'}:${new Date(sinceMs).toISOString().slice(0, 19)}`,
    kind,
    also: [...also],
    part,
    directions: [...directions],
    ...place,
    sinceMs,
    endedMs: isOngoing ? null : span.untilMs,
    untilMs: toMs,
    ...figures,
    recent: figures.count / Math.max(1, figures.requests),
    usual: 0,
    source: 'days',
    isNewFamily: false,
    filter: { conditions: listConditions(shape) },
    trend: measureTrend(grids, shape, Math.max(0, toMinute(sinceMs)), Math.max(1, toMinute(toMs))),
  };
}

/** What a finding's records are, without what is counted of them. */
interface FindingShape extends Place, TimeSpan {
  readonly kind: FindingKind;
  readonly newFamily: string | null;
  readonly within: readonly CloserPlace[];
}

interface MeasuredFinding extends Pick<Finding, 'recent' | 'usual'> {
  readonly shape: FindingShape;
  readonly figures: FindingFigures;
}

type Counted = FindingKindRow['counted'];

/** What is counted of the records of a finding. */
type FindingFigures = Pick<
  Finding,
  'requests' | 'count' | 'sessionCount' | 'clientCount' | 'shown' | 'errorFamily' | 'examples'
>;

type FigureRow = [
  requests: number,
  failures: number,
  medianMs: number | null,
  inbound: number,
  outbound: number,
  errorFamily: string | null,
  /** JSON. */
  examples: string,
  sessions: number,
  clients: number,
];

const MAX_EXAMPLES = 3;
/** More values of a field than these are no places. */
const MAX_VALUES = 200;
const HALF_HOUR_MS = HOUR_MS / 2;
const HOURS_BEFORE_MS = 6 * HOUR_MS;
const USUAL_WEEKS = 5;
/** A session has requests of both directions; each is named once, with the one that it began with. */
const EXAMPLES_SQL = `(SELECT coalesce(to_json(list({'direction': direction, 'sessionId': session_id} ORDER BY place)), '[]')::VARCHAR FROM (
  SELECT arg_min(direction, date_ms) AS direction, session_id,
    row_number() OVER (ORDER BY count(*) DESC, min(date_ms), session_id) AS place
  FROM counted WHERE session_id <> '' GROUP BY session_id ORDER BY place LIMIT ${MAX_EXAMPLES}))`;
const COLUMNS = ['date_ms', 'outcome', 'error_pattern', 'session_id', 'client'];
/** A direction whose records don't have the field has no time. */
const TIME_COLUMN = 'time_ms';

/** Returns the conditions that show exactly the records that a finding counts. */
function listConditions(shape: FindingShape): FieldCondition[] {
  const { kind, newFamily } = shape;
  const failing: FieldCondition = { field: 'outcome', values: ['failed'] };
  const counted: Readonly<Record<Counted, FieldCondition[]>> = {
    all: [],
    failed: [failing],
    family: newFamily === null ? [] : [{ field: 'errorFamily', values: [newFamily] }],
    succeeded: [{ ...failing, exclude: true }],
  };
  return [
    ...counted[FINDING_KIND_ROWS[kind].counted],
    ...listPlace(shape),
    { field: 'dateMs', min: shape.fromMs, max: shape.toMs },
  ];
}

function listPlace({ channel, service, within }: FindingShape): FieldCondition[] {
  return [
    ...(channel === null ? [] : [{ field: 'channel' as const, values: [channel] }]),
    ...(service === null ? [] : [{ field: 'service' as const, values: [service] }]),
    ...within.map(({ field, value }) => ({ field, values: [value] })),
  ];
}

/** Which of the requests at its place and in its time a finding counts: those that `listConditions` shows. */
function toCountedSql({ kind, newFamily }: FindingShape, bind: (value: BoundValue) => string): string {
  const counted: Readonly<Record<Counted, () => string>> = {
    all: () => 'true',
    failed: () => FAILED_SQL,
    family: () => (newFamily === null ? 'true' : `error_pattern = ${bind(newFamily)}`),
    succeeded: () => `NOT ${FAILED_SQL}`,
  };
  return counted[FINDING_KIND_ROWS[kind].counted]();
}

/** Whom its records are of; of an outage, whom those that failed are of. */
function toHitSql(column: 'session_id' | 'client', isDown: boolean): string {
  const failed = isDown ? ` AND ${FAILED_SQL}` : '';
  return `(SELECT count(DISTINCT ${column}) FROM counted WHERE ${column} <> ''${failed})`;
}

/**
 * Counts and measures the records of a finding in its directions, in one statement: each reads the same few records. The
 * median is null where nothing was timed.
 */
async function readFigures(
  connection: DuckDBConnection,
  scopes: readonly ResolvedScope[],
  shape: FindingShape,
): Promise<{ readonly medianMs: number | null; readonly figures: FindingFigures }> {
  const { kind, newFamily, fromMs, toMs } = shape;
  const { source, values } = toRecordsSql(scopes, kind, [
    ...listPlace(shape),
    { field: 'dateMs', min: fromMs, max: toMs },
  ]);
  const counted = toCountedSql(shape, (value) => `$${values.push(value)}`);
  const { measure } = FINDING_KIND_ROWS[kind];
  const isDown = measure === 'outage';
  const [row] = await readRows<FigureRow>(
    connection,
    `WITH every AS MATERIALIZED (FROM ${source}), counted AS (FROM every WHERE ${counted})
     SELECT count(*), count(*) FILTER (${FAILED_SQL}),
       quantile_cont(${TIME_COLUMN}, 0.5) FILTER (NOT ${FAILED_SQL} AND ${TIME_COLUMN} >= 0),
       ${DIRECTIONS.map((own) => `(SELECT count(*) FROM counted WHERE direction = '${own}')`).join(', ')},
       (SELECT error_pattern FROM counted WHERE error_pattern <> ''
        GROUP BY error_pattern ORDER BY count(*) DESC, error_pattern LIMIT 1),
       ${EXAMPLES_SQL},
       ${toHitSql('session_id', isDown)}, ${toHitSql('client', isDown)}
     FROM every`,
    values,
  );
  if (row === undefined) throw new Error('A statement without groups has one row.');
  const [requests, failures, medianMs, inbound, outbound, family, examples, sessionCount, clientCount] = row;
  const counts = { inbound, outbound };
  const figures = {
    requests,
    count: isDown ? failures : inbound + outbound,
    sessionCount,
    clientCount,
    shown: scopes.map(({ direction }) => ({ direction, count: counts[direction] })),
    errorFamily: measure === 'failing' ? family : newFamily,
    examples: JSON.parse(examples) as FindingFigures['examples'],
  };
  return { medianMs, figures };
}

/** The times that say what is usual of a finding: around the same hours on earlier days, the hours before, or weeks. */
function toDatesSql(shape: FindingShape, source: Finding['source']): string {
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
  return `(${dates.join(' OR ')})`;
}

/** What a value has to have of what is beyond the usual, and may have at most of all requests at its place. */
const OF_HITS = 0.9;
const OF_REQUESTS = 0.7;
/** Fewer other requests say nothing. */
const MIN_OTHERS = 20;
/** What the other requests may differ from what is usual. */
const OTHERS = { share: 0.01, factor: 1.5, times: 1.15, fewer: 0.9, more: 1.1 };
/** An action that none executed. */
const NO_ACTION = '-1';

/** Requests with a value: how many, those that a finding counts, and the median of their times. */
type ValueRow = [value: string | null, requests: number, hits: number, medianMs: number | null];

/**
 * Returns the value of a field that explains what was found by itself: nearly all that is unusual has it, and all other
 * requests at the place are as usual. Null where there is none. `usualRequests` is how many requests are usual of it.
 */
async function findCloser(
  connection: DuckDBConnection,
  scopes: readonly ResolvedScope[],
  { shape, figures, usual }: MeasuredFinding,
  source: Finding['source'],
): Promise<{ readonly place: CloserPlace; readonly usualRequests: number } | null> {
  const { measure } = FINDING_KIND_ROWS[shape.kind];
  const { fromMs, toMs } = shape;
  for (const field of CLOSER_FIELDS) {
    const isTold = shape.within.some((known) => known.field === field);
    const column = scopes.map(({ direction }) => findColumn(field, direction)?.name);
    const [name] = column;
    if (isTold || name === undefined || column.some((other) => other !== name)) continue;
    const read = (conditions: readonly FieldCondition[], dates?: string): Promise<ValueRow[]> => {
      const { source: records, values } = toRecordsSql(scopes, shape.kind, conditions, {
        also: dates,
        more: [name],
      });
      const counted = toCountedSql(shape, (value) => `$${values.push(value)}`);
      return readRows<ValueRow>(
        connection,
        `SELECT ${name}::VARCHAR, count(*), count(*) FILTER (${counted}),
           quantile_cont(${TIME_COLUMN}, 0.5) FILTER (NOT ${FAILED_SQL} AND ${TIME_COLUMN} >= 0)
         FROM ${records} GROUP BY 1 ORDER BY 3 DESC, 1 NULLS LAST LIMIT ${MAX_VALUES}`,
        values,
      );
    };
    const here = [...listPlace(shape), { field: 'dateMs' as const, min: fromMs, max: toMs }];
    const rows = await read(here);
    const isOthersAsUsual = async (value: string): Promise<boolean> => {
      const others = [...here, { field, values: [value], exclude: true }];
      return (
        ((await readMedian(connection, toRecordsSql(scopes, shape.kind, others))) ?? 0) <=
        usual * OTHERS.times
      );
    };
    const volumes = measure === 'volume' ? await read(listPlace(shape), toDatesSql(shape, source)) : [];
    const allBefore = volumes.reduce((sum, [, count]) => sum + count, 0);
    const known = new Set([...rows, ...volumes].flatMap(([value]) => value ?? []));
    if (measure === 'volume' && allBefore === 0) continue;
    for (const value of known) {
      if (value === '' || value === NO_ACTION) continue;
      const [, requests = 0, hits = 0, medianMs = null] = rows.find((row) => row[0] === value) ?? [];
      const others = figures.requests - requests;
      const isPart = requests <= OF_REQUESTS * figures.requests && others >= MIN_OTHERS;
      if (measure === 'volume') {
        const before = volumes.find((row) => row[0] === value)?.[1] ?? 0;
        // The others say how many would have come in all.
        const likely = (allBefore * others) / Math.max(1, allBefore - before);
        const isOthersUsual =
          figures.requests < usual ? likely >= usual * OTHERS.fewer : likely <= usual * OTHERS.more;
        if (isOthersUsual && others >= MIN_OTHERS && before <= OF_REQUESTS * allBefore)
          return { place: { field, value }, usualRequests: (usual * before) / Math.max(1, allBefore) };
      } else if (measure === 'times') {
        const isSlow = medianMs !== null && medianMs > usual * OTHERS.factor;
        if (isPart && isSlow && (await isOthersAsUsual(value)))
          return { place: { field, value }, usualRequests: 0 };
      } else if (isPart) {
        const beyond = (count: number, of: number): number => count - usual * of;
        const ofValue = beyond(hits, requests) / beyond(figures.count, figures.requests);
        const share = (figures.count - hits) / others;
        if (ofValue >= OF_HITS && share <= Math.max(usual * OTHERS.factor, usual + OTHERS.share))
          return { place: { field, value }, usualRequests: 0 };
      }
    }
  }
  return null;
}

/**
 * Returns the median of the times of successful requests around the same hours on earlier days, or in the hours before, in
 * milliseconds; null where none was timed.
 */
async function readUsualMedian(
  connection: DuckDBConnection,
  scopes: readonly ResolvedScope[],
  shape: FindingShape,
  source: Finding['source'],
): Promise<number | null> {
  const dates = toDatesSql(shape, source);
  const all = toRecordsSql(scopes, shape.kind, listPlace(shape), { also: dates });
  return readMedian(connection, all);
}

/** The median of the times of successful requests; null where none was timed. */
async function readMedian(
  connection: DuckDBConnection,
  { source, values }: ReturnType<typeof toRecordsSql>,
): Promise<number | null> {
  const [[medianMs] = [null]] = await readRows<[number | null]>(
    connection,
    `SELECT quantile_cont(${TIME_COLUMN}, 0.5) FROM ${source} WHERE NOT ${FAILED_SQL} AND ${TIME_COLUMN} >= 0`,
    [...values],
  );
  return medianMs;
}

/** The records of several directions that meet conditions which mean the same in each. */
function toRecordsSql(
  scopes: readonly ResolvedScope[],
  kind: FindingKind,
  conditions: readonly FieldCondition[],
  {
    also = 'true',
    more = [],
  }: { readonly also?: string | undefined; readonly more?: readonly string[] } = {},
): { readonly source: string; readonly values: BoundValue[] } {
  const wheres = scopes.map(({ direction }) => toFilterSql({ conditions: [...conditions] }, direction));
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
  return { source: `(${selects.join(' UNION ALL ')})`, values: [...(wheres[0]?.values ?? [])] };
}

const SLOTS = 14;
const MIN_SLOT_MINUTES = 10;
/** The time before the onset takes this share of the whole. */
const WITH_BEFORE = 1.4;

/**
 * Returns the measure of a kind of finding in equal spans that end with it: shares of failing or slow requests, or
 * requests a span. `onset` and `end` are minutes of the window.
 */
function measureTrend(
  grids: readonly TrafficGrid[],
  finding: Place & { readonly kind: FindingKind },
  onset: number,
  end: number,
): number[] {
  const { kind } = finding;
  const flows = grids.flatMap((grid) => grid.flows.filter((flow) => isWithin(flow, finding)));
  const slot = Math.max(MIN_SLOT_MINUTES, Math.ceil(((end - onset) * WITH_BEFORE) / SLOTS));
  const values: number[] = [];
  for (let to = end; to > 0 && values.length < SLOTS; to -= slot) {
    const [hits, all] = countIn(flows, kind, Math.max(0, to - slot), to);
    values.unshift(FINDING_KIND_ROWS[kind].measure === 'volume' ? all : all === 0 ? 0 : hits / all);
  }
  return values;
}

function countIn(
  flows: TrafficGrid['flows'],
  kind: FindingKind,
  from: number,
  to: number,
): [hits: number, all: number] {
  const counted = toCounted(kind);
  let hits = 0;
  let all = 0;
  for (const { minutes } of flows) {
    const [ofHits, ofAll] = [minutes[counted.hits], minutes[counted.all]];
    for (let minute = from; minute < to; minute += 1) {
      hits += ofHits[minute] ?? 0;
      all += ofAll[minute] ?? 0;
    }
  }
  return [hits, all];
}

/** What isn't found in counted traffic itself shows in the requests that fail. */
function toCounted(kind: FindingKind): {
  readonly hits: keyof TrafficCounts;
  readonly all: keyof TrafficCounts;
} {
  const own = TRAFFIC_KINDS.find((one) => one === kind);
  return COUNTED[own ?? 'errors-up'];
}
