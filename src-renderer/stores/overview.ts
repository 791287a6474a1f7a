import { defineStore } from 'pinia';
import { ref, shallowRef } from 'vue';
import type { Output } from '../../src-main/common/contract/index.ts';
import { useBackend } from '../backend/backend.ts';
import { toErrorLike, type ErrorLike } from '../messages/error-like.ts';
import { throttle } from './throttle.ts';

const BUCKETS = 48;
const BUCKET_MS = 1_800_000;
/** Counting a day of records takes a while: a running download must not ask for it with every page. */
const RELOAD_INTERVAL_MS = 4000;

/** Volume and attention of one connection over the last 24 hours, from the cache. */
export const useOverviewStore = defineStore('overview', () => {
  const backend = useBackend();
  const connectionId = ref<string | null>(null);
  const volume = shallowRef<Output<'overview/read-volume'> | null>(null);
  const attention = shallowRef<Output<'overview/read-attention'> | null>(null);
  const error = shallowRef<ErrorLike | null>(null);
  let toEndMs: () => number = () => Date.now();
  let shownEndMs = 0;

  /** Shows another connection, or the same one again. `endOf` gives the end of the span at that moment. */
  async function open(id: string, endOf: () => number): Promise<void> {
    if (id !== connectionId.value) {
      connectionId.value = id;
      volume.value = null;
      attention.value = null;
    }
    toEndMs = endOf;
    await reload();
  }

  async function reload(): Promise<void> {
    const id = connectionId.value;
    if (id === null) return;
    const toMs = toEndMs();
    shownEndMs = toMs;
    try {
      const [newVolume, newAttention] = await Promise.all([
        backend.call('overview/read-volume', {
          connectionId: id,
          fromMs: toMs - BUCKETS * BUCKET_MS,
          toMs,
          buckets: BUCKETS,
        }),
        backend.call('overview/read-attention', { connectionId: id }),
      ]);
      if (connectionId.value !== id) return;
      volume.value = newVolume;
      attention.value = newAttention;
      error.value = null;
    } catch (cause) {
      if (connectionId.value === id) error.value = toErrorLike(cause);
    }
  }

  /** Follows changes of the cache and new samples; the answer stops it. */
  function follow(): () => void {
    const reloadSoon = throttle(() => void reload(), RELOAD_INTERVAL_MS);
    const stops = [
      backend.on('snapshots/changed', (snapshot) => {
        if (snapshot.connectionId === connectionId.value) reloadSoon();
      }),
      backend.on('snapshots/removed', reloadSoon),
      backend.on('status/checked', (sample) => {
        // A sample changes nothing in the cache, but time moves on.
        if (sample.connectionId === connectionId.value && toEndMs() !== shownEndMs) reloadSoon();
      }),
    ];
    return () => {
      reloadSoon.cancel();
      for (const stop of stops) stop();
    };
  }

  return { connectionId, volume, attention, error, open, reload, follow };
});
