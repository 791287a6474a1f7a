import type { StatusSample } from '../../../common/model/status.ts';
import type { Database } from '../../../node/open-database.ts';

type SampleRow = Omit<StatusSample, 'traffic'> & { readonly traffic: string };

/** Prepares the reading of a connection's samples in [fromMs, untilMs], oldest first. */
export function createStatusReader(
  database: Database,
): (connectionId: string, fromMs: number, untilMs: number) => StatusSample[] {
  const read = database.prepare<[string, number, number], SampleRow>(
    `SELECT connection_id AS connectionId, checked_at_ms AS checkedAtMs, round_trip_ms AS roundTripMs, platform,
       connector, internal_response_time_ms AS internalResponseTimeMs, sessions, traffic,
       traffic_text AS trafficText, failure
     FROM status_samples WHERE connection_id = ? AND checked_at_ms >= ? AND checked_at_ms <= ?
     ORDER BY checked_at_ms, sample_id`,
  );
  return (connectionId, fromMs, untilMs) =>
    read
      .all(connectionId, fromMs, untilMs)
      .map((row) => ({ ...row, traffic: JSON.parse(row.traffic) as StatusSample['traffic'] }));
}
