import type { SessionRequest } from '../../../common/model/record.ts';
import type { Snapshot } from '../../../common/model/snapshot.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { isDetail, RECORD_ID_SPAN, toDirection, toTables, type StoredRow } from '../read/record-tables.ts';
import { divideSpan } from './volume.ts';

/** Requests of one session that are shown. */
const SESSION_REQUESTS = 200;

/**
 * Prepares the reading of a session's dated requests in both directions, oldest first, at most 200. A
 * request that lies in several snapshots is taken from the one that speaks for its instant.
 */
export function createSessionReader(
  database: Database,
): (snapshots: readonly Snapshot[], sessionId: string) => SessionRequest[] {
  const prepare = (direction: Direction) =>
    database.prepare<[string, string], StoredRow>(
      `SELECT * FROM ${toTables(direction).records}
       WHERE session_id = ? AND date_ms IS NOT NULL
         AND record_id / ${RECORD_ID_SPAN} IN (SELECT value FROM json_each(?))
       ORDER BY date_ms, record_id LIMIT 5000`,
    );
  const statements = { inbound: prepare('inbound'), outbound: prepare('outbound') };
  const readDirection = (
    snapshots: readonly Snapshot[],
    direction: Direction,
    sessionId: string,
  ): SessionRequest[] => {
    const own = snapshots.filter(({ report }) => isDetail(report) && toDirection(report) === direction);
    const segments = divideSpan(own, -Infinity, Infinity);
    const rows = statements[direction].all(sessionId, JSON.stringify(own.map(({ id }) => id)));
    return rows.flatMap((row) => {
      const snapshotId = Math.floor(row.record_id / RECORD_ID_SPAN);
      const dateMs = row.date_ms ?? 0;
      const owner = segments.find(({ fromMs, toMs }) => dateMs >= fromMs && dateMs < toMs);
      if (owner !== undefined && owner.snapshot.id !== snapshotId) return [];
      return [{ direction, snapshotId, dateMs, ...toRequest(row) }];
    });
  };
  return (snapshots, sessionId) =>
    [...readDirection(snapshots, 'inbound', sessionId), ...readDirection(snapshots, 'outbound', sessionId)]
      .sort((a, b) => a.dateMs - b.dateMs)
      .slice(0, SESSION_REQUESTS);
}

function toRequest(row: StoredRow) {
  return {
    seq: row.record_id % RECORD_ID_SPAN,
    responseTimeMs: row.response_time_ms,
    botLatencyMs: row.bot_latency_ms ?? null,
    responseCode: row.response_code,
    actionId: row.action_id ?? null,
  };
}
