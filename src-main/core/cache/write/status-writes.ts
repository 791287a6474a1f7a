import type { StatusSample } from '../../../common/model/connections/status.ts';
import { DAY_MS } from '../../../common/time/durations.ts';
import type { Database } from '../../../node/open-database.ts';

const MAX_AGE_MS = 90 * DAY_MS;

/** Prepares the adding of status samples; a connection's samples are kept for 90 days. */
export function createStatusWriter(database: Database): (sample: StatusSample) => void {
  const insert = database.prepare(
    `INSERT INTO status_samples (connection_id, checked_at_ms, round_trip_ms, platform, connector,
       internal_response_time_ms, sessions, traffic, traffic_text, extra, failure)
     VALUES (@connectionId, @checkedAtMs, @roundTripMs, @platform, @connector, @internalResponseTimeMs,
       @sessions, @traffic, @trafficText, @extra, @failure)`,
  );
  const prune = database.prepare('DELETE FROM status_samples WHERE connection_id = ? AND checked_at_ms < ?');
  const add = database.transaction((sample: StatusSample) => {
    const { extra = null } = sample;
    const texts = { traffic: JSON.stringify(sample.traffic), extra: extra && JSON.stringify(extra) };
    insert.run({ ...sample, ...texts });
    prune.run(sample.connectionId, sample.checkedAtMs - MAX_AGE_MS);
  });
  return (sample) => add.immediate(sample);
}
