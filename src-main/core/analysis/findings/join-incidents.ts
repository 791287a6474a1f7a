import { toKindRow, FINDING_KIND_ROWS, FINDING_KINDS } from '../../../common/model/analysis/finding-kinds.ts';
import type { CloserPlace, Finding } from '../../../common/model/analysis/finding.ts';
import type { DownSpan } from '../../../common/model/connections/status.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import { isBeyond, isLarge, type Incident, type Place } from './detect-incidents.ts';
import type { Measured } from './scan-minutes.ts';
import { beginTogether, isWithin, SAME_ONSET } from './explain-incidents.ts';
import type { TrafficGrid } from './traffic-grid.ts';
import { COUNTED, TRAFFIC_KINDS, type TrafficKind } from './expect-traffic.ts';

/** One incident, in one direction or both. */
export interface JoinedIncident extends Place {
  readonly kind: TrafficKind | 'new-errors' | 'recovered-late';
  /** What else is unusual about the same requests. */
  readonly also: readonly JoinedIncident['kind'][];
  readonly directions: readonly Direction[];
  /** Minutes of the window; the end is null while it goes on. */
  readonly onset: number;
  readonly end: number | null;
  readonly crossed: number;
  readonly score: number;
  readonly measured: Measured;
  readonly source: Incident['source'] | 'weeks';
  /** A pattern of errors that was not seen in the week before, where most of its requests have it. */
  readonly newFamily: string | null;
  /** What was reported as up again while it went on. */
  readonly part: DownSpan['part'] | null;
  /** The value of a field that its requests have, whatever their channel and service; missing where it is of any. */
  readonly value?: IncidentValue;
}

/** A value of a field that traffic was judged by. */
export interface IncidentValue {
  readonly place: CloserPlace;
  /** Its requests: flows of these grids, of which the place is. */
  readonly grids: readonly TrafficGrid[];
  readonly flows: Place;
}

/** What lasts so much longer than what it may belong to is something of its own. */
const LASTS_LONGER = 60;
/** Two are one where the share of both together is at least this part of the smaller one's. */
const OF_LEAST = 1 / 2;

/**
 * Joins what is one incident: the same in both directions from the same moment, and what becomes of the requests of
 * another one in the same direction. Failing requests that are also slow, or more, or fewer, are failing requests. What
 * lasts much longer is something of its own, and so is what begins in the other direction at another time. What would no longer be large as one stays two: a
 * service that fails for hours and all traffic that does for minutes say little of all traffic in those hours.
 */
export function joinIncidents(
  incidents: readonly Incident[],
  grids: readonly TrafficGrid[],
): JoinedIncident[] {
  const inOrder = incidents.toSorted(
    (a, b) =>
      TRAFFIC_KINDS.indexOf(a.kind) - TRAFFIC_KINDS.indexOf(b.kind) ||
      a.crossed - b.crossed ||
      a.onset - b.onset ||
      b.score - a.score,
  );
  const joined: JoinedIncident[] = [];
  const minutes = Math.max(0, ...grids.map(({ minutesCovered }) => minutesCovered.length));
  for (const incident of inOrder) {
    const place = joined.findIndex(
      (other) => isOne(other, incident, minutes) && isLargeTogether(other, incident, grids),
    );
    const other = joined[place];
    if (other === undefined) {
      joined.push({ ...incident, also: [], newFamily: null, part: null });
    } else joined[place] = join(other, incident);
  }
  return joined.toSorted((a, b) => a.onset - b.onset || b.score - a.score);
}

function isOne(joined: JoinedIncident, incident: Incident, minutes: number): boolean {
  const isAtOnce =
    incident.onset < (joined.end ?? Infinity) + SAME_ONSET &&
    (incident.onset >= joined.onset - SAME_ONSET || incident.crossed >= joined.onset);
  if (!isAtOnce) return false;
  const isSameWay = incident.directions.some((direction) => joined.directions.includes(direction));
  if (joined.kind === incident.kind) {
    return (
      (isSameWay || beginTogether(incident, joined, minutes)) &&
      (isWithin(incident, joined) || isWithin(joined, incident))
    );
  }
  return (
    isSameWay &&
    toKindRow(incident.kind).joins.includes(joined.kind) &&
    isWithin(incident, joined) &&
    (incident.end ?? Infinity) <= (joined.end ?? Infinity) + LASTS_LONGER
  );
}

