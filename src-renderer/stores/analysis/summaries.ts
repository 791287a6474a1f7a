import { defineStore } from 'pinia';
import { computed, ref, shallowRef, type ShallowRef } from 'vue';
import type { Period } from '../../../src-main/common/model/period.ts';
import type { PeriodScope } from '../../../src-main/common/model/records/record-scope.ts';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import type { Summary } from '../../../src-main/common/model/records/summary.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { useBackend } from '../../backend/backend.ts';
import { runTask } from '../../backend/run-task.ts';
import { toErrorLike, type ErrorLike } from '../../messages/error-like.ts';

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
  const reported = shallowRef<ReportedSummary | null>(null);
  const cached = shallowRef<ComputedSummary | null>(null);
  const isFetching = ref(false);
  const readCount = ref(0);
  const fetchError = shallowRef<ErrorLike | null>(null);
  /** Why a source could not be read last; neither takes that of the other away. */
  const reportedError = shallowRef<ErrorLike | null>(null);
  const computedError = shallowRef<ErrorLike | null>(null);
  /** What was fetched last, and of what: the way back leads to it. */
  const seen = shallowRef<SeenSummary | null>(null);
  let fetching: AbortController | null = null;
  const tickets = { reported: 0, computed: 0, fetch: 0 };

  const isReading = computed(() => readCount.value > 0);

  /** Reads the groups that the service reported in a snapshot. */
  async function readReported(snapshot: Snapshot | null): Promise<void> {
    const mine = ++tickets.reported;
    if (snapshot === null) {
      reported.value = null;
      reportedError.value = null;
      return;
    }
    await attempt(
      reportedError,
      async () => {
        const summary = await backend.call('summaries/read', { snapshotId: snapshot.id });
        if (mine === tickets.reported) reported.value = { snapshot, summary };
      },
      () => mine === tickets.reported,
    );
  }

  /** Computes the groups from everything cached of a period. */
  async function compute(scope: PeriodScope | null): Promise<void> {
    const mine = ++tickets.computed;
    if (scope === null) {
      cached.value = null;
      computedError.value = null;
      return;
    }
    await attempt(
      computedError,
      async () => {
        const summary = await backend.call('summaries/compute', scope);
        if (mine === tickets.computed) cached.value = { scope, summary };
      },
      () => mine === tickets.computed,
    );
  }

  async function attempt(
    error: ShallowRef<ErrorLike | null>,
    read: () => Promise<void>,
    isWanted: () => boolean,
  ): Promise<void> {
    readCount.value += 1;
    try {
      await read();
      if (isWanted()) error.value = null;
    } catch (thrown) {
      if (isWanted()) error.value = toErrorLike(thrown);
    } finally {
      readCount.value -= 1;
    }
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
    const mine = ++tickets.fetch;
    cancelFetch();
    fetching = new AbortController();
    isFetching.value = true;
    try {
      const input = { connectionId, direction, period, isLook: true };
      const { snapshotId } = await runTask(backend, 'summaries/start-fetch', input, fetching.signal);
      if (mine !== tickets.fetch || snapshotId === null) return null;
      const snapshot = await backend.call('snapshots/get', { snapshotId });
      if (mine !== tickets.fetch) return null;
      fetchError.value = null;
      return snapshot;
    } catch (thrown) {
      if (mine === tickets.fetch) fetchError.value = toErrorLike(thrown);
      return null;
    } finally {
      if (mine === tickets.fetch) isFetching.value = false;
    }
  }

  /** Stops the request that is under way; `fetchError` then says that it was cancelled. */
  function cancelFetch(): void {
    fetching?.abort();
  }

  /** Forgets everything, for another connection, direction or period. */
  function clear(): void {
    tickets.reported += 1;
    tickets.computed += 1;
    tickets.fetch += 1;
    reported.value = null;
    cached.value = null;
    isFetching.value = false;
    fetchError.value = null;
    reportedError.value = null;
    computedError.value = null;
  }

  return {
    seen,
    keepSeen: (next: SeenSummary) => (seen.value = next),
    reported,
    cached,
    isFetching,
    isReading,
    fetchError,
    reportedError,
    computedError,
    readReported,
    compute,
    fetchReported,
    cancelFetch,
    clear,
  } as const;
});
