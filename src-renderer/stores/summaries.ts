import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import type { Period } from '../../src-main/common/model/period.ts';
import type { Snapshot } from '../../src-main/common/model/snapshot.ts';
import type { Summary } from '../../src-main/common/model/summary.ts';
import type { Direction } from '../../src-main/common/reporting/reports.ts';
import { useBackend } from '../backend/backend.ts';
import { runTask } from '../backend/run-task.ts';
import { toErrorLike, type ErrorLike } from '../messages/error-like.ts';

export interface LoadedSummary {
  readonly snapshot: Snapshot;
  readonly summary: Summary;
}

/** Both sources of the Summary screens. Responses that a newer call has overtaken are dropped. */
export const useSummariesStore = defineStore('summaries', () => {
  const backend = useBackend();
  const reported = shallowRef<LoadedSummary | null>(null);
  const cached = shallowRef<LoadedSummary | null>(null);
  const isFetching = ref(false);
  const readCount = ref(0);
  const fetchError = shallowRef<ErrorLike | null>(null);
  const readError = shallowRef<ErrorLike | null>(null);
  let fetching: AbortController | null = null;
  const tickets = { reported: 0, computed: 0, fetch: 0 };

  const isReading = computed(() => readCount.value > 0);

  /** Reads what a snapshot says of its groups: as the service reported them, or computed from cached records. */
  async function read(source: 'reported' | 'computed', snapshot: Snapshot | null): Promise<void> {
    const mine = ++tickets[source];
    const target = source === 'reported' ? reported : cached;
    if (snapshot === null) {
      target.value = null;
      return;
    }
    readCount.value += 1;
    try {
      const operation = source === 'reported' ? 'summaries/read' : 'summaries/compute';
      const summary = await backend.call(operation, { snapshotId: snapshot.id });
      if (mine !== tickets[source]) return;
      target.value = { snapshot, summary };
      readError.value = null;
    } catch (thrown) {
      if (mine === tickets[source]) readError.value = toErrorLike(thrown);
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
      const input = { connectionId, direction, period };
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
    readError.value = null;
  }

  return {
    reported,
    cached,
    isFetching,
    isReading,
    fetchError,
    readError,
    read,
    fetchReported,
    cancelFetch,
    clear,
  } as const;
});
