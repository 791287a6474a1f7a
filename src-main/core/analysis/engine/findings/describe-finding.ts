import type { DuckDBConnection } from '@duckdb/node-api';
import {
  FINDING_KIND_ROWS,
  type FindingMeasure,
  type FindingKind,
} from '../../../../common/model/analysis/finding-kinds.ts';
import { PLACE_FIELDS, type Finding } from '../../../../common/model/analysis/finding.ts';
import { DIRECTIONS, type Direction } from '../../../../common/reporting/reports.ts';
import { MINUTE_MS } from '../../../../common/time/durations.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import type { Place } from '../../findings/detect-incidents.ts';
import { isWithin } from '../../findings/explain-incidents.ts';
import type { DownIncident } from '../../findings/join-down-spans.ts';
import { toFindingId, type JoinedIncident } from '../../findings/join-incidents.ts';
import type { TrafficGrid, TrafficCounts } from '../../findings/traffic-grid.ts';
import { COUNTED, TRAFFIC_KINDS } from '../../findings/expect-traffic.ts';
import { readRows } from '../engine-database.ts';
import { FAILED_SQL } from '../engine-tables.ts';
import type { ResolvedScope } from '../resolved-scope.ts';
import { findCloser, findCode, type MeasuredShape } from './closer-places.ts';
import {
  listAll,
  listConditions,
  MEDIAN_SQL,
  readUsualMedian,
  toCountedSql,
  toRecordsSql,
  type FindingShape,
} from './finding-records.ts';

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
  const { kind, channel, service, newFamily, directions, measured, also, value } = incident;
  const sinceMs = window.fromMs + incident.onset * MINUTE_MS;
  const endedMs = incident.end === null ? null : window.fromMs + incident.end * MINUTE_MS;
  const { source } = incident;
  const own = directions.map((direction) => scopes[direction]);
  const usualShare = measured.expected / Math.max(1, measured.total);
  const place = { kind, channel, service, newFamily, fromMs: sinceMs, toMs: endedMs ?? untilMs };
  const measure = async (shape: FindingShape, likely: number): Promise<MeasuredFinding> => {
    const { medianMs, figures } = await readFigures(connection, own, shape);
    const share = figures.count / Math.max(1, figures.requests);
    const measures: Readonly<Record<FindingMeasure, () => Promise<[recent: number, usual: number]>>> = {
      times: async () => [medianMs ?? 0, (await readUsualMedian(connection, own, { shape, source })) ?? 0],
      volume: () => Promise.resolve([figures.requests, likely]),
      failing: () => Promise.resolve([share, likely]),
      family: () => Promise.resolve([share, usualShare]),
      outage: () => Promise.resolve([share, 0]),
    };
    const [recent, usual] = await measures[FINDING_KIND_ROWS[kind].measure]();
    return { shape, figures, recent, usual };
  };
  const within = value === undefined ? [] : [value.place];
  const isVolume = FINDING_KIND_ROWS[kind].measure === 'volume';
  let found = await measure({ ...place, within }, isVolume ? measured.expected : usualShare);
  for (let tried = 0; tried < MAX_CLOSER; tried += 1) {
    const closer = await findCloser(connection, own, found, source);
    if (closer === null) break;
    found = await measure(closer.shape, closer.usual);
  }
  const coded = await findCode(connection, own, found, source);
  if (coded !== null) found = await measure(coded.shape, coded.usual);
  const { shape, figures, recent, usual } = found;
  const end = incident.end ?? Math.ceil((untilMs - window.fromMs) / MINUTE_MS);
  return {
    id: toFindingId(incident, sinceMs),
    kind,
    also: [...also],
    part: incident.part,
    directions: [...directions],
    channel: shape.channel,
    service: shape.service,
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
      (value?.grids ?? grids).filter(({ direction }) => directions.includes(direction)),
      { kind, ...(value?.flows ?? { channel, service }) },
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

interface MeasuredFinding extends MeasuredShape {
  readonly figures: FindingFigures;
}

/** A value may be named by each field, and its channel and service. */
const MAX_CLOSER = PLACE_FIELDS.length + 2;

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
/** A session has requests of both directions; each is named once, with the one that it began with. */
const EXAMPLES_SQL = `(SELECT coalesce(to_json(list({'direction': direction, 'sessionId': session_id} ORDER BY place)), '[]')::VARCHAR FROM (
  SELECT arg_min(direction, date_ms) AS direction, session_id,
    row_number() OVER (ORDER BY count(*) DESC, min(date_ms), session_id) AS place
  FROM counted WHERE session_id <> '' GROUP BY session_id ORDER BY place LIMIT ${MAX_EXAMPLES}))`;
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
  const { kind, newFamily } = shape;
  const { source, values } = toRecordsSql(scopes, kind, listAll(shape));
  const counted = toCountedSql(shape, (value) => `$${values.push(value)}`);
  const { measure } = FINDING_KIND_ROWS[kind];
  const isDown = measure === 'outage';
  const [row] = await readRows<FigureRow>(
    connection,
    `WITH every AS MATERIALIZED (FROM ${source}), counted AS (FROM every WHERE ${counted})
     SELECT count(*), count(*) FILTER (${FAILED_SQL}),
       ${MEDIAN_SQL},
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
