import type { DuckDBConnection } from '@duckdb/node-api';
import { FINDING_KIND_ROWS, toKindRow } from '../../../../common/model/analysis/finding-kinds.ts';
import { PLACE_FIELDS } from '../../../../common/model/analysis/finding.ts';
import type { FilterPart } from '../../../../common/model/records/record-filter.ts';
import type { Direction } from '../../../../common/reporting/reports.ts';
import { MINUTE_MS } from '../../../../common/time/durations.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import { createTrafficGrid } from '../../findings/create-traffic-grid.ts';
import { isLarge } from '../../findings/detect-incidents.ts';
import { findIncidents } from '../../findings/explain-incidents.ts';
import { LEAST_FAILING, TRAFFIC_KINDS } from '../../findings/expect-traffic.ts';
import { joinIncidents, type JoinedIncident } from '../../findings/join-incidents.ts';
import { judgeLongTraffic } from '../../findings/long-incidents.ts';
import { LONG_KINDS } from '../../findings/scan-weeks.ts';
import { ALARM } from '../../findings/scan-minutes.ts';
import { toFirstHour, type SetAside, type TrafficGrid } from '../../findings/traffic-grid.ts';
import { weighHit } from '../../findings/weigh-shares.ts';
import { weighCount } from '../../findings/weigh-volume.ts';
import { readRows } from '../engine-database.ts';
import { findColumn } from '../engine-tables.ts';
import type { ResolvedScope } from '../resolved-scope.ts';
import {
  listAll,
  listPlace,
  MEDIAN_SQL,
  MIN_OTHERS,
  readUsualMedian,
  TIMED_COUNT_SQL,
  toCountedSql,
  toDatesSql,
  toRecordsSql,
  type FindingShape,
} from './finding-records.ts';
import { MAX_VALUES, type ValuesOfDay } from './read-traffic.ts';
import { type DayReader, joinDays, type SettledTraffic } from './settled-traffic.ts';

/** Counts the days of a span in a direction. */
export interface DirectionReader {
  readonly direction: Direction;
  readonly scope: ResolvedScope;
  readonly covered: readonly TimeSpan[];
  readonly count: <Counts>(of: DayReader<Counts>, span: TimeSpan) => Promise<readonly Counts[]>;
}

interface ValueQuestion {
  readonly settled: Pick<SettledTraffic, 'byValue'>;
  readonly readers: readonly DirectionReader[];
  readonly window: TimeSpan;
  /** Where the hours and the weeks begin that the usual level is learned from. */
  readonly hoursMs: number;
  readonly weeksMs: number;
  readonly setAside: readonly SetAside[];
}

/**
 * Returns what is unusual at single origins and actions, each incident once for a field, though it may be too small to
 * show at any channel or service. A field with one value alone, or with more than are places, isn't judged.
 */
export async function findValueIncidents({
  settled,
  readers,
  window,
  hoursMs,
  weeksMs,
  setAside,
}: ValueQuestion): Promise<JoinedIncident[]> {
  const before = { fromMs: hoursMs, toMs: window.fromMs };
  const firstHour = toFirstHour(window);
  // A span that is set aside at a channel has requests of every value.
  const spans = setAside.map(({ fromMs, toMs }) => ({ fromMs, toMs }));
  const found: JoinedIncident[] = [];
  for (const field of PLACE_FIELDS) {
    const traffic = settled.byValue[field];
    const own = readers.filter(({ direction }) => findColumn(field, direction) !== null);
    const days: ValuesOfDay[] = [];
    for (const { count } of own)
      days.push(...(await count(traffic.values, { fromMs: hoursMs, toMs: window.toMs })));
    const names = joinValuesOf(days);
    if (!areJudged(names)) continue;
    const grids: TrafficGrid[] = [];
    for (const { direction, count, covered } of own) {
      const hours = joinDays(await count(traffic.hours, before), firstHour);
      const minutes = joinDays(await count(traffic.minutes, window), 0);
      const late = {
        hours: joinDays(await count(traffic.lateHours, before), firstHour),
        minutes: joinDays(await count(traffic.lateMinutes, window), 0),
      };
      grids.push(createTrafficGrid({ direction, hours, minutes, late, window, covered, setAside: spans }));
    }
    // What befalls all values is told of channels and services.
    const incidents = joinIncidents(
      findIncidents(grids).filter(({ service }) => service !== null),
      grids,
    );
    let isRare: (incident: JoinedIncident) => boolean = () => true;
    if (incidents.some(({ kind }) => LONG_KINDS.some((long) => long === kind))) {
      const weeks = [];
      for (const { direction, count, covered } of own) {
        const cells = await count(traffic.weeks, { fromMs: weeksMs, toMs: window.toMs });
        weeks.push({ direction, covered, cells });
      }
      ({ isRare } = judgeLongTraffic(weeks, window, spans));
    }
    for (const incident of incidents) {
      const value = names.get(incident.service ?? NaN);
      if (value === undefined || !isRare(incident)) continue;
      const flows = { channel: incident.channel, service: incident.service };
      const place = { field, value };
      found.push({ ...incident, channel: null, service: null, value: { place, grids, flows } });
    }
  }
  return found.sort((a, b) => b.score - a.score);
}

/** The values of several days. */
export function joinValuesOf(days: readonly ValuesOfDay[]): ValuesOfDay {
  const names = new Map<number, string>();
  for (const day of days) for (const [number, value] of day) names.set(number, value);
  return names;
}

/** False for one value alone, and for more than are places. */
export function areJudged({ size }: ValuesOfDay): boolean {
  return size >= 2 && size <= MAX_VALUES;
}

