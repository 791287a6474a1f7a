import type { Activity, ActivityQuery } from '../store/record-store.ts';
import type { PostgresPool, Queryable } from './connect.ts';
import { DIRECTION_NUMBERS } from './schema.ts';
import { DAY_MS } from '../../common/time/durations.ts';

type SessionRow = readonly [channel: number, service: number, sessions: number];

const SESSIONS_SQL = `
SELECT g.channel, g.service, count(DISTINCT r.session)
FROM inbound_record r JOIN traffic_group g ON g.tenant = $1 AND g.group_id = r.group_id
WHERE r.tenant = $1 AND r.date_ms >= $2 AND r.date_ms < $3
GROUP BY g.channel, g.service ORDER BY g.channel, g.service`;
const HEALTH_SQL = `
SELECT count(*), count(*) FILTER (WHERE g.response_code = 503)
FROM inbound_record r JOIN traffic_group g ON g.tenant = $1 AND g.group_id = r.group_id
WHERE r.tenant = $1 AND r.date_ms >= $2 AND r.date_ms < $3`;
const NEWEST_DAYS_SQL = `
SELECT start_ms, records FROM record_count
WHERE tenant = $1 AND direction = ${DIRECTION_NUMBERS.inbound} AND tier_ms = ${DAY_MS}
ORDER BY start_ms DESC LIMIT $2`;
const NEWEST_SQL =
  'SELECT max(date_ms) FROM inbound_record WHERE tenant = $1 AND date_ms >= $2 AND date_ms < $3';
const TIMES_SQL = `
SELECT avg(response_time_us) FROM (
  SELECT response_time_us FROM inbound_record
  WHERE tenant = $1 AND date_ms >= $2 AND date_ms < $3 ORDER BY date_ms DESC, arrival DESC LIMIT $4
) newest`;

/** Date of the newest inbound record; null while there is none. */
export async function readNewestMs(source: Queryable, tenant: number): Promise<number | null> {
  const [day] = await source.query<[number, number]>(NEWEST_DAYS_SQL, [tenant, 1]);
  if (day === undefined) return null;
  const [row] = await source.query<[number | null]>(NEWEST_SQL, [tenant, day[0], day[0] + DAY_MS]);
  return row?.[0] ?? null;
}

/** Reads what the tenant status is made from. */
export function createActivityReader(
  pool: PostgresPool,
  tenant: number,
): (query: ActivityQuery) => Promise<Activity> {
  /** Only the days that hold the newest records are looked at. */
  const averageNewest = async (source: Queryable, timedRecords: number): Promise<number | null> => {
    const days = await source.query<[number, number]>(NEWEST_DAYS_SQL, [tenant, timedRecords]);
    const [newest] = days;
    if (newest === undefined) return null;
    let fromMs = newest[0];
    let found = 0;
    for (const [startMs, records] of days) {
      if (found >= timedRecords) break;
      fromMs = startMs;
      found += records;
    }
    const values = [tenant, fromMs, newest[0] + DAY_MS, timedRecords];
    const [row] = await source.query<[number | null]>(TIMES_SQL, values);
    return row?.[0] ?? null;
  };
  return ({ sessionsFromMs, healthFromMs, toMs, timedRecords }) =>
    pool.read(async (source) => {
      const sessions = await source.query<SessionRow>(SESSIONS_SQL, [tenant, sessionsFromMs, toMs]);
      const [health] = await source.query<[number, number]>(HEALTH_SQL, [tenant, healthFromMs, toMs]);
      return {
        sessions: sessions.map(([channel, service, count]) => ({ channel, service, sessions: count })),
        records: health?.[0] ?? 0,
        unavailable: health?.[1] ?? 0,
        averageResponseTimeUs: await averageNewest(source, timedRecords),
      };
    });
}
