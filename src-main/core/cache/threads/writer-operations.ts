import { statSync } from 'node:fs';
import { AppError } from '../../../common/contract/errors.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import type { StatusSample } from '../../../common/model/connections/status.ts';
import {
  MAX_MARKED_RECORDS,
  type RecordMark,
  type RecordMarkChange,
} from '../../../common/model/records/record.ts';
import { DAY_MS } from '../../../common/time/durations.ts';
import type { Database } from '../../../node/open-database.ts';
import type { FoundPatterns } from '../../analysis/engine/feed/feed-source.ts';
import type { CallContext } from '../../calls/calls.ts';
import { createPageCleaner, listCleaned, type Cleaning, type WantedCleaning } from '../clean-pages.ts';
import { removeCopies } from '../file/schema.ts';
import { BUSY_TIMEOUT_MS, isDamage, toCacheError } from '../file/open-database.ts';
import type { OpenedFile } from '../file/open-file.ts';
import { BEING_SALVAGED, salvage } from '../file/salvage.ts';
import { createFollowingWriter } from '../write/slice-writes.ts';
import { createImportWriter } from '../imports.ts';
import { createDetailReader, toMarkKey } from '../read/read-records.ts';
import { requireDetailKind } from '../read/record-tables.ts';
import { createSnapshotReader, type SnapshotReader } from '../read/snapshot-rows.ts';
import { createPageRereader } from '../rereading/read-again.ts';
import {
  createDownloadWriter,
  createSnapshotRemover,
  createSnapshotWriter,
  endInterrupted,
  type Purge,
} from '../write/snapshot-writes.ts';
import type { IncomingPage, PageHead } from '../write/insert-records.ts';
import { createPageStore } from '../write/store-page.ts';
import { prepareWalkEnd } from '../write/judge-page.ts';
import type { ServedThread } from './thread-messages.ts';

/** Before any removal: only gives free pages back. */
const NOTHING_REMOVED_MS = -1;

export type WriterOperations = ReturnType<typeof createWriter>['operations'];

/**
 * Everything that writes, over the one writing handle. At the first opening it ends downloads that a dead process
 * left behind. After damage was met in any operation, the next start checks the whole file.
 */
