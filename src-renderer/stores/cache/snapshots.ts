import { useThrottleFn } from '@vueuse/core';
import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { EventPayload, Input, Output } from '../../../src-main/common/contract/index.ts';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import { useBackend, createListReader } from '../../backend/backend.ts';
import { toErrorLike, type ErrorLike } from '../../messages/error-like.ts';
import { useTasksStore } from '../window/app.ts';

const STORAGE_INTERVAL_MS = 2000;

/** Every snapshot in the cache, of every connection, newest first. */
export const useSnapshotsStore = defineStore('snapshots', () => {
  const backend = useBackend();
  const snapshots = shallowRef<readonly Snapshot[] | null>(null);
  /** Without those that were only looked at. */
  const listed = computed(() => snapshots.value?.filter(({ isLook }) => isLook !== true) ?? null);
  const storage = shallowRef<Output<'snapshots/read-storage'> | null>(null);
  const error = shallowRef<ErrorLike | null>(null);
  /** How many of the cached records can be asked about; null where that is all of them, or nearly. */
  const feed = shallowRef<EventPayload<'records/feed-changed'>>(null);

  const reader = createListReader(
    () => backend.call('snapshots/list', { connectionId: null }),
    (snapshot: Snapshot) => snapshot.id,
  );
  const loadStorageSoon = useThrottleFn(
    () => loadStorage().catch(() => undefined),
    STORAGE_INTERVAL_MS,
    true,
  );
  backend.on('snapshots/changed', (snapshot) => {
    put(snapshot);
    void loadStorageSoon();
  });
  backend.on('records/feed-changed', (progress) => {
    feed.value = progress;
  });
  backend.on('snapshots/removed', ({ snapshotIds }) => {
    drop(snapshotIds);
    void loadStorageSoon();
  });

  async function load(): Promise<void> {
    try {
      snapshots.value = await reader.read();
      await loadStorage();
      error.value = null;
    } catch (cause) {
      error.value = toErrorLike(cause);
    }
  }

  async function loadStorage(): Promise<void> {
    storage.value = await backend.call('snapshots/read-storage', null);
  }

  /** Removes snapshots; resolves to the instant until which `restore` works. Rejects with the core's error. */
  async function remove(snapshotIds: readonly number[]): Promise<number> {
    const { restorableUntilMs } = await backend.call('snapshots/remove', { snapshotIds: [...snapshotIds] });
    drop(snapshotIds);
    // They are gone, whether or not the space that is left can be read.
    await loadStorage().catch(() => undefined);
    return restorableUntilMs;
  }

  /** Undoes a removal; rejects with the core's error. */
  async function restore(snapshotIds: readonly number[]): Promise<void> {
    await backend.call('snapshots/restore', { snapshotIds: [...snapshotIds] });
    await load();
  }

  /** Changes the name, the note or the pin that a person gave a snapshot. */
  async function annotate(change: Input<'snapshots/annotate'>): Promise<void> {
    put(await backend.call('snapshots/annotate', change));
  }

  /** Starts a task that checks stored pages; null checks every snapshot and the whole file. */
  async function verify(snapshotIds: readonly number[] | null): Promise<void> {
    await backend.call('snapshots/verify', {
      snapshotIds: snapshotIds === null ? null : [...snapshotIds],
    });
  }

  function drop(snapshotIds: readonly number[]): void {
    for (const snapshotId of snapshotIds) reader.note(snapshotId, null);
    snapshots.value = snapshots.value?.filter((snapshot) => !snapshotIds.includes(snapshot.id)) ?? null;
  }

  function put(changed: Snapshot): void {
    reader.note(changed.id, changed);
    const current = snapshots.value;
    if (current === null) return;
    snapshots.value = current.some((snapshot) => snapshot.id === changed.id)
      ? current.map((snapshot) => (snapshot.id === changed.id ? changed : snapshot))
      : [changed, ...current];
  }

  return {
    snapshots,
    listed,
    storage,
    feed,
    error,
    load,
    loadStorage,
    remove,
    restore,
    annotate,
    verify,
  } as const;
});

/** The newest reading again of stored pages that was started here, until its result is dismissed. */
export const useReadingsStore = defineStore('readings', () => {
  const backend = useBackend();
  const tasks = useTasksStore();
  const taskId = shallowRef<string | null>(null);
  const task = computed(() => tasks.find(taskId.value));

  /** Starts a task; null reads every snapshot. Rejects with the core's error. */
  async function start(snapshotIds: readonly number[] | null): Promise<void> {
    const wanted = snapshotIds === null ? null : [...snapshotIds];
    taskId.value = (await backend.call('snapshots/read-again', { snapshotIds: wanted })).taskId;
  }

  function dismiss(): void {
    taskId.value = null;
  }

  return { task, start, dismiss } as const;
});