/** True where all requests of both together, as one incident would be told, are still what each alone is. */
function isLargeTogether(joined: JoinedIncident, incident: Incident, grids: readonly TrafficGrid[]): boolean {
  const { kind } = incident;
  // What else becomes of the same requests changes nothing about what is told of them.
  if (joined.kind !== kind) return true;
  const whole = join(joined, incident);
  const { hits: hitsOf, all: totalOf } = COUNTED[kind];
  let [hits, total] = [0, 0];
  for (const { direction, flows } of grids) {
    if (!whole.directions.includes(direction)) continue;
    for (const flow of flows) {
      if (!isWithin(flow, whole)) continue;
      hits += sum(flow.minutes[hitsOf], whole);
      total += sum(flow.minutes[totalOf], whole);
    }
  }
  const { measured } = whole;
  if (totalOf === hitsOf) return isLarge(kind, { hits, total, expected: measured.expected });
  const expected = (total * measured.expected) / Math.max(1, measured.total);
  const least = Math.min(toShare(joined.measured), toShare(incident.measured));
  return isLarge(kind, { hits, total, expected }) && hits >= total * OF_LEAST * least;
}

function toShare({ hits, total }: Measured): number {
  return hits / Math.max(1, total);
}

function sum(counts: Float64Array, { onset, end }: Pick<JoinedIncident, 'onset' | 'end'>): number {
  return counts.subarray(onset, end ?? counts.length).reduce((total, count) => total + count, 0);
}

function join(joined: JoinedIncident, incident: Incident): JoinedIncident {
  if (joined.kind !== incident.kind) {
    const also = joined.also.includes(incident.kind) ? joined.also : [...joined.also, incident.kind];
    return { ...joined, also };
  }
  const isWider = isWithin(joined, incident);
  return {
    ...joined,
    channel: isWider ? incident.channel : joined.channel,
    service: isWider ? incident.service : joined.service,
    directions: (['inbound', 'outbound'] as const).filter(
      (direction) => joined.directions.includes(direction) || incident.directions.includes(direction),
    ),
    end: joined.end === null || incident.end === null ? null : Math.max(joined.end, incident.end),
    score: joined.score + incident.score,
    measured: {
      total: joined.measured.total + incident.measured.total,
      hits: joined.measured.hits + incident.measured.hits,
      expected: joined.measured.expected + incident.measured.expected,
    },
  };
}

/** Returns an incident's id: the same for the same kind of incident that began at the same place and minute. */
export function toFindingId(incident: JoinedIncident, sinceMs: number): string {
  const { kind, newFamily, value } = incident;
  const minute = new Date(sinceMs).toISOString().slice(0, 16);
  if (newFamily !== null) return `new-errors:${hashText(newFamily)}:${minute}`;
  const closer = value === undefined ? '' : `/${value.place.field}-${hashText(value.place.value)}`;
  return `${kind}:${toPlaceText(incident)}${closer}:${minute}`;
}

/** Returns the findings that go on, the worst first, and those that ended in the time before that is shown, the newest first. */
export function rankFindings(
  findings: readonly Finding[],
  { untilMs, shownMs }: { readonly untilMs: number; readonly shownMs: number },
): { findings: Finding[]; resolved: Finding[] } {
  const large = findings.filter(isWorthTelling);
  const toRank = ({ kind }: Finding): number => FINDING_KINDS.indexOf(kind);
  return {
    findings: large
      .filter(({ endedMs }) => endedMs === null)
      .sort((a, b) => toRank(a) - toRank(b) || b.count - a.count || (a.id < b.id ? -1 : 1)),
    resolved: large
      .filter(({ endedMs }) => endedMs !== null && endedMs > untilMs - shownMs)
      .sort((a, b) => (b.endedMs ?? 0) - (a.endedMs ?? 0) || (a.id < b.id ? -1 : 1)),
  };
}

/** Slow requests alone don't make a median large: it has to change itself. Volume was measured by its own threshold. */
function isWorthTelling({ kind, recent, usual, source }: Finding): boolean {
  const { measure, ratio } = FINDING_KIND_ROWS[kind];
  return measure !== 'times' || isBeyond(ratio[source === 'weeks' ? 'weeks' : 'minutes'], recent, usual);
}

function toPlaceText({ channel, service }: Place): string {
  return `${channel === null ? 'any' : String(channel)}/${service === null ? 'any' : String(service)}`;
}

function hashText(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(36);
}