export function createWriter(opened: OpenedFile, file: string, isFirst: boolean) {
  const { database } = opened;
  const checkpoints = createCheckpoints(database, file);
  const snapshots = createSnapshotReader(database);
  const storePage = createPageStore(database, snapshots);
  const remover = createSnapshotRemover(database);
  const saveFileCheck = database.prepare('UPDATE cache_state SET checked_at_ms = ?');
  const purge = async (untilMs: number, pause: () => Promise<void>): Promise<Purge> => {
    const purged = await remover.sweep(untilMs, pause);
    checkpoints.run();
    return purged;
  };
  const cleanPages = createPageCleaner(database, snapshots, () => removeCopies(file));
  let sawDamage = false;
  if (isFirst) endInterrupted(database);
  // Left by a crash in the middle; the next sweep deletes it.
  database.exec(`UPDATE snapshots SET is_removed = 2 WHERE is_removed = ${BEING_SALVAGED}`);

  const operations = {
    ...createDownloadWriter(database, snapshots),
    ...createSnapshotWriter(database, snapshots),
    ...createFollowingWriter(database, snapshots),
    ...createImportWriter(database, snapshots, checkpoints.afterWrite),
    /** The head of the page is reported as progress, before the page is written. */
    storePage: (input: IncomingPage, { progress }: CallContext<PageHead>): Snapshot => {
      try {
        return storePage(input, progress);
      } finally {
        // Ten pages lie about until they are collected with all else; this thread is the last that has this one.
        input.bytes.transfer(0);
        checkpoints.afterWrite();
      }
    },
    endWalk: prepareWalkEnd(database, snapshots),
    /** Hides snapshots until they are restored, or deleted for good by `purgeRemoved`. */
    removeSnapshots: ({ snapshotIds, nowMs }: { snapshotIds: readonly number[]; nowMs: number }): void =>
      remover.mark(snapshotIds, nowMs),
    /** Returns those that are back. */
    restoreSnapshots: (snapshotIds: readonly number[]): Snapshot[] =>
      remover.restore(snapshotIds).map((snapshotId) => snapshots.get(snapshotId)),
    /** Deletes for good what was removed at `untilMs` or before, and gives the space back. */
    purgeRemoved: (untilMs: number, { pause }: CallContext): Promise<Purge> => purge(untilMs, pause),
    /** Removes everything that was cached of a connection. */
    removeConnection: async (connectionId: string, { pause }: CallContext): Promise<void> => {
      remover.markConnection(connectionId);
      await purge(0, pause);
    },
    changeMarks: createMarkWriter(database, snapshots),
    saveErrorPatterns: createPatternWriter(database),
    readAgain: createPageRereader(database, snapshots, checkpoints.afterWrite),
    /** Connections whose older pages, stored before pages were cleaned of secrets, have all been searched. */
    listCleaned: (): string[] => listCleaned(database),
    /** Searches them; where something was removed, no copy of the file and no freed page keeps it. */
    cleanPages: async (wanted: WantedCleaning, context: CallContext): Promise<Cleaning> => {
      const done = await cleanPages(wanted, context);
      if (done.isChanged) await purge(NOTHING_REMOVED_MS, context.pause);
      return done;
    },
    addStatusSample: createStatusWriter(database),
    saveFileCheck: (atMs: number): void => void saveFileCheck.run(atMs),
    /** Brings over what is whole in a damaged file; what of it came over before stays as it is. */
    salvage: async (damagedFile: string, { pause }: CallContext) => {
      await purge(NOTHING_REMOVED_MS, pause);
      return salvage(database, damagedFile, pause);
    },
    /** Copies the log into the file; true when it is large all the same. Throws `cache.disk-full` where that has no room. */
    checkpointLog: (): boolean => checkpoints.run(),
    /** Writes a little, to see whether that is possible; throws as any write does. */
    tryWriting: (): void => {
      database.prepare('UPDATE cache_state SET was_closed = 0').run();
      checkpoints.run();
    },
  };

  return {
    operations,
    onFailure: (error: unknown): void => {
      sawDamage ||= isDamage(toCacheError(error));
    },
    close: (isDamaged: boolean): void => {
      if (!isDamaged) {
        if (!sawDamage) database.prepare('UPDATE cache_state SET was_closed = 1').run();
        database.pragma('wal_checkpoint(TRUNCATE)');
      }
      database.close();
    },
  } satisfies ServedThread;
}

interface MarksChange {
  readonly records: readonly { readonly snapshotId: number; readonly seq: number }[];
  readonly change: RecordMarkChange;
  readonly nowMs: number;
}

/**
 * Prepares the writing of marks, all of one change in one transaction. Throws AppError `cache.too-many-marks` and
 * `cache.snapshot-not-found`.
 */