/** Incidents at single values that are looked at beside those of channels and services, the clearest ones. */
const MAX_JOINED = 40;

/** The window that incidents are of, and where their records are. */
interface Records {
  readonly connection: DuckDBConnection;
  readonly scopes: Readonly<Partial<Record<Direction, ResolvedScope>>>;
  readonly window: TimeSpan;
}

/**
 * Returns the incidents of channels and services with those of single values, each once at the place that explains it: a
 * channel that fails isn't told for each of its origins, and an origin that fails isn't told for each of its channels.
 */
export async function joinValues(
  records: Records,
  incidents: readonly JoinedIncident[],
  ofValues: readonly JoinedIncident[],
): Promise<JoinedIncident[]> {
  let told = [...incidents];
  for (const incident of ofValues.slice(0, MAX_JOINED)) {
    let own = incident;
    const standing: JoinedIncident[] = [];
    const explained: JoinedIncident[] = [];
    for (const other of told.filter((one) => isBeside(one, incident))) {
      const isEffect = toSameAs(other) !== toSameAs(incident) || other.value !== undefined;
      if (isEffect || (await isUnusualApart(records, other, [incident]))) standing.push(other);
      else explained.push(other);
    }
    if (standing.length > 0 && !(await isUnusualApart(records, incident, standing))) continue;
    for (const { newFamily, also } of explained) {
      const more = also.filter((kind) => kind !== own.kind && !own.also.includes(kind));
      own = { ...own, newFamily: own.newFamily ?? newFamily, also: [...own.also, ...more] };
    }
    told = [...told.filter((one) => !explained.includes(one)), own];
  }
  return told.toSorted((a, b) => a.onset - b.onset || b.score - a.score);
}

function toSameAs({ kind }: JoinedIncident): string {
  return toKindRow(kind).sameAs;
}

/** True for what may be the same, or may be what becomes of the requests of the other one. */
function isBeside(told: JoinedIncident, incident: JoinedIncident): boolean {
  const isAtOnce = told.onset < (incident.end ?? Infinity) && incident.onset < (told.end ?? Infinity);
  if (!isAtOnce || !told.directions.some((direction) => incident.directions.includes(direction)))
    return false;
  if (told.source === 'weeks' && incident.source !== 'weeks') return toSameAs(told) === toSameAs(incident);
  return (
    toSameAs(told) === toSameAs(incident) || toKindRow(incident.kind).joins.some((kind) => kind === told.kind)
  );
}

type ApartRow = [requests: number, hits: number, timed: number, medianMs: number | null];

/** True where the requests of an incident that aren't at the places of others are unusual, too. */
async function isUnusualApart(
  { connection, scopes, window }: Records,
  incident: JoinedIncident,
  others: readonly JoinedIncident[],
): Promise<boolean> {
  const own = incident.directions.flatMap((direction) => scopes[direction] ?? []);
  const shape = toShape(incident, window);
  const apart: FilterPart[] = [
    ...listPlace(shape),
    { any: others.map((other) => ({ conditions: listAll(toShape(other, window)) })), exclude: true },
  ];
  const here = [...apart, ...listAll(shape)];
  const read = async (conditions: readonly FilterPart[], dates?: string): Promise<ApartRow> => {
    const { source, values } = toRecordsSql(own, shape.kind, conditions, { also: dates });
    const counted = toCountedSql(shape, (value) => `$${values.push(value)}`);
    const [row] = await readRows<ApartRow>(
      connection,
      `SELECT count(*), count(*) FILTER (${counted}), ${TIMED_COUNT_SQL}, ${MEDIAN_SQL} FROM ${source}`,
      values,
    );
    return row ?? [0, 0, 0, null];
  };
  const [requests, hits, timed, medianMs] = await read(here);
  const { measure, ratio } = toKindRow(shape.kind);
  const { measured, source, kind } = incident;
  if (measure === 'times') {
    if (timed < MIN_OTHERS || medianMs === null) return false;
    const usual = (await readUsualMedian(connection, own, { shape, source, conditions: apart })) ?? 0;
    return medianMs >= (ratio?.[source === 'weeks' ? 'weeks' : 'minutes'] ?? 1) * usual;
  }
  if (measure === 'volume') {
    const dates = toDatesSql(shape, source);
    const [[ofRest], [ofAll]] = [await read(apart, dates), await read(listPlace(shape), dates)];
    const expected = (measured.expected * ofRest) / Math.max(1, ofAll);
    const volume = TRAFFIC_KINDS.find((one) => one === kind);
    return (
      (volume === 'volume-down' || volume === 'volume-up') &&
      isLarge(volume, { hits: requests, total: requests, expected }) &&
      weighCount(volume, requests, expected) >= ALARM
    );
  }
  if (measure === 'family') return hits >= measured.hits / 2;
  const share = Math.max(LEAST_FAILING, measured.expected / Math.max(1, measured.total));
  const { hit, miss } = weighHit('errors-up', share);
  const isCertain = hits * hit + (requests - hits) * miss >= ALARM;
  return isCertain && isLarge('errors-up', { hits, total: requests, expected: share * requests });
}

function toShape(incident: JoinedIncident, window: TimeSpan): FindingShape {
  const { kind, channel, service, newFamily, value, onset, end } = incident;
  const isFamily = FINDING_KIND_ROWS[kind].measure === 'family';
  return {
    kind,
    channel,
    service,
    newFamily: isFamily ? newFamily : null,
    within: value === undefined ? [] : [value.place],
    fromMs: window.fromMs + onset * MINUTE_MS,
    toMs: end === null ? window.toMs : window.fromMs + end * MINUTE_MS,
  };
}
