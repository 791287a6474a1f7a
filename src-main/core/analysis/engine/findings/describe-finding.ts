import type { DuckDBConnection } from '@duckdb/node-api';
import { FINDING_KIND_ROWS, type FindingMeasure } from '../../../../common/model/analysis/finding-kinds.ts';
import type { Finding } from '../../../../common/model/analysis/finding.ts';
import { DIRECTIONS, type Direction } from '../../../../common/reporting/reports.ts';
import { MINUTE_MS } from '../../../../common/time/durations.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import type { DownIncident } from '../../findings/join-down-spans.ts';
import type { JoinedIncident } from '../../findings/join-incidents.ts';
import { measureTrend } from '../../findings/measure-trend.ts';
import { toFindingId } from '../../findings/rank-findings.ts';
import type { TrafficGrid } from '../../findings/traffic-grid.ts';
import type { ResolvedScope } from '../resolved-scope.ts';
import { listConditions, readFigures, readUsualMedian, type FindingShape } from './read-figures.ts';

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
  const shape: FindingShape = {
    kind,
    channel,
    service,
    newFamily,
    fromMs: sinceMs,
    toMs: endedMs ?? untilMs,
  };
  const own = directions.map((direction) => scopes[direction]);
  const { medianMs, figures } = await readFigures(connection, own, shape);
  const end = incident.end ?? Math.ceil((untilMs - window.fromMs) / MINUTE_MS);
  const { source } = incident;
  const share = figures.count / Math.max(1, figures.requests);
  const usualShare = measured.expected / Math.max(1, measured.total);
  const measures: Readonly<Record<FindingMeasure, () => Promise<[recent: number, usual: number]>>> = {
    times: async () => [medianMs ?? 0, (await readUsualMedian(connection, own, shape, source)) ?? 0],
    volume: () => Promise.resolve([figures.requests, measured.expected]),
    failing: () => Promise.resolve([share, usualShare]),
    family: () => Promise.resolve([share, usualShare]),
    outage: () => Promise.resolve([share, 0]),
  };
  const [recent, usual] = await measures[FINDING_KIND_ROWS[kind].measure]();
  return {
    id: toFindingId(incident, sinceMs),
    kind,
    also: [...also],
    part: incident.part,
    directions: [...directions],
    channel,
    service,
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
  const place = { channel: null, service: null };
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
