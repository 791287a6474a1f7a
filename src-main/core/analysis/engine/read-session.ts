import type { DuckDBConnection } from '@duckdb/node-api';
import type { SessionRequest } from '../../../common/model/record.ts';
import { readRows } from './engine-database.ts';
import { RECORD_ID_SPAN, toSourceSql, type RecordScope } from './record-scope.ts';

/** Requests of one session that are shown. */
const MAX_SESSION_REQUESTS = 200;

/** The dated requests of a session in some scopes, oldest first, at most 200. */
export async function readSession(
  connection: DuckDBConnection,
  scopes: readonly RecordScope[],
  sessionId: string,
): Promise<SessionRequest[]> {
  const requests: SessionRequest[] = [];
  for (const scope of scopes) {
    const own = scope.direction === 'inbound' ? 'bot_latency_ms' : 'action_id';
    const source = toSourceSql(scope, ['record_id', 'date_ms', 'response_time_ms', 'response_code', own], {
      sql: 'session_id = $1 AND date_ms IS NOT NULL',
      values: [sessionId],
    });
    const rows = await readRows<[number, number, number | null, number | null, number | string | null]>(
      connection,
      `SELECT record_id, date_ms, response_time_ms, response_code, ${own} FROM ${source}
       ORDER BY date_ms, part, record_id LIMIT ${MAX_SESSION_REQUESTS}`,
      // A scope without parts binds it as well.
      [sessionId],
    );
    for (const [recordId, dateMs, responseTimeMs, responseCode, value] of rows) {
      requests.push({
        direction: scope.direction,
        snapshotId: Math.floor(recordId / RECORD_ID_SPAN),
        seq: recordId % RECORD_ID_SPAN,
        dateMs,
        responseTimeMs,
        responseCode,
        botLatencyMs: typeof value === 'number' ? value : null,
        actionId: typeof value === 'string' ? value : null,
      });
    }
  }
  return requests.sort((a, b) => a.dateMs - b.dateMs).slice(0, MAX_SESSION_REQUESTS);
}
