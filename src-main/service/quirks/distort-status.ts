import type { StatusResponse } from '../../common/reporting/wire-schemas.ts';
import type { QuirkName } from '../../common/model/simulation.ts';

/** A tenant status as a service with these quirks would give it (decision 2). */
export function distortStatus(
  status: StatusResponse,
  quirks: ReadonlySet<QuirkName>,
): Record<string, unknown> {
  const { TrafficInformation, Sessions, Division, Channel, Service, ...rest } = status;
  if (quirks.has('status-nested'))
    return { ...rest, TrafficInformation: JSON.parse(TrafficInformation) as unknown };
  if (quirks.has('status-text')) {
    return { ...status, Status: status.Status.toUpperCase(), TrafficInformation: `${Sessions} sessions` };
  }
  if (!quirks.has('numbers-as-strings')) return status;
  const numbers = { Sessions, Division, Channel, Service, InternalReponseTime: rest.InternalReponseTime };
  const texts = Object.entries(numbers).map(([name, value]) => [name, String(value)] as const);
  return { ...status, ...Object.fromEntries(texts) };
}
