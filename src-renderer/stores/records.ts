import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import type {
  Facets,
  RecordFilter,
  RecordOrder,
  RecordRow,
  TimeBucket,
} from '../../src-main/common/model/record.ts';
import { useBackend } from '../backend/backend.ts';
import { toErrorLike, type ErrorLike } from '../messages/error-like.ts';

const HISTOGRAM_BUCKETS = 96;

export const DEFAULT_ORDER: RecordOrder = { column: 'dateMs', descending: true };

export interface OpenView {
  readonly viewId: string;
  readonly snapshotId: number;
  readonly filter: RecordFilter;
  readonly order: RecordOrder;
  readonly rowCount: number;
  readonly totalCount: number;
}

function withoutTimes(filter: RecordFilter): RecordFilter {
  const rest = { ...filter };
  delete rest.fromMs;
  delete rest.toMs;
  return rest;
}

function hasTimes(filter: RecordFilter): boolean {
  return filter.fromMs !== undefined || filter.toMs !== undefined;
}

/** The open view of the Detail screens, one at a time. Responses that a newer call has overtaken are dropped. */
export const useRecordsStore = defineStore('records', () => {
  const backend = useBackend();
  const view = shallowRef<OpenView | null>(null);
  const facets = shallowRef<Facets | null>(null);
  const histogram = shallowRef<readonly TimeBucket[]>([]);
  const error = shallowRef<ErrorLike | null>(null);
  let ticket = 0;

  function release(viewId: string): void {
    // The core may have closed the view already.
    backend.call('records/close-view', { viewId }).catch(() => undefined);
  }

  async function readHistogram(opened: OpenView, mine: number): Promise<void> {
    if (!hasTimes(opened.filter)) {
      const answer = await backend.call('records/read-histogram', {
        viewId: opened.viewId,
        buckets: HISTOGRAM_BUCKETS,
      });
      if (mine === ticket) histogram.value = answer;
      return;
    }
    // With a span of time selected, the histogram still shows the whole period around it.
    const { snapshotId, order } = opened;
    const filter = withoutTimes(opened.filter);
    const around = await backend.call('records/open-view', { snapshotId, filter, order });
    try {
      const answer = await backend.call('records/read-histogram', {
        viewId: around.viewId,
        buckets: HISTOGRAM_BUCKETS,
      });
      if (mine === ticket) histogram.value = answer;
    } finally {
      release(around.viewId);
    }
  }

  async function readFacets(snapshotId: number, mine: number): Promise<void> {
    const answer = await backend.call('records/read-facets', { snapshotId });
    if (mine === ticket) facets.value = answer;
  }

  /** Opens a view and closes the one before. */
  async function open(snapshotId: number, filter: RecordFilter, order: RecordOrder): Promise<void> {
    const mine = ++ticket;
    const previous = view.value;
    if (previous !== null && previous.snapshotId !== snapshotId) {
      view.value = null;
      facets.value = null;
      histogram.value = [];
      release(previous.viewId);
    }
    try {
      const answer = await backend.call('records/open-view', { snapshotId, filter, order });
      if (mine !== ticket) {
        release(answer.viewId);
        return;
      }
      const opened: OpenView = { ...answer, snapshotId, filter, order };
      view.value = opened;
      error.value = null;
      if (previous?.snapshotId === snapshotId) release(previous.viewId);
      await Promise.all([readHistogram(opened, mine), readFacets(snapshotId, mine)]);
    } catch (thrown) {
      if (mine === ticket) error.value = toErrorLike(thrown);
    }
  }

  /** Reads rows [start, end) of a view; resolves to null when it is not, or no longer, the open one. */
  async function readRows(viewId: string, start: number, end: number): Promise<readonly RecordRow[] | null> {
    if (view.value?.viewId !== viewId) return null;
    try {
      const rows = await backend.call('records/read-rows', { viewId, offset: start, limit: end - start });
      return isOpen(viewId) ? rows : null;
    } catch (thrown) {
      const current = view.value;
      if (!isOpen(viewId)) return null;
      const failure = toErrorLike(thrown);
      // The core closes views that were not used for long, and all of them when it restarts.
      if (failure.code === 'cache.view-closed') await open(current.snapshotId, current.filter, current.order);
      else error.value = failure;
      return null;
    }
  }

  function isOpen(viewId: string): boolean {
    return view.value?.viewId === viewId;
  }

  function close(): void {
    ticket += 1;
    if (view.value !== null) release(view.value.viewId);
    view.value = null;
    facets.value = null;
    histogram.value = [];
    error.value = null;
  }

  return { view, facets, histogram, error, open, readRows, close } as const;
});
