import type { DuckDBConnection } from '@duckdb/node-api';
import { type Session, type SessionRequest } from '../../../../common/model/records/conversation.ts';
import { fromRecordId } from '../../../../common/model/records/record.ts';
import type { Outcome } from '../../../../common/reporting/outcome.ts';
import { isGuid } from '../../../../common/reporting/reports.ts';
import { readRows } from '../engine-database.ts';
import { FAILED_SQL } from '../engine-tables.ts';
import { toFilterSql } from '../filter-sql.ts';
import { type FilteredRecords, toSourceSql } from '../resolved-scope.ts';

const SHARED_COLUMNS = [
  'record_id',
  'date_ms',
  'response_time_ms',
  'response_code',
  'channel',
  'service',
  'client',
  'error',
  'outcome',
];

type SessionRow = [
  ...[number, number, number | null, number | null, number | null, number | null],
  ...[string, string, number | string | null, Outcome],
];

/** A session among the records of both directions: what is counted of it, and its oldest dated requests. */
export async function readSession(
  connection: DuckDBConnection,
  records: readonly FilteredRecords[],
  sessionId: string,
  limit: number,
): Promise<Session> {
  // A GUID means the same in any letter case, and other systems write it in another one than the service.
  const isAnyCase = isGuid(sessionId);
  const id = isAnyCase ? sessionId.toLowerCase() : sessionId;
  const requests: SessionRequest[] = [];
  const counts = { inbound: { requests: 0, failures: 0 }, outbound: { requests: 0, failures: 0 } };
  const edges: number[] = [];
  const ends: number[] = [];
  let undatedCount = 0;
  let untimedCount = 0;
  for (const { scope, filter } of records) {
    const { direction } = scope;
    const left = toFilterSql(filter, direction);
    const values = [...left.values, id];
    const isOfSession = `${isAnyCase ? 'lower(session_id)' : 'session_id'} = $${values.length}`;
    const own = direction === 'inbound' ? 'bot_latency_ms' : 'action_id';
    const sql = left.sql === 'true' ? isOfSession : `${isOfSession} AND (${left.sql})`;
    const source = toSourceSql(scope, [...SHARED_COLUMNS, own], { sql, values });
    const [found] = await readRows<
      [number, number, number, number | null, number | null, number | null, number]
    >(
      connection,
      `SELECT count(*), count(*) FILTER (${FAILED_SQL}), count(*) FILTER (date_ms IS NULL),
         min(date_ms), max(date_ms), max(date_ms + response_time_ms) FILTER (response_time_ms >= 0),
         count(*) FILTER (date_ms IS NOT NULL AND (response_time_ms IS NULL OR response_time_ms < 0))
       FROM ${source}`,
      values,
    );
    if (found === undefined) continue;
    const [count, failures, undated, firstMs, lastMs, endMs, untimed] = found;
    counts[direction] = { requests: count, failures };
    undatedCount += undated;
    untimedCount += untimed;
    if (endMs !== null) ends.push(endMs);
    edges.push(...[firstMs, lastMs].filter((edge) => edge !== null));
    if (limit === 0 || count === 0) continue;
    const rows = await readRows<SessionRow>(
      connection,
      `SELECT record_id, date_ms, response_time_ms, response_code, channel, service, left(client, 300),
         left(error, 300), ${own}, outcome::VARCHAR
       FROM ${source} WHERE date_ms IS NOT NULL ORDER BY date_ms, part, record_id LIMIT ${limit}`,
      values,
    );
    requests.push(...rows.map((row) => toRequest(direction, row)));
  }
  return {
    requests: requests.sort((a, b) => a.dateMs - b.dateMs).slice(0, limit),
    ...counts,
    undatedCount,
    firstMs: edges.length === 0 ? null : Math.min(...edges),
    lastMs: edges.length === 0 ? null : Math.max(...edges),
    endMs: ends.length === 0 ? null : Math.max(...ends),
    untimedCount,
  };
}

function toRequest(direction: SessionRequest['direction'], row: SessionRow): SessionRequest {
  const [recordId, dateMs, responseTimeMs, responseCode, channel, service, client, error, own, outcome] = row;
  return {
    direction,
    ...fromRecordId(recordId),
    dateMs,
    responseTimeMs,
    responseCode,
    outcome,
    channel,
    service,
    client,
    error,
    botLatencyMs: typeof own === 'number' ? own : null,
    actionId: typeof own === 'string' ? own : null,
  };
}
