import { useThrottleFn } from '@vueuse/core';
import { defineStore } from 'pinia';
import { ref, shallowRef } from 'vue';
import type { Output } from '../../../src-main/common/contract/index.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { useBackend, oneAtATime } from '../../backend/backend.ts';
import { createReading } from '../../composables/use-query.ts';

/** Counting a day of records takes a while: it must not be repeated with every page of a running download. */
const RELOAD_INTERVAL_MS = 4000;

/** Equal buckets of a span. */
export interface VolumeSpan extends TimeSpan {
  readonly buckets: number;
}

const NO_SPAN: VolumeSpan = { fromMs: 0, toMs: 0, buckets: 1 };

/** Volume of one connection over a period, from the cache. */
export const useOverviewStore = defineStore('overview', () => {
  const backend = useBackend();
  const connectionId = ref<string | null>(null);
  const { value: volume, error, ask, clear } = createReading<Output<'overview/read-volume'>>();
  /** When it was read; null before it was. */
  const readAtMs = shallowRef<number | null>(null);
  let readSpan: () => VolumeSpan = () => NO_SPAN;
  let shown = NO_SPAN;

  /** Shows another connection or period, or the same ones again. `readNext` returns the span as of now. */
  async function open(id: string, readNext: () => VolumeSpan): Promise<void> {
    const next = readNext();
    if (id !== connectionId.value || !isSameSpan(next, shown)) {
      connectionId.value = id;
      readAtMs.value = null;
      clear();
    }
    readSpan = readNext;
    await reload();
  }

  async function reload(): Promise<void> {
    const id = connectionId.value;
    if (id === null) return;
    shown = readSpan();
    const isRead = await ask(() => backend.call('overview/read-volume', { connectionId: id, ...shown }));
    if (isRead) readAtMs.value = Date.now();
  }

  /** Reloads after changes of the cache and new samples; the returned function stops that. */
  function follow(): () => void {
    let isFollowing = true;
    const reloadOnce = oneAtATime(reload);
    const reloadSoon = useThrottleFn(
      () => {
        if (isFollowing) void reloadOnce();
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
        // A sample changes nothing in the cache, but time moves on, and what failed may succeed by now.
        const isDue = error.value !== null || readSpan().toMs !== shown.toMs;
        if (sample.connectionId === connectionId.value && isDue) void reloadSoon();
      }),
    ];
    return () => {
      isFollowing = false;
      for (const stop of stops) stop();
    };
  }

  return { connectionId, volume, readAtMs, error, open, reload, follow } as const;
});

function isSameSpan(a: VolumeSpan, b: VolumeSpan): boolean {
  return a.fromMs === b.fromMs && a.toMs === b.toMs && a.buckets === b.buckets;
}
