import { useThrottleFn } from '@vueuse/core';
import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import type { Output } from '../../../src-main/common/contract/index.ts';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import type { Period } from '../../../src-main/common/model/period.ts';
import type { Summary } from '../../../src-main/common/model/records/histogram.ts';
import type { PeriodScope } from '../../../src-main/common/model/records/record-filter.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { oneAtATime, runTask, useBackend } from '../../backend/backend.ts';
import type { ColourMemory } from '../../charts/histogram/histogram-bars.ts';
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

export interface ReportedSummary {
  readonly snapshot: Snapshot;
  readonly summary: Summary;
}

/** What was computed from everything cached of a period. */
export interface ComputedSummary {
  readonly scope: PeriodScope;
  readonly summary: Summary;
}

interface SeenSummary {
  readonly subject: string;
  readonly atMs: number;
  readonly snapshot: Snapshot;
}

/** Both sources of the Summary screens. Responses that a newer call has overtaken are dropped. */
export const useSummariesStore = defineStore('summaries', () => {
  const backend = useBackend();
  // Why a source could not be read last takes nothing of the other away.
  const ofReport = createReading<ReportedSummary>();
  const ofCache = createReading<ComputedSummary>();
  const fetched = createReading<Snapshot>();
  /** What was fetched last, and of what: the way back leads to it. */
  const seen = shallowRef<SeenSummary | null>(null);
  let fetching: AbortController | null = null;
  const isReading = computed(() => ofReport.isReading.value || ofCache.isReading.value);

  /** Reads the groups that the service reported in a snapshot. */
  async function readReported(snapshot: Snapshot | null): Promise<void> {
    if (snapshot === null) ofReport.clear();
    else
      await ofReport.ask(async () => ({
        snapshot,
        summary: await backend.call('summaries/read', { snapshotId: snapshot.id }),
      }));
  }

  /** Computes the groups from everything cached of a period. */
  async function compute(scope: PeriodScope | null): Promise<void> {
    if (scope === null) ofCache.clear();
    else await ofCache.ask(async () => ({ scope, summary: await backend.call('summaries/compute', scope) }));
  }

  /**
   * Fetches a summary from the service, in place of one that is being fetched; resolves to its snapshot, or to null
   * after a failure or a newer call.
   */
  async function fetchReported(
    connectionId: string,
    direction: Direction,
    period: Period,
  ): Promise<Snapshot | null> {
    cancelFetch();
    const controller = new AbortController();
    fetching = controller;
    const isNewest = await fetched.ask(async (signal) => {
      const input = { connectionId, direction, period, isLook: true };
      const { snapshotId } = await runTask(backend, 'summaries/start-fetch', input, controller.signal);
      return snapshotId === null || signal.aborted ? null : backend.call('snapshots/get', { snapshotId });
    });
    return isNewest ? fetched.value.value : null;
  }

  /** Stops the request that is under way; `fetchError` then says that it was cancelled. */
  function cancelFetch(): void {
    fetching?.abort();
  }

  /** Forgets everything, for another connection, direction or period. */
  function clear(): void {
    ofReport.clear();
    ofCache.clear();
    fetched.clear();
  }

  return {
    seen,
    keepSeen: (next: SeenSummary) => (seen.value = next),
    reported: ofReport.value,
    cached: ofCache.value,
    isFetching: fetched.isReading,
    isReading,
    fetchError: fetched.error,
    reportedError: ofReport.error,
    computedError: ofCache.error,
    readReported,
    compute,
    fetchReported,
    cancelFetch,
    clear,
  } as const;
});

type Comparison = Output<'snapshots/compare'>;
type ChangeCounts = Pick<Comparison, 'unchanged' | 'added' | 'removed' | 'changed'>;

export interface RefreshedPair {
  readonly older: Snapshot;
  readonly newer: Snapshot;
}

/** Pairs of more records are compared only where somebody asks for it. */
const MAX_RECORDS = 500_000;

/** Whether comparing a pair takes so long that it isn't done by itself. */
export function isLargePair({ older, newer }: RefreshedPair): boolean {
  return older.recordCount + newer.recordCount > MAX_RECORDS;
}

function toKey({ older, newer }: RefreshedPair): string {
  return [older, newer].flatMap(({ id, recordCount, reading }) => [id, recordCount, reading]).join(' ');
}

/** What refreshing changed in reports; each pair is compared once while the window is open. */
export const useComparisonsStore = defineStore('comparisons', () => {
  const backend = useBackend();
  const results = shallowRef<ReadonlyMap<string, ChangeCounts | null>>(new Map());
  let running: Promise<void> = Promise.resolve();

  /** Null as long as it isn't known. */
  function find(pair: RefreshedPair): ChangeCounts | null {
    return results.value.get(toKey(pair)) ?? null;
  }

  /** Compares what is not compared yet, one pair after another. */
  function compare(pairs: readonly RefreshedPair[]): void {
    for (const pair of pairs) {
      const key = toKey(pair);
      if (results.value.has(key) || isLargePair(pair)) continue;
      results.value = new Map(results.value).set(key, null);
      running = running.then(() => compareOne(key, pair));
    }
  }

  async function compareOne(key: string, { older, newer }: RefreshedPair): Promise<void> {
    try {
      const found = await backend.call('snapshots/compare', { olderId: older.id, newerId: newer.id });
      results.value = new Map(results.value).set(key, found);
    } catch {
      // One of them may be deleted meanwhile; the details say why when they are opened.
    }
  }

  return { find, compare } as const;
});

/** The colours that channels and services were given in charts: each keeps its own while the window is open. */
export const useSeriesColoursStore = defineStore('series-colours', () => {
  const memories = new Map<string, ColourMemory>();

  /** Returns what is remembered of a field of a connection. */
  function remember(connectionId: string, field: string): ColourMemory {
    const key = `${field} ${connectionId}`;
    const memory = memories.get(key) ?? new Map<string, number>();
    memories.set(key, memory);
    return memory;
  }

  return { remember } as const;
});
