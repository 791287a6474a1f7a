import type { StatusPoint } from '../../analysis/status/status-figures.ts';
import type { StatusExtra, StatusHistory, StatusSample } from '../../../common/model/connections/status.ts';
import type { Database } from '../../../node/open-database.ts';

type SampleRow = Omit<StatusSample, 'traffic' | 'extra'> & {
  readonly traffic: string;
  readonly extra: string | null;
};

type PointCells = readonly [
  checkedAtMs: number,
  platform: StatusPoint['platform'],
  connector: StatusPoint['connector'],
  internalResponseTimeMs: number | null,
  failure: string | null,
];

const SAMPLE_COLUMNS = `connection_id AS connectionId, checked_at_ms AS checkedAtMs, round_trip_ms AS roundTripMs,
  platform, connector, internal_response_time_ms AS internalResponseTimeMs, sessions, traffic,
  traffic_text AS trafficText, extra, failure`;

/** Reads a connection's samples. A month of them is read from an index that holds all that points need. */
export function createStatusReader(database: Database) {
  const readPoints = database
    .prepare<[string, number, number], PointCells>(
      `SELECT checked_at_ms, platform, connector, internal_response_time_ms, failure
       FROM status_samples INDEXED BY status_points
       WHERE connection_id = ? AND checked_at_ms >= ? AND checked_at_ms <= ?
       ORDER BY checked_at_ms, sample_id`,
    )
    .raw();
  const readSamples = database.prepare<[string, number, number], SampleRow>(
    `SELECT ${SAMPLE_COLUMNS} FROM status_samples
     WHERE connection_id = ? AND checked_at_ms >= ? AND checked_at_ms <= ?
     ORDER BY checked_at_ms, sample_id`,
  );
  const count = database
    .prepare<[string, number, number], number>(
      `SELECT count(*) FROM status_samples INDEXED BY status_points
       WHERE connection_id = ? AND checked_at_ms >= ? AND checked_at_ms <= ?`,
    )
    .pluck();
  const prepareNewest = (condition: string) =>
    database.prepare<[string, number], SampleRow>(
      `SELECT ${SAMPLE_COLUMNS} FROM status_samples WHERE sample_id = (
         SELECT sample_id FROM status_samples INDEXED BY status_points
         WHERE connection_id = ? AND checked_at_ms <= ? AND ${condition}
         ORDER BY checked_at_ms DESC, sample_id DESC LIMIT 1)`,
    );
  const readOldest = database
    .prepare<[string], number | null>(
      'SELECT min(checked_at_ms) FROM status_samples INDEXED BY status_points WHERE connection_id = ?',
    )
    .pluck();
  const readLatest = prepareNewest('true');
  const readLastAnswered = prepareNewest('failure IS NULL');
  return {
    /** What was seen in [fromMs, untilMs], oldest first. */
    readPoints: (connectionId: string, fromMs: number, untilMs: number): StatusPoint[] =>
      readPoints
        .all(connectionId, fromMs, untilMs)
        .map(([checkedAtMs, platform, connector, internalResponseTimeMs, failure]) => ({
          checkedAtMs,
          platform,
          connector,
          internalResponseTimeMs,
          failure,
        })),
    /** The newest sample, and the newest that the service responded to. */
    readNewest: (connectionId: string, untilMs: number): Pick<StatusHistory, 'latest' | 'lastAnswered'> => ({
      latest: toNullableSample(readLatest.get(connectionId, untilMs)),
      lastAnswered: toNullableSample(readLastAnswered.get(connectionId, untilMs)),
    }),
    /** When the oldest check that is kept was made; null where there is none. */
    readOldestMs: (connectionId: string): number | null => readOldest.get(connectionId) ?? null,
    countSamples: (connectionId: string, fromMs: number, untilMs: number): number =>
      count.get(connectionId, fromMs, untilMs) ?? 0,
    /** Whole samples in [fromMs, untilMs], oldest first. */
    readSamples: (connectionId: string, fromMs: number, untilMs: number): StatusSample[] =>
      readSamples.all(connectionId, fromMs, untilMs).map(toSample),
  };
}

function toNullableSample(row: SampleRow | undefined): StatusSample | null {
  return row === undefined ? null : toSample(row);
}

function toSample({ extra, ...row }: SampleRow): StatusSample {
  return {
    ...row,
    traffic: JSON.parse(row.traffic) as StatusSample['traffic'],
    ...(extra === null ? {} : { extra: JSON.parse(extra) as StatusExtra }),
  };
}
