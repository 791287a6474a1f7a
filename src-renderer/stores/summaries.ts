import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import type { Period } from '../../src-main/common/model/period.ts';
import type { Snapshot } from '../../src-main/common/model/snapshot.ts';
import type { Summary } from '../../src-main/common/model/summary.ts';
import { useBackend } from '../backend/backend.ts';
import type { ErrorLike } from '../messages/error-like.ts';
import { toErrorLike } from '../messages/error-like.ts';

interface Loaded {
  readonly snapshot: Snapshot;
  readonly summary: Summary;
}

/** Both sources of the Summary screens. Answers that come too late are dropped, never shown. */
export const useSummariesStore = defineStore('summaries', () => {
  const backend = useBackend();
  const reported = shallowRef<Loaded | null>(null);
  const computedSummary = shallowRef<Loaded | null>(null);
  const fetching = ref(false);
  const reading = ref(0);
  const fetchError = shallowRef<ErrorLike | null>(null);
  const readError = shallowRef<ErrorLike | null>(null);
  const tickets = { reported: 0, computed: 0, fetch: 0 };

  async function read(source: 'reported' | 'computed', snapshot: Snapshot | null): Promise<void> {
    const mine = ++tickets[source];
    const target = source === 'reported' ? reported : computedSummary;
    if (snapshot === null) {
      target.value = null;
      return;
    }
    reading.value += 1;
    try {
      const operation = source === 'reported' ? 'summaries/read' : 'summaries/compute';
      const summary = await backend.call(operation, { snapshotId: snapshot.id });
      if (mine !== tickets[source]) return;
      target.value = { snapshot, summary };
      readError.value = null;
    } catch (thrown) {
      if (mine === tickets[source]) readError.value = toErrorLike(thrown);
    } finally {
      reading.value -= 1;
    }
  }

  /** Asks the service; the answer's snapshot, or null when that failed or another call came after. */
  async function fetchReported(
    connectionId: string,
    direction: 'inbound' | 'outbound',
    period: Period,
  ): Promise<Snapshot | null> {
    const mine = ++tickets.fetch;
    fetching.value = true;
    try {
      const snapshot = await backend.call('summaries/fetch', { connectionId, direction, period });
      if (mine !== tickets.fetch) return null;
      fetchError.value = null;
      return snapshot;
    } catch (thrown) {
      if (mine === tickets.fetch) fetchError.value = toErrorLike(thrown);
      return null;
    } finally {
      if (mine === tickets.fetch) fetching.value = false;
    }
  }

  /** Forgets everything, for another connection, direction or period. */
  function clear(): void {
    tickets.reported += 1;
    tickets.computed += 1;
    tickets.fetch += 1;
    reported.value = null;
    computedSummary.value = null;
    fetching.value = false;
    fetchError.value = null;
    readError.value = null;
  }

  return {
    reported: computed(() => reported.value),
    computed: computed(() => computedSummary.value),
    fetching: computed(() => fetching.value),
    reading: computed(() => reading.value > 0),
    fetchError: computed(() => fetchError.value),
    readError: computed(() => readError.value),
    read,
    fetchReported,
    clear,
  };
});
