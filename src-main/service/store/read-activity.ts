import type { Database } from 'better-sqlite3';

export interface SessionCount {
  readonly channel: number;
  readonly service: number;
  readonly sessions: number;
}

export interface RecentHealth {
  readonly records: number;
  /** Inbound requests answered with 503. */
  readonly unavailable: number;
}

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

/** What the tenant status is made from: the newest inbound traffic. */
export class ActivityReader {
  readonly #sessions;
  readonly #health;
  readonly #responseTime;

  constructor(db: Database) {
    this.#sessions = db.prepare<[number, number], SessionCount>(SESSIONS_SQL);
    this.#health = db.prepare<[number, number], RecentHealth>(HEALTH_SQL);
    this.#responseTime = db.prepare<[number], number | null>(RESPONSE_TIME_SQL).pluck();
  }

  /** Sessions with inbound traffic in [fromMs, toMs), by channel and service. */
  readSessions(fromMs: number, toMs: number): SessionCount[] {
    return this.#sessions.all(fromMs, toMs);
  }

  readHealth(fromMs: number, toMs: number): RecentHealth {
    return this.#health.get(fromMs, toMs) ?? { records: 0, unavailable: 0 };
  }

  /** Average time in microseconds of the newest `limit` inbound requests, however old. Null without any. */
  readResponseTimeUs(limit: number): number | null {
    return this.#responseTime.get(limit) ?? null;
  }
}
