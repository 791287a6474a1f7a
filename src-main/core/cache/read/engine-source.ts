import { ENGINE_COLUMNS } from '../../analysis/engine/engine-tables.ts';
import type { EngineValue, FeedSnapshot } from '../../analysis/engine/feed/feed-source.ts';
import type { EngineSource } from '../../analysis/engine/resolve-scope.ts';
import { CONTENT_NAMES } from '../../../common/reporting/field-values.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import { OTHER_FIELDS_COLUMN } from '../../../common/sql/sql-tables.ts';
import { toRecordId } from '../../../common/model/records/record-ids.ts';
import type { LearnedPattern } from '../../analysis/families/learn-families.ts';
import { openCacheDatabase } from '../file/open-database.ts';
import { isDamagedPage } from '../file/to-cache-error.ts';
import { createMarkReader } from './record-marks.ts';
import { prepareWindows, createSummaryReader } from './read-records.ts';
import { createSnapshotReader } from './snapshot-rows.ts';
import { createStatusReader } from './status-samples.ts';
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
  return {
    identity: identity.get() ?? '',
    list: () => list.all(),
    read: ({ snapshotId, direction }, from, until) =>
      reads[direction](toRecordId(snapshotId, from), toRecordId(snapshotId, until)),
    listRunStarts: (snapshotId) => toRunStarts(runStarts.all(snapshotId)),
    listErrorPatterns: (connectionId, direction) => patterns.all(connectionId, direction),
    getSnapshot: (snapshotId) => snapshots.get(snapshotId),
    listSnapshots: (connectionId) => snapshots.list(connectionId),
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
