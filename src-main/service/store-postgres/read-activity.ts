import type { Activity, ActivityQuery } from '../store/record-store.ts';
import type { PostgresPool } from './connect.ts';

type SessionRow = readonly [channel: number, service: number, sessions: number];

/** One row: the sessions as a list, so that all figures are of one moment. */
const ACTIVITY_SQL = `
SELECT
  (
    SELECT coalesce(json_agg(json_build_array(channel, service, sessions) ORDER BY channel, service), '[]')::text
    FROM (
      SELECT g.channel, g.service, count(DISTINCT r.session) AS sessions
      FROM inbound_record r JOIN traffic_group g ON g.tenant = $1 AND g.group_id = r.group_id
      WHERE r.tenant = $1 AND r.date_ms >= $2 AND r.date_ms < $4
      GROUP BY g.channel, g.service
    ) counted
  ),
  health.records,
  health.unavailable,
  (
    SELECT avg(response_time_us) FROM (
      SELECT response_time_us FROM inbound_record
      WHERE tenant = $1 ORDER BY date_ms DESC, arrival DESC LIMIT $5
    ) newest
  )
FROM (
  SELECT count(*) AS records, count(*) FILTER (WHERE g.response_code = 503) AS unavailable
  FROM inbound_record r JOIN traffic_group g ON g.tenant = $1 AND g.group_id = r.group_id
  WHERE r.tenant = $1 AND r.date_ms >= $3 AND r.date_ms < $4
) health`;

/** Reads what the tenant status is made from. */
export function createActivityReader(
  pool: PostgresPool,
  tenant: number,
): (query: ActivityQuery) => Promise<Activity> {
  return async ({ sessionsFromMs, healthFromMs, toMs, timedRecords }) => {
    const [row] = await pool.query<[string, number, number, number | null]>(ACTIVITY_SQL, [
      tenant,
      sessionsFromMs,
      healthFromMs,
      toMs,
      timedRecords,
    ]);
    const [sessionsJson, records, unavailable, averageResponseTimeUs] = row ?? ['[]', 0, 0, null];
    const sessions = JSON.parse(sessionsJson) as SessionRow[];
    return {
      sessions: sessions.map(([channel, service, count]) => ({ channel, service, sessions: count })),
      records,
      unavailable,
      averageResponseTimeUs,
    };
  };
}
