import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import type { Input, Output } from '../../src-main/common/contract/index.ts';
import type { Period } from '../../src-main/common/model/period.ts';
import type { Snapshot } from '../../src-main/common/model/snapshot.ts';
import type { ReportKind } from '../../src-main/common/reporting/reports.ts';
import { useBackend } from '../backend/backend.ts';
import { toErrorLike, type ErrorLike } from '../messages/error-like.ts';
import { throttle } from './throttle.ts';

const STORAGE_INTERVAL_MS = 2000;

/** Everything that lies in the cache, of every connection, newest first. */
export const useSnapshotsStore = defineStore('snapshots', () => {
  const backend = useBackend();
  const snapshots = shallowRef<readonly Snapshot[] | null>(null);
  const storage = shallowRef<Output<'snapshots/read-storage'> | null>(null);
  const error = shallowRef<ErrorLike | null>(null);

  async function load(): Promise<void> {
    try {
      snapshots.value = await backend.call('snapshots/list', { connectionId: null });
      await loadStorage();
      error.value = null;
    } catch (cause) {
      error.value = toErrorLike(cause);
    }
  }

  async function loadStorage(): Promise<void> {
    storage.value = await backend.call('snapshots/read-storage', null);
  }

  /** Removes snapshots; answers until when `restore` brings them back. Rejects with the core's error. */
  async function remove(snapshotIds: readonly number[]): Promise<number> {
    const { restorableUntilMs } = await backend.call('snapshots/remove', { snapshotIds: [...snapshotIds] });
    drop(snapshotIds);
    await loadStorage();
    return restorableUntilMs;
  }

  /** Undoes a removal; rejects with the core's error. */
  async function restore(snapshotIds: readonly number[]): Promise<void> {
    await backend.call('snapshots/restore', { snapshotIds: [...snapshotIds] });
    await load();
  }

  /** Changes what a person gave a snapshot. */
  async function annotate(change: Input<'snapshots/annotate'>): Promise<void> {
    put(await backend.call('snapshots/annotate', change));
  }

  /** Checks stored pages as a task; null for every snapshot and the whole file. */
  async function verify(snapshotIds: readonly number[] | null): Promise<string> {
    const input = { snapshotIds: snapshotIds === null ? null : [...snapshotIds] };
    return (await backend.call('snapshots/verify', input)).taskId;
  }

  /**
   * Starts fetching a report into the cache: a detail goes on as a task, cut into days where that is asked for,
   * a summary is there when this settles.
   */
  async function download(
    connectionId: string,
    report: ReportKind,
    period: Period,
    sliceDays: number | null = null,
  ): Promise<void> {
    if (report === 'inbound-detail' || report === 'outbound-detail') {
      await backend.call('downloads/start', {
        connectionId,
        report,
        period,
        ...(sliceDays === null ? {} : { sliceDays }),
      });
    } else {
      const direction = report === 'inbound-summary' ? 'inbound' : 'outbound';
      await backend.call('summaries/fetch', { connectionId, direction, period });
    }
  }

  function drop(snapshotIds: readonly number[]): void {
    snapshots.value = (snapshots.value ?? []).filter((snapshot) => !snapshotIds.includes(snapshot.id));
  }

  function put(changed: Snapshot): void {
    const current = snapshots.value ?? [];
    snapshots.value = current.some((snapshot) => snapshot.id === changed.id)
      ? current.map((snapshot) => (snapshot.id === changed.id ? changed : snapshot))
      : [changed, ...current];
  }

  /** Follows changes of the cache; the answer stops it. */
  function follow(): () => void {
    const loadStorageSoon = throttle(() => void loadStorage().catch(() => undefined), STORAGE_INTERVAL_MS);
    const stops = [
      backend.on('snapshots/changed', (snapshot) => {
        put(snapshot);
        loadStorageSoon();
      }),
      backend.on('snapshots/removed', ({ snapshotIds }) => {
        drop(snapshotIds);
        loadStorageSoon();
      }),
    ];
    return () => {
      loadStorageSoon.cancel();
      for (const stop of stops) stop();
    };
  }

  return {
    snapshots,
    storage,
    error,
    load,
    loadStorage,
    remove,
    restore,
    annotate,
    verify,
    download,
    follow,
  };
});
