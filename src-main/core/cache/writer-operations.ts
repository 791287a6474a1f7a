import type { ErrorInfo } from '../../common/contract/errors.ts';
import type { Snapshot, SnapshotState } from '../../common/model/snapshot.ts';
import type { StatusSample } from '../../common/model/status.ts';
import type { NewSnapshot } from './cache.ts';
import type { Connection } from './connect.ts';
import { createDownloadWriter } from './download-writes.ts';
import { createSnapshotRemover } from './remove-snapshots.ts';
import { createSnapshotReader } from './snapshot-rows.ts';
import { createStatusWriter } from './status-samples.ts';
import { createPageStore, type StoredPage } from './store-page.ts';
import { isDamage, toCacheError } from './to-cache-error.ts';
import type { CallContext } from './thread-messages.ts';

export type WriterOperations = ReturnType<typeof createWriterOperations>;

/** Everything that writes, over the one writing connection. Ends downloads that a dead process left behind. */
export function createWriterOperations(database: Connection) {
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
  let sawDamage = false;
  endInterrupted(database);

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
      guard(() => storePage(input, (head) => context.note(head))),
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
    removeSnapshots: async (snapshotIds: readonly number[], context: CallContext): Promise<void> => {
      guard(() => remover.mark(snapshotIds));
      await remover.sweep(context.pause);
    },
    removeConnection: async (connectionId: string, context: CallContext): Promise<void> => {
      guard(() => remover.mark(idsOf.all(connectionId)));
      removeSamples.run(connectionId);
      await remover.sweep(context.pause);
    },
    addStatusSample: (sample: StatusSample): void => guard(() => addStatusSample(sample)),
    sweep: (_input: null, context: CallContext): Promise<void> => remover.sweep(context.pause),
    close: (): void => {
      // After damage the next start looks at the whole file.
      if (!sawDamage) database.prepare('UPDATE cache_state SET was_closed = 1').run();
      database.pragma('wal_checkpoint(TRUNCATE)');
      database.close();
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
