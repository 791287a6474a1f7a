import type { Snapshot } from '../../../common/model/snapshot.ts';
import type { Summary, SummaryGroup } from '../../../common/model/summary.ts';
import type { Database } from '../../../node/open-database.ts';
import { REPORTS } from '../../../common/reporting/reports.ts';
import { GROUP_COLUMNS } from '../read/record-tables.ts';
import { scanRecords } from './scan-records.ts';

type Nullable = number | null;

interface Tally {
  readonly group: Pick<SummaryGroup, 'channel' | 'service' | 'origin' | 'responseCode'>;
  count: number;
  timeSum: number;
  timeCount: number;
  latencySum: number;
  latencyCount: number;
  newestMs: number;
  sessionId: string;
}

/** Prepares the reading of the groups that the service reported. */
export function createSummaryReader(database: Database): (snapshot: Snapshot) => Summary {
  const read = database.prepare<[number], SummaryGroup>(
    `SELECT ${GROUP_COLUMNS.map(({ column, name }) => `${column} AS ${name}`).join(', ')}
     FROM summary_groups WHERE snapshot_id = ? ORDER BY seq`,
  );
  return (snapshot) => toSummary('reported', snapshot.id, read.all(snapshot.id));
}

/**
 * Groups detail records as the service groups them: inbound by channel, service, origin and code, outbound
 * by channel, service and code. Averages leave out records without the figure.
 */
export async function computeSummary(
  database: Database,
  snapshot: Snapshot,
  pause: () => Promise<void>,
): Promise<Summary> {
  const isInbound = REPORTS[snapshot.report].direction === 'inbound';
  const tallies = new Map<string, Tally>();
  const visit = (
    ...row: [Nullable, Nullable, string, Nullable, Nullable, Nullable, string, Nullable]
  ): void => {
    const [channel, service, ownOrigin, responseCode, timeMs, latencyMs, sessionId, dateMs] = row;
    const origin = isInbound ? ownOrigin : null;
    const key = `${String(channel)}|${String(service)}|${String(responseCode)}|${origin ?? ''}`;
    let tally = tallies.get(key);
    if (tally === undefined) {
      tally = createTally({ channel, service, origin, responseCode });
      tallies.set(key, tally);
    }
    tally.count += 1;
    if (timeMs !== null) {
      tally.timeSum += timeMs;
      tally.timeCount += 1;
    }
    if (latencyMs !== null) {
      tally.latencySum += latencyMs;
      tally.latencyCount += 1;
    }
    if ((dateMs ?? -Infinity) >= tally.newestMs) {
      tally.newestMs = dateMs ?? -Infinity;
      tally.sessionId = sessionId;
    }
  };
  const columns =
    'channel, service, origin, response_code, response_time_ms, ' +
    `${isInbound ? 'bot_latency_ms' : 'NULL'}, session_id, date_ms`;
  await scanRecords(database, snapshot, columns, pause, visit);
  const groups = [...tallies.values()].map(toGroup).sort((a, b) => b.count - a.count);
  return toSummary('computed', snapshot.id, groups);
}

function createTally(group: Tally['group']): Tally {
  const sums = { timeSum: 0, timeCount: 0, latencySum: 0, latencyCount: 0 };
  return { group, count: 0, ...sums, newestMs: -Infinity, sessionId: '' };
}

function toGroup(tally: Tally): SummaryGroup {
  return {
    ...tally.group,
    count: tally.count,
    averageResponseTimeMs: tally.timeCount === 0 ? null : tally.timeSum / tally.timeCount,
    averageBotLatencyMs: tally.latencyCount === 0 ? null : tally.latencySum / tally.latencyCount,
    sessionId: tally.sessionId,
  };
}

function toSummary(source: Summary['source'], snapshotId: number, groups: SummaryGroup[]): Summary {
  return { source, snapshotId, groups, requestCount: groups.reduce((sum, { count }) => sum + count, 0) };
}
