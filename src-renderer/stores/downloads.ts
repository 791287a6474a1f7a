import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { Download } from '../../src-main/common/model/download.ts';
import { useBackend } from '../backend/backend.ts';
import { toErrorLike, type ErrorLike } from '../messages/error-like.ts';

/** What a person can do about a download that exists. */
export type DownloadAction = 'pause' | 'resume' | 'cancel' | 'retry';

const RANKS: Readonly<Record<Download['state'], number>> = {
  running: 0,
  waiting: 1,
  queued: 2,
  paused: 3,
  ended: 4,
};

/** The downloads that fill detail snapshots, of every connection; their progress is told by the tasks. */
export const useDownloadsStore = defineStore('downloads', () => {
  const backend = useBackend();
  const bySnapshot = shallowRef<ReadonlyMap<number, Download>>(new Map());
  /** Why the last action did not work; null after the next one that does. */
  const failure = shallowRef<ErrorLike | null>(null);

  /** Not over yet: at work first, then in their order, paused ones last. */
  const pending = computed(() =>
    [...bySnapshot.value.values()]
      .filter(({ state }) => state !== 'ended')
      .sort((a, b) => RANKS[a.state] - RANKS[b.state] || a.queuedAtMs - b.queuedAtMs),
  );

  async function load(): Promise<void> {
    const downloads = await backend.call('downloads/list', { connectionId: null });
    bySnapshot.value = new Map(downloads.map((download) => [download.snapshotId, download]));
  }

  /** Reads the downloads and keeps listening; the answer stops that. */
  async function start(): Promise<() => void> {
    const stops = [
      backend.on('downloads/changed', put),
      backend.on('snapshots/removed', ({ snapshotIds }) => {
        bySnapshot.value = new Map([...bySnapshot.value].filter(([id]) => !snapshotIds.includes(id)));
      }),
    ];
    await load();
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** Does it for each of the snapshots; the first failure is kept in `failure`, the others are done all the same. */
  async function act(action: DownloadAction | 'refresh', snapshotIds: readonly number[]): Promise<void> {
    const calls = snapshotIds.map(async (snapshotId) => {
      const answer = await backend.call(`downloads/${action}`, { snapshotId });
      if ('state' in answer) put(answer);
    });
    const failed = (await Promise.allSettled(calls)).find((call) => call.status === 'rejected');
    failure.value = failed === undefined ? null : toErrorLike(failed.reason);
  }

  function put(download: Download): void {
    bySnapshot.value = new Map(bySnapshot.value).set(download.snapshotId, download);
  }

  return { bySnapshot, pending, failure, load, start, act };
});
