import type { StatusSample } from '../../../common/model/status.ts';
import type { Database } from '../../../node/open-database.ts';

const MAX_AGE_MS = 90 * 86_400_000;

interface SampleRow {
  readonly connection_id: string;
  readonly checked_at_ms: number;
  readonly round_trip_ms: number | null;
  readonly platform: StatusSample['platform'];
  readonly connector: StatusSample['connector'];
  readonly internal_response_time_ms: number | null;
  readonly sessions: number | null;
  readonly traffic: string;
  readonly traffic_text: string;
  readonly failure: string | null;
}

/** Prepares the adding of status samples; a connection's samples are kept for 90 days. */
export function createStatusWriter(database: Database): (sample: StatusSample) => void {
  const insert = database.prepare(
    `INSERT INTO status_samples (connection_id, checked_at_ms, round_trip_ms, platform, connector,
       internal_response_time_ms, sessions, traffic, traffic_text, failure)
     VALUES (@connectionId, @checkedAtMs, @roundTripMs, @platform, @connector, @internalResponseTimeMs,
       @sessions, @traffic, @trafficText, @failure)`,
  );
  const prune = database.prepare('DELETE FROM status_samples WHERE connection_id = ? AND checked_at_ms < ?');
  const add = database.transaction((sample: StatusSample) => {
    insert.run({ ...sample, traffic: JSON.stringify(sample.traffic) });
    prune.run(sample.connectionId, sample.checkedAtMs - MAX_AGE_MS);
  });
  return (sample) => add.immediate(sample);
}

/** Prepares the reading of a connection's samples in [fromMs, untilMs], oldest first. */
export function createStatusReader(
  database: Database,
): (connectionId: string, fromMs: number, untilMs: number) => StatusSample[] {
  const read = database.prepare<[string, number, number], SampleRow>(
    `SELECT * FROM status_samples WHERE connection_id = ? AND checked_at_ms >= ? AND checked_at_ms <= ?
     ORDER BY checked_at_ms, sample_id`,
  );
  return (connectionId, fromMs, untilMs) =>
    read.all(connectionId, fromMs, untilMs).map((row) => ({
      connectionId: row.connection_id,
      checkedAtMs: row.checked_at_ms,
      roundTripMs: row.round_trip_ms,
      platform: row.platform,
      connector: row.connector,
      internalResponseTimeMs: row.internal_response_time_ms,
      sessions: row.sessions,
      traffic: JSON.parse(row.traffic) as StatusSample['traffic'],
      trafficText: row.traffic_text,
      failure: row.failure,
    }));
}
