import { watchThrottled } from '@vueuse/core';
import { computed, shallowRef, watch } from 'vue';
import type { Output } from '../../src-main/common/contract/index.ts';
import type { PeriodScope } from '../../src-main/common/model/record-scope.ts';
import { useBackend } from '../backend/backend.ts';
import { useDownloadsStore } from '../stores/downloads.ts';
import { useSnapshotsStore } from '../stores/snapshots.ts';
import { useAttempt } from './use-attempt.ts';

type Gap = Output<'snapshots/read-coverage'>['gaps'][number];

const RELOAD_INTERVAL_MS = 1000;

/**
 * What passes while a period is fetched that ends now. It can't be fetched away: the period has moved on by as much when
 * it has been.
 */
const MAX_TAIL_MS = 10_000;

/**
 * What of a period is not cached, kept up to date, and the way to fetch just that. Of a period that ends now
 * (`endsNow`), the last seconds are no gap: `cachedUntilMs` says where the cache ends.
 */
export function usePeriodCoverage(readScope: () => PeriodScope | null, endsNow: () => boolean = () => false) {
  const backend = useBackend();
  const snapshots = useSnapshotsStore();
  const downloads = useDownloadsStore();
  const { isRunning: isFetching, error, attempt } = useAttempt();
  /** Null until it is known. Records that have only not settled yet are there, and so are no gaps. */
  const found = shallowRef<{ readonly gaps: readonly Gap[]; readonly toMs: number } | null>(null);
  const tail = computed<Gap | null>(() => {
    const last = found.value?.gaps.at(-1);
    if (last === undefined || !endsNow() || last.toMs !== found.value?.toMs) return null;
    return last.state === 'missing' && last.toMs - last.fromMs <= MAX_TAIL_MS ? last : null;
  });
  const gaps = computed(() => found.value?.gaps.filter((gap) => gap !== tail.value) ?? null);
  let ticket = 0;

  const missingMs = computed(() =>
    (gaps.value ?? []).reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0),
  );

  async function load(): Promise<void> {
    const mine = ++ticket;
    const scope = readScope();
    const read =
      scope === null ? null : await backend.call('snapshots/read-coverage', { ...scope, buckets: 1 });
    if (mine !== ticket) return;
    found.value =
      read === null || scope === null
        ? null
        : { gaps: read.gaps.filter(({ state }) => state !== 'open'), toMs: scope.toMs };
  }
  // Without its gaps a period is shown as what is known of it: nothing is claimed.
  const loadQuietly = (): Promise<void> => load().catch(() => undefined);

  async function fetchGaps(): Promise<void> {
    const scope = readScope();
    if (scope === null) return;
    await attempt(() => downloads.fetchGaps({ ...scope, toMs: scope.toMs - 1000 }));
  }

  watch(() => JSON.stringify(readScope()), loadQuietly, { immediate: true });
  watchThrottled(() => snapshots.snapshots, loadQuietly, { throttle: RELOAD_INTERVAL_MS });

  return {
    isKnown: computed(() => gaps.value !== null),
    gaps: computed(() => gaps.value ?? []),
    missingMs,
    /** Where the cache ends although the period goes on for a few seconds; null where it doesn't. */
    cachedUntilMs: computed(() => tail.value?.fromMs ?? null),
    isFetching,
    error,
    fetchGaps,
  };
}
