import type { DownSpan } from '../../../common/model/connections/status.ts';
import { MINUTE_MS } from '../../../common/time/durations.ts';
import { isLarge } from './detect-incidents.ts';
import { SAME_ONSET } from './explain-incidents.ts';
import type { JoinedIncident } from './join-incidents.ts';
import type { TrafficGrid } from './traffic-grid.ts';

/** Errors that go on for longer than this after a part was reported as up again are told. */
const LATE = 15;

/** A reported outage, and what became of all traffic meanwhile. */
export type DownIncident = DownSpan & { readonly also: readonly JoinedIncident['kind'][] };

/**
 * Takes what befell all traffic of a direction while a part was reported as down for a part of that outage. Returns the
 * outages, and the incidents that are left: errors that went on after the part was reported as up again among them, from
 * then on. `fromMs` is when the minutes of incidents begin.
 */
export function joinDownSpans(
  spans: readonly DownSpan[],
  incidents: readonly JoinedIncident[],
  fromMs: number,
  grids: readonly TrafficGrid[],
): [down: DownIncident[], rest: JoinedIncident[]] {
  const rest = new Set(incidents);
  const down = spans.map((span) => {
    const first = (span.sinceMs - fromMs) / MINUTE_MS - SAME_ONSET;
    const last = (span.untilMs - fromMs) / MINUTE_MS + (span.isOngoing ? SAME_ONSET : 0);
    const own = [...rest].filter(
      ({ channel, service, onset }) =>
        channel === null && service === null && onset >= first && onset <= last,
    );
    for (const incident of own) {
      rest.delete(incident);
      const late = span.isOngoing ? null : findLate(incident, span, fromMs, grids);
      if (late !== null) rest.add(late);
    }
    return { ...span, also: [...new Set(own.map(({ kind }) => kind))] };
  });
  return [down, [...rest]];
}

/** The errors of an outage that came once it was reported as over; null where there was no more than is usual. */
function findLate(
  incident: JoinedIncident,
  { part, untilMs }: DownSpan,
  fromMs: number,
  grids: readonly TrafficGrid[],
): JoinedIncident | null {
  if (incident.kind !== 'errors-up') return null;
  const onset = Math.ceil((untilMs - fromMs) / MINUTE_MS);
  if ((incident.end ?? Infinity) - onset <= LATE) return null;
  let [hits, total, length] = [0, 0, 0];
  for (const { direction, flows } of grids) {
    if (!incident.directions.includes(direction)) continue;
    for (const { minutes } of flows) {
      const end = incident.end ?? minutes.requests.length;
      length = Math.max(length, end - onset);
      for (let minute = Math.max(0, onset); minute < end; minute += 1) {
        hits += minutes.failures[minute] ?? 0;
        total += minutes.requests[minute] ?? 0;
      }
    }
  }
  const { measured } = incident;
  const own = { hits, total, expected: (total * measured.expected) / Math.max(1, measured.total) };
  if (length <= LATE || !isLarge('errors-up', own)) return null;
  return { ...incident, kind: 'recovered-late', also: [], part, onset, crossed: onset, measured: own };
}
