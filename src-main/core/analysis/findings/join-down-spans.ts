import type { DownSpan } from '../../../common/model/connections/status.ts';
import { MINUTE_MS } from '../../../common/time/durations.ts';
import { SAME_ONSET, type JoinedIncident } from './join-incidents.ts';

/** A reported outage, and what became of all traffic meanwhile. */
export type DownIncident = DownSpan & { readonly also: readonly JoinedIncident['kind'][] };

/**
 * Takes what befell all traffic of a direction while a part was reported as down for a part of that outage. Returns the
 * outages, and the incidents that are left. `fromMs` is when the minutes of incidents begin.
 */
export function joinDownSpans(
  spans: readonly DownSpan[],
  incidents: readonly JoinedIncident[],
  fromMs: number,
): [down: DownIncident[], rest: JoinedIncident[]] {
  const rest = new Set(incidents);
  const down = spans.map((span) => {
    const first = (span.sinceMs - fromMs) / MINUTE_MS - SAME_ONSET;
    const last = (span.untilMs - fromMs) / MINUTE_MS + (span.isOngoing ? SAME_ONSET : 0);
    const own = [...rest].filter(
      ({ channel, service, onset }) =>
        channel === null && service === null && onset >= first && onset <= last,
    );
    for (const incident of own) rest.delete(incident);
    return { ...span, also: [...new Set(own.map(({ kind }) => kind))] };
  });
  return [down, [...rest]];
}
