import type { Direction } from '../../../common/reporting/reports.ts';
import { TRAFFIC_KINDS, isLarge, type Incident, type Place, type TrafficKind } from './detect-incidents.ts';
import type { Measured } from './evidence.ts';
import { isWithin } from './explain-incidents.ts';
import type { TrafficGrid } from './traffic-grid.ts';

/** One incident, in one direction or both. */
export interface JoinedIncident extends Place {
  readonly kind: TrafficKind | 'new-errors';
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
}

/** Effects come this many minutes before or after their cause. */
export const SAME_ONSET = 12;
/** Two are one where the share of both together is at least this part of the smaller one's. */
const OF_LEAST = 1 / 2;

/**
 * Joins what is one incident: the same in both directions, and what becomes of the requests of another one. Failing
 * requests that are also slow, or more, or fewer, are failing requests. What would no longer be large as one stays two: a
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
  for (const incident of inOrder) {
    const place = joined.findIndex(
      (other) => isOne(other, incident) && isLargeTogether(other, incident, grids),
    );
    const other = joined[place];
    if (other === undefined) {
      joined.push({ ...incident, also: [], newFamily: null });
    } else joined[place] = join(other, incident);
  }
  return joined.toSorted((a, b) => a.onset - b.onset || b.score - a.score);
}

function isOne(joined: JoinedIncident, incident: Incident): boolean {
  const isAtOnce =
    incident.onset < (joined.end ?? Infinity) + SAME_ONSET &&
    (incident.onset >= joined.onset - SAME_ONSET || incident.crossed >= joined.onset);
  if (!isAtOnce) return false;
  return isWithin(incident, joined) || (joined.kind === incident.kind && isWithin(joined, incident));
}

/** True where all requests of both together, as one incident would be told, are still what each alone is. */
function isLargeTogether(joined: JoinedIncident, incident: Incident, grids: readonly TrafficGrid[]): boolean {
  const { kind } = incident;
  // What else becomes of the same requests changes nothing about what is told of them.
  if (joined.kind !== kind) return true;
  const whole = join(joined, incident);
  const hitsOf = {
    'errors-up': 'failures',
    slower: 'slow',
    'volume-down': 'requests',
    'volume-up': 'requests',
  } as const;
  const totalOf = kind === 'slower' ? 'timed' : 'requests';
  let [hits, total] = [0, 0];
  for (const { direction, flows } of grids) {
    if (!whole.directions.includes(direction)) continue;
    for (const flow of flows) {
      if (!isWithin(flow, whole)) continue;
      hits += sum(flow.minutes[hitsOf[kind]], whole);
      total += sum(flow.minutes[totalOf], whole);
    }
  }
  const { measured } = whole;
  if (totalOf === hitsOf[kind]) return isLarge(kind, { hits, total, expected: measured.expected });
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
