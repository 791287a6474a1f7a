import type { ErrorInfo } from '../../../common/contract/errors.ts';
import type { Snapshot, SnapshotState } from '../../../common/model/snapshot.ts';
import type { StatusSample } from '../../../common/model/status.ts';
import type { Input } from '../../../common/contract/index.ts';
import type { NewSnapshot } from '../cache.ts';
import { createCheckpoints } from '../file/checkpoints.ts';
import type { Connection } from '../file/open-database.ts';
import { createDownloadWriter } from '../write/download-writes.ts';
import { createSnapshotEditor } from '../write/edit-snapshots.ts';
import type { OpenedFile } from '../file/open-file.ts';
import { createSnapshotRemover, type Purge } from '../write/remove-snapshots.ts';
import { BEING_SALVAGED, salvage } from '../file/salvage.ts';
import { createSnapshotReader } from '../read/snapshot-rows.ts';
import { createStatusWriter } from '../write/status-samples.ts';
import { createPageStore, type StoredPage } from '../write/store-page.ts';
import { isDamage, toCacheError } from '../file/to-cache-error.ts';
import type { CallContext } from './thread-messages.ts';
import type { PageCheck } from '../read/verify-pages.ts';

export type WriterOperations = ReturnType<typeof createWriterOperations>;

/**
 * Everything that writes, over the one writing connection. At the first opening it ends downloads that a dead
 * process left behind.
 */
export function createWriterOperations(opened: OpenedFile, file: string, isFirst: boolean) {
  const { database } = opened;
  const checkpoints = createCheckpoints(database, file);
  const editor = createSnapshotEditor(database);
  const snapshots = createSnapshotReader(database);
  const storePage = createPageStore(database, snapshots);
  const remover = createSnapshotRemover(database);
  const addStatusSample = createStatusWriter(database);
  const insertSnapshot = database.prepare(
    `INSERT INTO snapshots (connection_id, tenant, report, start_date, end_date, from_ms, to_ms, zone, state,
       started_at_ms, still_open)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'downloading', ?, ?)`,
  );
  const finish = database.prepare('UPDATE snapshots SET state = ?, failure = ? WHERE snapshot_id = ?');
  const idsOf = database
    .prepare<[string], number>('SELECT snapshot_id FROM snapshots WHERE connection_id = ?')
    .pluck();
  const removeSamples = database.prepare('DELETE FROM status_samples WHERE connection_id = ?');
  const removeShapes = database.prepare('DELETE FROM report_shapes WHERE connection_id = ?');
  const saveFileCheck = database.prepare('UPDATE cache_state SET checked_at_ms = ?');
  const sweep = async (untilMs: number, { pause }: CallContext): Promise<Purge> => {
    const purge = await remover.sweep(untilMs, pause);
    checkpoints.fold();
    return purge;
  };
  let sawDamage = false;
  if (isFirst) endInterrupted(database);
  // Left by a crash in the middle; the next sweep deletes it.
  database.exec(`UPDATE snapshots SET is_removed = 2 WHERE is_removed = ${BEING_SALVAGED}`);

  const guard = <Value>(work: () => Value): Value => {
    try {
      return work();
    } catch (error) {
      sawDamage ||= isDamage(toCacheError(error));
      throw error;
    }
  };

  return {
    ...createDownloadWriter(database, snapshots),
    createSnapshot: (input: NewSnapshot): Snapshot =>
      guard(() => {
        const { period } = input;
        const { lastInsertRowid } = insertSnapshot.run(
          ...[input.connectionId, input.tenant, input.report, period.startDate, period.endDate],
          ...[period.fromMs, period.toMs, period.zone, input.startedAtMs, input.stillOpen ? 1 : 0],
        );
        return snapshots.get(Number(lastInsertRowid));
      }),
    storePage: (input: StoredPage, context: CallContext): Snapshot =>
      guard(() => {
        const snapshot = storePage(input, (head) => context.note(head));
        checkpoints.afterWrite();
        return snapshot;
      }),
    finishSnapshot: (input: {
      snapshotId: number;
      state: SnapshotState;
      failure: ErrorInfo | null;
    }): Snapshot =>
      guard(() => {
        finish.run(input.state, input.failure?.code ?? null, input.snapshotId);
        database.pragma('wal_checkpoint(PASSIVE)');
        return snapshots.get(input.snapshotId);
      }),
    annotate: (change: Input<'snapshots/annotate'>): Snapshot =>
      guard(() => {
        editor.annotate(change);
        return snapshots.get(change.snapshotId);
      }),
    saveVerification: (input: { snapshotId: number; atMs: number; check: PageCheck }): Snapshot =>
      guard(() => {
        editor.saveVerification(input.snapshotId, input.atMs, input.check);
        return snapshots.get(input.snapshotId);
      }),
    saveFileCheck: (atMs: number): void => guard(() => void saveFileCheck.run(atMs)),
    removeSnapshots: (input: { snapshotIds: readonly number[]; nowMs: number }): void =>
      guard(() => remover.mark(input.snapshotIds, input.nowMs)),
    restoreSnapshots: (snapshotIds: readonly number[]): Snapshot[] =>
      guard(() => remover.restore(snapshotIds).map((snapshotId) => snapshots.get(snapshotId))),
    removeConnection: async (connectionId: string, context: CallContext): Promise<void> => {
      guard(() => remover.mark(idsOf.all(connectionId), 0));
      removeSamples.run(connectionId);
      removeShapes.run(connectionId);
      await sweep(0, context);
    },
    addStatusSample: (sample: StatusSample): void => guard(() => addStatusSample(sample)),
    sweep,
    /** Brings over what is whole in a damaged file. */
    salvage: (damagedFile: string, { pause }: CallContext) => salvage(database, damagedFile, pause),
    /** Folds the log into the file; answers whether it is large all the same. Throws `cache.disk-full` where that has no room. */
    foldLog: (): boolean => guard(() => checkpoints.fold()),
    /** Writes a little, to see whether that is possible; throws as any write does. */
    tryWriting: (): void =>
      guard(() => {
        database.prepare('UPDATE cache_state SET was_closed = 0').run();
        checkpoints.fold();
      }),
    close: (): void => {
      // After damage the next start looks at the whole file.
      if (!sawDamage) database.prepare('UPDATE cache_state SET was_closed = 1').run();
      database.pragma('wal_checkpoint(TRUNCATE)');
      database.close();
      opened.release();
    },
    /** Closes a file in which damage was met, and writes nothing more to it. */
    abandon: (): void => {
      database.close();
      opened.release();
    },
  };
}

function endInterrupted(database: Connection): void {
  const end = database.transaction(() => {
    database.exec(`
      INSERT INTO remarks (snapshot_id, code, count)
        SELECT snapshot_id, 'interrupted', 1 FROM snapshots WHERE state = 'downloading'
        ON CONFLICT DO NOTHING;
      UPDATE snapshots SET state = 'incomplete' WHERE state = 'downloading';`);
  });
  end.immediate();
}