function createMarkWriter(database: Database, snapshots: SnapshotReader): (change: MarksChange) => void {
  const readDetail = createDetailReader(database);
  const place = 'connection_id = ? AND report = ? AND session_id = ? AND date_text = ? AND digest = ?';
  const find = database.prepare<string[], RecordMark>(`SELECT mark, note FROM record_marks WHERE ${place}`);
  const remove = database.prepare<string[]>(`DELETE FROM record_marks WHERE ${place}`);
  const save = database.prepare(
    `INSERT OR REPLACE INTO record_marks
       (connection_id, report, session_id, date_text, digest, date_ms, mark, note, changed_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const count = database
    .prepare<[string, string], number>(
      'SELECT count(*) FROM record_marks WHERE connection_id = ? AND report = ?',
    )
    .pluck();

  const changeAll = database.transaction(({ records, change, nowMs }: MarksChange) => {
    for (const { snapshotId, seq } of records) {
      const snapshot = snapshots.get(snapshotId);
      const { connectionId, report } = snapshot;
      const record = readDetail(snapshot, seq);
      const { sessionId, dateText, digest } = toMarkKey(record, requireDetailKind(report));
      const key = [connectionId, report, sessionId, dateText, digest];
      const before = find.get(...key) ?? null;
      const mark = change.mark === undefined ? (before?.mark ?? null) : change.mark;
      const note = change.note === undefined ? (before?.note ?? '') : change.note.trim();
      if (mark === null && note === '') {
        remove.run(...key);
        continue;
      }
      if (before === null && (count.get(connectionId, report) ?? 0) >= MAX_MARKED_RECORDS) {
        throw new AppError('cache.too-many-marks', 'No more records can be marked.', {
          limit: MAX_MARKED_RECORDS,
        });
      }
      save.run(...key, record.dateMs, mark, note, nowMs);
    }
  });
  return (change) => changeAll.immediate(change);
}

/** Patterns that were found in a cache, which `cacheIdentity` names. */
interface PatternsToKeep {
  readonly found: readonly FoundPatterns[];
  readonly cacheIdentity: string;
}

/**
 * Prepares the keeping of patterns of errors: those that are new come behind the others, in their order. What was found
 * before secrets were taken out of the cache, or in another one, may hold them, and is not kept.
 */
function createPatternWriter(database: Database): (kept: PatternsToKeep) => void {
  const readIdentity = database.prepare<[], string>('SELECT identity FROM cache_state').pluck();
  const own = 'connection_id = ? AND direction = ?';
  const readLast = database
    .prepare<[string, string], number | null>(`SELECT max(place) FROM error_patterns WHERE ${own}`)
    .pluck();
  const save = database.prepare(
    `INSERT INTO error_patterns (connection_id, direction, pattern, family, place) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET family = excluded.family`,
  );
  const saveAll = database.transaction(({ found, cacheIdentity }: PatternsToKeep) => {
    if (readIdentity.get() !== cacheIdentity) return;
    for (const { connectionId, direction, patterns } of found) {
      const last = readLast.get(connectionId, direction) ?? 0;
      for (const [place, { pattern, family }] of patterns.entries())
        save.run(connectionId, direction, pattern, family, last + 1 + place);
    }
  });
  return (kept) => saveAll.immediate(kept);
}

const MAX_AGE_MS = 90 * DAY_MS;

/** Prepares the adding of status samples; a connection's samples are kept for 90 days. */
function createStatusWriter(database: Database): (sample: StatusSample) => void {
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

/** From this size on the log counts as large, and each write tries a checkpoint. */
const MAX_LOG_BYTES = 67_108_864;
/** From this size on a checkpoint waits for readers, so that the log does not fill the disk. */
const MAX_UNWAITED_LOG_BYTES = 268_435_456;

interface Checkpoints {
  /** To be called after writes: runs a checkpoint once the log is large. */
  afterWrite(): void;
  /**
   * Copies the log into the file and empties it, unless a reader still needs it. Returns whether the log is large all
   * the same.
   */
  run(): boolean;
}

/**
 * Keeps the write-ahead log small. SQLite runs a checkpoint by itself every 1,000 pages, but starts the log anew only
 * when no reader needs it any more. A checkpoint never waits for readers, except over 256 MiB, and then 5 s.
 */
function createCheckpoints(database: Database, file: string): Checkpoints {
  const readLogBytes = (): number => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const run = (): boolean => {
    const waits = readLogBytes() > MAX_UNWAITED_LOG_BYTES;
    if (!waits) database.pragma('busy_timeout = 0');
    try {
      database.pragma('wal_checkpoint(TRUNCATE)');
    } finally {
      if (!waits) database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
    return readLogBytes() > MAX_LOG_BYTES;
  };
  return {
    afterWrite() {
      if (readLogBytes() > MAX_LOG_BYTES) run();
    },
    run,
  };
}
