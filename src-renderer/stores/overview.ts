import { useThrottleFn } from '@vueuse/core';
import { defineStore } from 'pinia';
import { ref, shallowRef } from 'vue';
import type { Output } from '../../src-main/common/contract/index.ts';
import { useBackend } from '../backend/backend.ts';
import { toErrorLike, type ErrorLike } from '../messages/error-like.ts';

const BUCKETS = 48;
const BUCKET_MS = 1_800_000;
/** Counting a day of records takes a while: it must not be repeated with every page of a running download. */
const RELOAD_INTERVAL_MS = 4000;

/** Volume of one connection over the last 24 hours, from the cache. */
export const useOverviewStore = defineStore('overview', () => {
  const backend = useBackend();
  const connectionId = ref<string | null>(null);
  const volume = shallowRef<Output<'overview/read-volume'> | null>(null);
  const error = shallowRef<ErrorLike | null>(null);
  let readSpanEndMs: () => number = Date.now;
  let shownEndMs = 0;

  /** Shows another connection, or the same one again. `readEndMs` returns the end of the span as of now. */
  async function open(id: string, readEndMs: () => number): Promise<void> {
    if (id !== connectionId.value) {
      connectionId.value = id;
      volume.value = null;
    }
    readSpanEndMs = readEndMs;
    await reload();
  }

  async function reload(): Promise<void> {
    const id = connectionId.value;
    if (id === null) return;
    const toMs = readSpanEndMs();
    shownEndMs = toMs;
    try {
      const newVolume = await backend.call('overview/read-volume', {
        connectionId: id,
        fromMs: toMs - BUCKETS * BUCKET_MS,
        toMs,
        buckets: BUCKETS,
      });
      if (connectionId.value !== id) return;
      volume.value = newVolume;
      error.value = null;
    } catch (cause) {
      if (connectionId.value === id) error.value = toErrorLike(cause);
    }
  }

  /** Reloads after changes of the cache and new samples; the returned function stops that. */
  function follow(): () => void {
    let isFollowing = true;
    const reloadSoon = useThrottleFn(
      () => {
        if (isFollowing) void reload();
      },
      RELOAD_INTERVAL_MS,
      true,
    );
    const stops = [
      backend.on('snapshots/changed', (snapshot) => {
        if (snapshot.connectionId === connectionId.value) void reloadSoon();
      }),
      backend.on('snapshots/removed', () => void reloadSoon()),
      backend.on('status/checked', (sample) => {
        // A sample changes nothing in the cache, but time moves on.
        if (sample.connectionId === connectionId.value && readSpanEndMs() !== shownEndMs) void reloadSoon();
      }),
    ];
    return () => {
      isFollowing = false;
      for (const stop of stops) stop();
    };
  }

  return { connectionId, volume, error, open, reload, follow } as const;
});
