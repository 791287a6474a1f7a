import { useThrottleFn } from '@vueuse/core';
import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import type { EventPayload, Input, Output } from '../../../src-main/common/contract/index.ts';
import type { OfferedFile } from '../../../src-main/common/contract/operations/files.ts';
import type { Download } from '../../../src-main/common/model/cache/download.ts';
import type { CacheState, Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import type { Period } from '../../../src-main/common/model/period.ts';
import { isDetailKind, type ReportKind, REPORTS } from '../../../src-main/common/reporting/reports.ts';
import { createListReader, useBackend } from '../../backend/backend.ts';
import { type ErrorLike, toErrorLike } from '../../messages/error-like.ts';
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

  /** States that a snapshot holds all records of a span, or (null) takes that back. */
  async function stateComplete(change: Input<'snapshots/state-complete'>): Promise<void> {
    put(await backend.call('snapshots/state-complete', change));
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
    stateComplete,
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

interface Removal {
  readonly snapshotIds: readonly number[];
  /** Undo is offered until then. */
  readonly offeredUntilMs: number;
}

/** The core keeps removed snapshots for minutes; the offer disappears sooner, so that it doesn't stay in the way. */
const OFFER_MS = 30_000;

/** The last removal, while it can be undone. */
export const useRemovalsStore = defineStore('removals', () => {
  const snapshots = useSnapshotsStore();
  const downloads = useDownloadsStore();
  const latest = shallowRef<Removal | null>(null);
  /** The rows may be gone already, but the core has not confirmed it yet. */
  const isRemoving = ref(false);
  let removing: Promise<void> = Promise.resolve();

  /** Removes snapshots with their records; rejects with the core's error. */
  async function remove(snapshotIds: readonly number[], nowMs = Date.now()): Promise<void> {
    const work = removeNow(snapshotIds, nowMs);
    removing = work.catch(() => undefined);
    isRemoving.value = true;
    try {
      await work;
    } finally {
      isRemoving.value = false;
    }
  }

  async function removeNow(snapshotIds: readonly number[], nowMs: number): Promise<void> {
    const restorableUntilMs = await snapshots.remove(snapshotIds);
    latest.value = {
      snapshotIds: [...snapshotIds],
      offeredUntilMs: Math.min(restorableUntilMs, nowMs + OFFER_MS),
    };
  }

  /** Restores the last removal; rejects with the core's error. */
  async function undo(): Promise<void> {
    await removing;
    const removal = latest.value;
    if (removal === null) return;
    await snapshots.restore(removal.snapshotIds);
    // Something else may have been removed meanwhile.
    if (latest.value === removal) latest.value = null;
    await downloads.load();
  }

  function dismiss(): void {
    latest.value = null;
  }

  return { latest, isRemoving, remove, undo, dismiss } as const;
});

/** What a person can do with a download that exists. */
type DownloadAction = 'pause' | 'resume' | 'cancel' | 'retry' | 'refresh';

/** A report of a period to fetch into the cache. */
export interface DownloadRequest {
  readonly connectionId: string;
  readonly report: ReportKind;
  readonly period: Period;
  /** Days fetched at a time of a detail; null for the period in one piece. */
  readonly sliceDays?: number | null;
}

const RANKS: Readonly<Record<Download['state'], number>> = {
  running: 0,
  waiting: 1,
  queued: 2,
  paused: 3,
  ended: 4,
};

/** The downloads that fill detail snapshots, of every connection; the tasks carry their progress. */
export const useDownloadsStore = defineStore('downloads', () => {
  const backend = useBackend();
  const bySnapshot = shallowRef<ReadonlyMap<number, Download>>(new Map());
  /** Why the last action failed; null once one succeeds or the failure is dismissed. */
  const failure = shallowRef<ErrorLike | null>(null);

  /** Not ended yet: running first, then in their order, paused ones last. */
  const pending = computed(() =>
    [...bySnapshot.value.values()]
      .filter(({ state }) => state !== 'ended')
      .sort((a, b) => RANKS[a.state] - RANKS[b.state] || a.queuedAtMs - b.queuedAtMs),
  );

  const reader = createListReader(
    () => backend.call('downloads/list', { connectionId: null }),
    (download: Download) => download.snapshotId,
  );
  backend.on('downloads/changed', put);
  backend.on('snapshots/removed', ({ snapshotIds }) => {
    for (const snapshotId of snapshotIds) reader.note(snapshotId, null);
    bySnapshot.value = new Map([...bySnapshot.value].filter(([id]) => !snapshotIds.includes(id)));
  });

  async function load(): Promise<void> {
    const downloads = await reader.read();
    bySnapshot.value = new Map(downloads.map((download) => [download.snapshotId, download]));
  }

  /** Starts fetching a report into the cache and resolves to the id of its snapshot. Rejects with the core's error. */
  async function start({ connectionId, report, period, sliceDays }: DownloadRequest): Promise<number> {
    if (isDetailKind(report)) {
      const input = { connectionId, report, period, ...(sliceDays === undefined ? {} : { sliceDays }) };
      return (await backend.call('downloads/start', input)).snapshotId;
    }
    const { direction } = REPORTS[report];
    return (await backend.call('summaries/start-fetch', { connectionId, direction, period })).snapshotId;
  }

  /** Downloads every period of the span that is not cached. Rejects with the core's error. */
  async function fetchGaps(span: Input<'downloads/fetch-gaps'>): Promise<void> {
    await backend.call('downloads/fetch-gaps', span);
  }

  /** Acts on each of the snapshots; the first failure is kept in `failure`, and does not keep back the others. */
  async function act(action: DownloadAction, snapshotIds: readonly number[]): Promise<void> {
    const calls = snapshotIds.map(async (snapshotId) => {
      const result = await backend.call(`downloads/${action}`, { snapshotId });
      if ('state' in result) put(result);
    });
    const failed = (await Promise.allSettled(calls)).find((call) => call.status === 'rejected');
    failure.value = failed === undefined ? null : toErrorLike(failed.reason);
  }

  function dismissFailure(): void {
    failure.value = null;
  }

  function put(download: Download): void {
    reader.note(download.snapshotId, download);
    bySnapshot.value = new Map(bySnapshot.value).set(download.snapshotId, download);
  }

  return { bySnapshot, pending, failure, load, start, fetchGaps, act, dismissFailure } as const;
});

/** What a person says about a file that is imported. */
type ImportChoice = Pick<Input<'imports/start'>, 'connectionId' | 'report' | 'complete'>;

/** A file that is at hand: one of the page, which the host must be given first, or one that the host knows. */
type FileAtHand = File | OfferedFile;

/** Imports into the Library: the dialog that starts them, and the newest of them. */
export const useImportsStore = defineStore('imports', () => {
  const backend = useBackend();
  const tasks = useTasksStore();
  const isOpen = ref(false);
  /** The file that was dropped on the window, chosen in the page, or opened; null where the host asks for it. */
  const file = shallowRef<FileAtHand | null>(null);
  /** The file that came while another was imported: its turn is when that is over. */
  const next = shallowRef<FileAtHand | null>(null);
  const taskId = ref<string | null>(null);
  /** Cancels the sending of a file to the host; null while none is sent. */
  const sending = shallowRef<(() => void) | null>(null);

  const task = computed(() => tasks.find(taskId.value));
  const isRunning = computed(
    () => sending.value !== null || task.value?.state === 'running' || task.value?.state === 'queued',
  );
  /** The page has to choose the file itself: the host of a browser has no dialog. */
  const choosesInPage = backend.upload !== undefined;

  /** Opens the dialog, for a file that is at hand or one that is still to be chosen. */
  function open(given: FileAtHand | null = null): void {
    isOpen.value = true;
    if (isRunning.value) next.value = given ?? next.value;
    else choose(given);
  }

  /** Closes the dialog, or goes on with the file that is next. */
  function close(): void {
    isOpen.value = next.value !== null && !isRunning.value;
    if (isOpen.value) choose(null);
  }

  /** Takes a file that was chosen in the page; null goes on with the one that waits, where one does. */
  function choose(given: FileAtHand | null): void {
    taskId.value = null;
    file.value = given ?? next.value;
    next.value = null;
  }

  /** Starts the import; does nothing when the person closed the host's dialog, or cancelled the sending. */
  async function start(choice: ImportChoice): Promise<void> {
    const given = file.value;
    const uploadId = given === null ? null : await identify(given);
    if (given !== null && uploadId === null) return;
    const started = await backend.call('imports/start', { ...choice, uploadId });
    if (started.taskId !== null) taskId.value = started.taskId;
  }

  /** Returns the host's id of a file; null when the person cancelled its sending. */
  async function identify(given: FileAtHand): Promise<string | null> {
    if (!(given instanceof File)) return given.uploadId;
    const controller = new AbortController();
    sending.value = () => controller.abort();
    try {
      return (await backend.offerFile?.(given, controller.signal)) ?? null;
    } catch (thrown) {
      if (controller.signal.aborted) return null;
      throw thrown;
    } finally {
      sending.value = null;
    }
  }

  async function cancel(): Promise<void> {
    sending.value?.();
    if (taskId.value !== null && isRunning.value) await tasks.cancel(taskId.value);
  }

  return {
    isOpen,
    file,
    next,
    task,
    sending,
    isRunning,
    choosesInPage,
    open,
    close,
    choose,
    start,
    cancel,
  } as const;
});

/** The state of the cache as a whole: its space, its health, what retention removed. */
export const useCacheStore = defineStore('cache', () => {
  const backend = useBackend();
  const downloads = useDownloadsStore();
  const snapshots = useSnapshotsStore();
  const state = shallowRef<CacheState | null>(null);

  backend.on('cache/changed', put);

  async function load(): Promise<void> {
    state.value = await backend.call('cache/read-state', null);
  }

  /** Tries to write again now; rejects with the core's error. */
  async function retry(): Promise<void> {
    put(await backend.call('cache/retry', null));
  }

  /** Returns unneeded space to the disk; resolves to its size in bytes. */
  async function reclaim(): Promise<number> {
    const { freedBytes } = await backend.call('cache/reclaim', null);
    await snapshots.loadStorage();
    return freedBytes;
  }

  function put(next: CacheState): void {
    const isReopened = state.value !== null && state.value.startedAtMs !== next.startedAtMs;
    state.value = next;
    if (isReopened) void Promise.all([snapshots.load(), downloads.load()]).catch(() => undefined);
  }

  return { state, load, retry, reclaim } as const;
});
