import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { removeCopies } from '../file/back-up.ts';
import { createCheckpoints } from '../file/checkpoints.ts';
import type { OpenedFile } from '../file/open-file.ts';
import { BEING_SALVAGED, salvage } from '../file/salvage.ts';
import { isDamage, toCacheError } from '../file/to-cache-error.ts';
import { createFollowingWriter } from '../following/followed-slices.ts';
import { createImportWriter } from '../imports/import-writes.ts';
import { createSnapshotReader } from '../read/snapshot-rows.ts';
import {
  createPageCleaner,
  listCleaned,
  type Cleaning,
  type WantedCleaning,
} from '../cleaning/clean-pages.ts';
import { createDownloadWriter } from '../write/download-writes.ts';
import { createPatternWriter } from '../write/pattern-writes.ts';
import { createMarkWriter } from '../write/mark-writes.ts';
import { createPageRereader } from '../rereading/read-again.ts';
import { createSnapshotRemover, type Purge } from '../write/remove-snapshots.ts';
import { createSnapshotWriter, endInterrupted } from '../write/snapshot-writes.ts';
import { createStatusWriter } from '../write/status-writes.ts';
import type { IncomingPage, PageHead } from '../write/incoming-page.ts';
import { createPageStore } from '../write/store-page.ts';
import { prepareWalkEnd } from '../write/walk-ends.ts';
import type { CallContext } from '../../calls/call-messages.ts';
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
      const snapshot = storePage(input, progress);
      checkpoints.afterWrite();
      return snapshot;
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
