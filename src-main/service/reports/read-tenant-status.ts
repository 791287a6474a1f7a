import { toWireStatus, writeTraffic } from '../../common/reporting/wire-documents.ts';
import type { StatusResponse } from '../../common/reporting/wire-schemas.ts';
import type { ReportedPlatform } from '../simulation/simulated-platform.ts';
import type { RecordStore } from '../store/record-store.ts';

const SESSIONS_MS = 3_600_000;
const HEALTH_MS = 300_000;
const MIN_HEALTH_RECORDS = 5;
const DIVISIONS = 3;
const TIMED_RECORDS = 200;

/**
 * Tenant status (specification, "Tenant status response"; decision 2): sessions of the last hour, the
 * response time over the newest requests however old, so that a pause in the traffic doesn't read as no
 * time at all, and the connector's state over the last five minutes. The connector counts as down when more
 * than half of at least five requests found it unavailable. What is simulated counts at once.
 */
export async function readTenantStatus(
  store: RecordStore,
  nowMs: number,
  platform: ReportedPlatform,
): Promise<StatusResponse> {
  const { simulation, changedMs } = await platform.read();
  const activity = await store.readActivity({
    sessionsFromMs: nowMs - SESSIONS_MS,
    healthFromMs: Math.max(nowMs - HEALTH_MS, changedMs),
    toMs: nowMs,
    timedRecords: TIMED_RECORDS,
  });
  const { records, unavailable } = activity;
  const isConnectorDown =
    simulation.connectorDown || (records >= MIN_HEALTH_RECORDS && unavailable * 2 > records);
  const groups = activity.sessions.map((group) => ({ ...group, division: toDivision(group.service) }));
  const busiest = activity.sessions.reduce<(typeof activity.sessions)[number] | undefined>(
    (most, group) => (most === undefined || group.sessions > most.sessions ? group : most),
    undefined,
  );
  return toWireStatus({
    internalResponseTimeMs: toMilliseconds(activity.averageResponseTimeUs),
    platform: simulation.platformDown ? 'down' : 'up',
    traffic: writeTraffic(groups),
    sessions: activity.sessions.reduce((sum, { sessions }) => sum + sessions, 0),
    division: busiest === undefined ? 0 : toDivision(busiest.service),
    channel: busiest?.channel ?? 0,
    service: busiest?.service ?? 0,
    connector: isConnectorDown ? 'down' : 'up',
  });
}

function toMilliseconds(timeUs: number | null): number {
  return timeUs === null ? 0 : Math.max(1, Math.round(timeUs / 1000));
}

/** Records don't name a division; in the sample each belongs to some of the services. */
function toDivision(service: number): number {
  return 1 + (service % DIVISIONS);
}
