import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { Period } from '../../../src-main/common/model/period.ts';
import type { PeriodScope } from '../../../src-main/common/model/records/record-scope.ts';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import type { Summary } from '../../../src-main/common/model/records/summary.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { useBackend } from '../../backend/backend.ts';
import { runTask } from '../../backend/run-task.ts';
import { createReading } from '../../composables/use-query.ts';

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
