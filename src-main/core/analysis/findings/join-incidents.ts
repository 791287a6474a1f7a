import { toKindRow } from '../../../common/model/analysis/finding-kinds.ts';
import type { DownSpan } from '../../../common/model/connections/status.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import { isLarge, type Incident, type Place } from './detect-incidents.ts';
import type { Measured } from './evidence.ts';
import { beginTogether, isWithin, SAME_ONSET } from './explain-incidents.ts';
import type { TrafficGrid } from './traffic-grid.ts';
import { COUNTED, TRAFFIC_KINDS, type TrafficKind } from './traffic-kinds.ts';

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
