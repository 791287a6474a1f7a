import type { SessionRequest } from '../../../common/model/record.ts';
import type { Snapshot } from '../../../common/model/snapshot.ts';
import { DETAIL_KINDS, mapKinds, REPORTS, type DetailKind } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { listRecordColumns, RECORD_ID_SPAN, RECORD_TABLES } from '../read/record-tables.ts';
import { divideSpan } from './volume.ts';

const REQUEST_NAMES = ['dateMs', 'responseTimeMs', 'botLatencyMs', 'responseCode', 'actionId'] as const;
type RequestRow = Pick<SessionRequest, (typeof REQUEST_NAMES)[number]> & { readonly recordId: number };

/** Requests of one session that are shown. */
const SESSION_REQUESTS = 200;

/**
 * Prepares the reading of a session's dated requests in both directions, oldest first, at most 200. A
 * request that lies in several snapshots is taken from the one that speaks for its instant.
 */
export function createSessionReader(
  database: Database,
): (snapshots: readonly Snapshot[], sessionId: string) => SessionRequest[] {
  const statements = mapKinds(DETAIL_KINDS, (kind) =>
    database.prepare<[string, string], RequestRow>(
      `SELECT r.record_id AS recordId, ${listRecordColumns(kind, REQUEST_NAMES)}
       FROM ${RECORD_TABLES[kind].records} AS r
       WHERE session_id = ? AND date_ms IS NOT NULL
         AND record_id / ${RECORD_ID_SPAN} IN (SELECT value FROM json_each(?))
       ORDER BY date_ms, record_id LIMIT 5000`,
    ),
  );
  const readReport = (
    snapshots: readonly Snapshot[],
    kind: DetailKind,
    sessionId: string,
  ): SessionRequest[] => {
    const own = snapshots.filter(({ report }) => report === kind);
    const segments = divideSpan(own, -Infinity, Infinity);
    const rows = statements[kind].all(sessionId, JSON.stringify(own.map(({ id }) => id)));
    return rows.flatMap(({ recordId, ...request }) => {
      const snapshotId = Math.floor(recordId / RECORD_ID_SPAN);
      const { dateMs } = request;
      const owner = segments.find(({ fromMs, toMs }) => dateMs >= fromMs && dateMs < toMs);
      if (owner !== undefined && owner.snapshot.id !== snapshotId) return [];
      const { direction } = REPORTS[kind];
      return [{ direction, snapshotId, seq: recordId % RECORD_ID_SPAN, ...request }];
    });
  };
  return (snapshots, sessionId) =>
    DETAIL_KINDS.flatMap((kind) => readReport(snapshots, kind, sessionId))
      .sort((a, b) => a.dateMs - b.dateMs)
      .slice(0, SESSION_REQUESTS);
}
