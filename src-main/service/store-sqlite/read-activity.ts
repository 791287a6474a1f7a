import type { Database } from '../../node/open-database.ts';
import type { Activity, ActivityQuery } from '../store/record-store.ts';

const SESSIONS_SQL = `
SELECT g.channel, g.service, count(DISTINCT r.session) AS sessions
FROM inbound_record r JOIN traffic_group g USING (group_id)
WHERE r.date_ms >= ? AND r.date_ms < ?
GROUP BY g.channel, g.service
ORDER BY g.channel, g.service`;

const HEALTH_SQL = `
SELECT count(*) AS records, coalesce(sum(g.response_code = 503), 0) AS unavailable
FROM inbound_record r JOIN traffic_group g USING (group_id)
WHERE r.date_ms >= ? AND r.date_ms < ?`;

const RESPONSE_TIME_SQL = `
SELECT avg(response_time_us) FROM (
  SELECT response_time_us FROM inbound_record ORDER BY date_ms DESC, arrival DESC LIMIT ?
)`;

/** Prepares the reading of what the tenant status is made from. */
export function createActivityReader(db: Database): (query: ActivityQuery) => Activity {
  const readSessions = db.prepare<[number, number], Activity['sessions'][number]>(SESSIONS_SQL);
  const readHealth = db.prepare<[number, number], Pick<Activity, 'records' | 'unavailable'>>(HEALTH_SQL);
  const readResponseTime = db.prepare<[number], number | null>(RESPONSE_TIME_SQL).pluck();
  return ({ sessionsFromMs, healthFromMs, toMs, timedRecords }) => ({
    sessions: readSessions.all(sessionsFromMs, toMs),
    ...(readHealth.get(healthFromMs, toMs) ?? { records: 0, unavailable: 0 }),
    averageResponseTimeUs: readResponseTime.get(timedRecords) ?? null,
  });
}

/** Reads the date of the newest inbound record in milliseconds, null while there is none. */
export function createNewestReader(db: Database): () => number | null {
  const read = db.prepare<[], number | null>('SELECT max(date_ms) FROM inbound_record').pluck();
  return () => read.get() ?? null;
}
