import { TrafficGroup, type StatusResponse } from '../../common/reporting/wire-schemas.ts';
import type { QuirkName } from '../../common/model/connections/simulation.ts';

/** A tenant status as a service with these quirks would give it (decision 2). */
export function distortStatus(
  status: StatusResponse,
  quirks: ReadonlySet<QuirkName>,
): Record<string, unknown> {
  if (quirks.has('status-nested')) {
    const outer = Object.entries(status).filter(([name]) => !(name in TrafficGroup.properties));
    const traffic = JSON.parse(status.TrafficInformation) as unknown;
    return { ...Object.fromEntries(outer), TrafficInformation: traffic };
  }
  if (quirks.has('status-text')) {
    const TrafficInformation = `${status.Sessions} sessions`;
    return { ...status, Status: status.Status.toUpperCase(), TrafficInformation };
  }
  if (!quirks.has('numbers-as-strings')) return status;
  return Object.fromEntries(Object.entries(status).map(([name, value]) => [name, String(value)]));
}
