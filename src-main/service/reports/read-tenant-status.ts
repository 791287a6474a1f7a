import type { StatusResponse, TrafficGroup } from '../../common/reporting/wire-schemas.ts';
import type { SimulatedPlatform } from '../simulation/simulated-platform.ts';
import type { RecordStore } from '../store/record-store.ts';

const SESSIONS_MS = 3_600_000;
const HEALTH_MS = 300_000;
const DIVISIONS = 3;
const TIMED_REQUESTS = 200;

/**
 * Tenant status (specification, "Tenant status response"; decision 2): sessions of the last hour, the
 * response time over the newest requests however old, so that a pause in the traffic doesn't read as no
 * time at all, and the connector's state over the last five minutes. The connector counts as down when more
 * than half of at least five requests found it unavailable. What is simulated counts at once.
 */
export function readTenantStatus(
  store: RecordStore,
  nowMs: number,
  { simulation, changedMs }: Pick<SimulatedPlatform, 'simulation' | 'changedMs'>,
): StatusResponse {
  const groups: TrafficGroup[] = store.activity
    .readSessions(nowMs - SESSIONS_MS, nowMs)
    .map(({ channel, service, sessions }) => ({
      Division: toDivision(service),
      Channel: channel,
      Service: service,
      Sessions: sessions,
    }));
  const health = store.activity.readHealth(Math.max(nowMs - HEALTH_MS, changedMs), nowMs);
  const isConnectorDown =
    simulation.connectorDown || (health.records >= 5 && health.unavailable * 2 > health.records);
  const busiest = groups.reduce<TrafficGroup | undefined>(
    (most, group) => (most === undefined || group.Sessions > most.Sessions ? group : most),
    undefined,
  );
  return {
    InternalReponseTime: toMilliseconds(store.activity.readResponseTimeUs(TIMED_REQUESTS)),
    Status: simulation.platformDown ? 'down' : 'up',
    TrafficInformation: JSON.stringify(groups),
    Sessions: groups.reduce((sum, group) => sum + group.Sessions, 0),
    Division: busiest?.Division ?? 0,
    Channel: busiest?.Channel ?? 0,
    Service: busiest?.Service ?? 0,
    ConnectorStatus: isConnectorDown ? 'down' : 'up',
  };
}

function toMilliseconds(timeUs: number | null): number {
  return timeUs === null ? 0 : Math.max(1, Math.round(timeUs / 1000));
}

/** Records don't name a division; in the sample each belongs to some of the services. */
function toDivision(service: number): number {
  return 1 + (service % DIVISIONS);
}
