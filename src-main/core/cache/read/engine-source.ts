import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import type { StatusExtra, StatusHistory, StatusSample } from '../../../common/model/connections/status.ts';
import { toRecordId } from '../../../common/model/records/record.ts';
import { CONTENT_NAMES } from '../../../common/reporting/field-names.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import { OTHER_FIELDS_COLUMN } from '../../../common/sql/sql-tables.ts';
import type { Database } from '../../../node/open-database.ts';
import { ENGINE_COLUMNS } from '../../analysis/engine/engine-tables.ts';
import type { EngineValue, FeedSnapshot } from '../../analysis/engine/feed/feed-source.ts';
import type { EngineSource } from '../../analysis/engine/resolve-scope.ts';
import type { LearnedPattern } from '../../analysis/families/learn-families.ts';
import type { StatusPoint } from '../../analysis/status/status-figures.ts';
import { isDamagedPage, openCacheDatabase } from '../file/open-database.ts';
import { createMarkReader, createSummaryReader, prepareWindows } from './read-records.ts';
import { createSnapshotReader } from './snapshot-rows.ts';
import { createStoredPages, type StoredTexts } from './stored-pages.ts';

/** Where a slice's records begin, and the time that it is of. */
interface RunStart {
  readonly firstSeq: number;
  readonly fromMs: number;
}

/** Opens the cache, read-only, for the engine to be fed from; close it when done. */
export function openEngineSource(file: string): EngineSource & { close(): void } {
  const database = openCacheDatabase(file, 'read');
  const snapshots = createSnapshotReader(database);
  const identity = database.prepare<[], string>('SELECT identity FROM cache_state').pluck();
  const list = database.prepare<[], FeedSnapshot>(
    `SELECT snapshot_id AS snapshotId, connection_id AS connectionId, CASE report WHEN 'inbound-detail' THEN 'inbound' ELSE 'outbound' END AS direction,
       started_at_ms AS startedAtMs, record_count AS recordCount, reading
     FROM snapshots WHERE is_removed = 0 AND report IN ('inbound-detail', 'outbound-detail')
     ORDER BY snapshot_id DESC`,
  );
  const patterns = database.prepare<[string, Direction], LearnedPattern>(
    'SELECT pattern, family FROM error_patterns WHERE connection_id = ? AND direction = ? ORDER BY place',
  );
  // What a followed day adds comes in the order of time, but for what came late.
  const runStarts = database.prepare<[number], RunStart>(
    `SELECT first_seq AS firstSeq, l.from_ms AS fromMs FROM snapshots AS s
       JOIN slices AS l ON l.snapshot_id = s.snapshot_id AND l.slice_number <= s.slice_number
     WHERE s.snapshot_id = ? AND settled_to_ms IS NULL ORDER BY l.slice_number`,
  );
  const pages = createStoredPages(database, { hasExactExtras: true });
  const marks = createMarkReader(database);
  const readRows = prepareWindows(database);
  const prepareRead = (direction: Direction) => {
    const columns = ENGINE_COLUMNS[direction].map(({ name }) => name);
    const texts = CONTENT_NAMES.map((name) => ({ name, at: columns.indexOf(name) })).filter(
      ({ at }) => at >= 0,
    );
    const extraAt = columns.indexOf(OTHER_FIELDS_COLUMN);
    const ofPages = new Set([extraAt, ...texts.map(({ at }) => at)]);
    const narrow = columns.map((name, at) => (ofPages.has(at) ? 'NULL' : name));
    const rows = database
      .prepare<[number, number], EngineValue[]>(
        `SELECT ${narrow.join(', ')} FROM ${direction}_records WHERE record_id >= ? AND record_id < ? ORDER BY record_id`,
      )
      .raw();
    return (from: number, until: number): EngineValue[][] => {
      const read = rows.all(from, until);
      const own = readTexts(Array.from({ length: read.length }, (_none, place) => from + place));
      for (const [place, row] of read.entries()) {
        for (const { name, at } of texts) row[at] = own[place]?.[name] ?? null;
        row[extraAt] = toJson(own[place]?.extra ?? {});
      }
      return read;
    };
  };
  // Records of a damaged page are counted and charted all the same; only their texts can't be searched.
  const readTexts = (ids: readonly number[]): StoredTexts[] => {
    try {
      return pages.readTextsOf(ids);
    } catch (error) {
      if (isDamagedPage(error)) return [];
      throw error;
    }
  };
  const reads = { inbound: prepareRead('inbound'), outbound: prepareRead('outbound') };
  const status = createStatusReader(database);
  let listed = { version: NaN, byConnection: new Map<string, readonly Snapshot[]>() };
  /** Each question of a period asks for them, an incident list for two of each day: read once until the cache changes. */
  const listSnapshots = (connectionId: string): readonly Snapshot[] => {
    const version = Number(database.pragma('data_version', { simple: true }));
    if (version !== listed.version) listed = { version, byConnection: new Map() };
    const found = listed.byConnection.get(connectionId) ?? snapshots.list(connectionId);
    listed.byConnection.set(connectionId, found);
    return found;
  };
  return {
    identity: identity.get() ?? '',
    list: () => list.all(),
    read: ({ snapshotId, direction }, from, until) =>
      reads[direction](toRecordId(snapshotId, from), toRecordId(snapshotId, until)),
    listRunStarts: (snapshotId) => toRunStarts(runStarts.all(snapshotId)),
    listErrorPatterns: (connectionId, direction) => patterns.all(connectionId, direction),
    getSnapshot: (snapshotId) => snapshots.get(snapshotId),
    listSnapshots,
    listMarks: (connectionId, report) => marks.list(connectionId, report),
    readMarks: (report, ids) => marks.addMarks(readRows(report, ids)).map(({ mark }) => mark ?? null),
    readSummary: createSummaryReader(database),
    listStatus: status.readSamples,
    countStatus: status.countSamples,
    close: () => void database.close(),
  };
}

/** Where the runs of slices begin, which come in the order in which they were walked; a later one goes on with a run. */
function toRunStarts(slices: readonly RunStart[]): number[] {
  // One without records has the place of the next one.
  const held = slices.filter(({ firstSeq }, place) => firstSeq !== slices[place + 1]?.firstSeq);
  const runs = held.filter(({ fromMs }, place) => fromMs < (held[place - 1]?.fromMs ?? Infinity));
  return runs.sort((a, b) => a.fromMs - b.fromMs).map(({ firstSeq }) => firstSeq);
}

/** Null without a field: nearly every record has none. */
function toJson(fields: StoredTexts['extra']): string | null {
  for (const _name in fields) return JSON.stringify(fields);
  return null;
}

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
