import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { Histogram } from '../../../src-main/common/model/records/histogram.ts';
import type {
  Facets,
  RecordDetail,
  RecordOrder,
  RecordRow,
} from '../../../src-main/common/model/records/record.ts';
import type { RecordFilter, RecordScope } from '../../../src-main/common/model/records/record-filter.ts';
import { listLeaves, withoutChosenTimes } from '../../../src-main/common/query/filter-tree.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { useBackend } from '../../backend/backend.ts';
import { toErrorLike, type ErrorLike } from '../../messages/error-like.ts';
import type { FoundPaths } from '../../../src-main/common/model/records/body-path.ts';
import { createReading } from '../../composables/use-query.ts';

/** Most buckets of a chart over time. */
export const MAX_CHART_BUCKETS = 96;

export const DEFAULT_ORDER: RecordOrder = [{ column: 'dateMs', descending: true }];

/** Which records are wanted, and the span and the clock that they are charted over. */
export interface RecordQuestion {
  readonly scope: RecordScope;
  readonly filter: RecordFilter;
  readonly order: RecordOrder;
  /** The period of the chart, [fromMs, toMs). */
  readonly span: TimeSpan;
  /** The whole period, which the filter may narrow; absent where it is the same. */
  readonly whole?: TimeSpan;
  readonly zone: string;
  /** The same for the same choice of records, also where its period has moved on; absent where it can't. */
  readonly subject?: string | undefined;
  /** Changes with what is stored of the scope. */
  readonly stored?: string;
}

/** How the records are charted. */
interface ChartShape {
  readonly split: Histogram['split'];
  readonly withMedian: boolean;
  /** Also what lies before and after the time that the filter chooses. */
  readonly isWhole?: boolean;
}

export interface OpenView extends RecordQuestion {
  readonly viewId: string;
  readonly rowCount: number;
  /** False while a search goes on: `rowCount` is what it has found so far. */
  readonly isCounted: boolean;
  readonly totalCount: number;
}

/** The open view of the Detail screens, one at a time. Responses that a newer call has overtaken are dropped. */
export const useRecordsStore = defineStore('records', () => {
  const backend = useBackend();
  const view = shallowRef<OpenView | null>(null);
  const facets = shallowRef<Facets | null>(null);
  /** The view that the facets count. */
  const countedViewId = shallowRef<string | null>(null);
  /** Facets and number of rows of one view; null while the facets are those of the view before. */
  const counts = computed(() => {
    if (facets.value === null || view.value?.viewId !== countedViewId.value || !view.value.isCounted)
      return null;
    return { facets: facets.value, rowCount: view.value.rowCount };
  });
  const histogram = shallowRef<Histogram | null>(null);
  /** Why the chart is missing; the rows are there without it. */
  const chartError = shallowRef<ErrorLike | null>(null);
  const error = shallowRef<ErrorLike | null>(null);
  /** The records of another filter are on their way: those of the one before, and their number, are still shown. */
  const isFiltering = shallowRef(false);
  /** The filter that the chart is of. */
  const chartedFilter = shallowRef<RecordFilter | null>(null);
  /** The chart is that of another filter than the one that is asked for. */
  const isChartStale = computed(() => {
    if (histogram.value === null || chartedFilter.value === null || view.value === null) return false;
    return isFiltering.value || !isSameFilter(chartedFilter.value, view.value.filter);
  });
  let ticket = 0;
  /** The last call of `open` that has ended. */
  let openedTicket = 0;
  let chart: ChartShape | null = { split: 'class', withMedian: false };

  function release(viewId: string): void {
    // The core may have closed the view already.
    backend.call('records/close-view', { viewId }).catch(() => undefined);
  }

  /** Of the view's own records: more may have arrived since it was opened, and its figures stand side by side. */
  async function readHistogram(opened: OpenView, mine: number): Promise<void> {
    const { viewId, scope, filter, zone } = opened;
    const own = chart;
    if (chart === null) return;
    const { split, withMedian, isWhole = false } = chart;
    const span = isWhole ? (opened.whole ?? opened.span) : opened.span;
    const isWanted = (): boolean => mine === ticket && own === chart;
    try {
      const found = await backend.call('records/read-histogram', {
        viewId,
        scope,
        filter: isWhole ? withoutChosenTimes(filter) : filter,
        ...span,
        split,
        withMedian,
        zone,
        maxBuckets: MAX_CHART_BUCKETS,
      });
      if (!isWanted()) return;
      histogram.value = found;
      chartedFilter.value = filter;
      chartError.value = null;
    } catch (thrown) {
      if (!isWanted()) return;
      histogram.value = null;
      chartError.value = toErrorLike(thrown);
    }
  }

  async function readFacets({ viewId, scope, filter }: OpenView, mine: number): Promise<void> {
    const found = await backend.call('records/read-facets', { viewId, scope, filter });
    if (mine !== ticket) return;
    facets.value = found;
    countedViewId.value = viewId;
  }

  /** Waits for the end of a search; the rows that it has found are shown meanwhile. */
  async function countRows({ viewId, isCounted }: Pick<OpenView, 'viewId' | 'isCounted'>): Promise<void> {
    if (isCounted) return;
    const { rowCount } = await backend.call('records/count-view', { viewId });
    if (isOpen(viewId) && view.value !== null) view.value = { ...view.value, rowCount, isCounted: true };
  }

  /** Opens a view and closes the one before. */
  async function open(question: RecordQuestion): Promise<void> {
    const mine = ++ticket;
    const previous = view.value;
    const isOther = previous !== null && !isSameSource(previous.scope, question.scope);
    isFiltering.value = previous !== null && !isOther && !isSameFilter(previous.filter, question.filter);
    if (isOther) {
      view.value = null;
      facets.value = null;
      histogram.value = null;
    }
    // A search that is no longer wanted gives its time to the next one; its rows stay on screen until that has some.
    const isLeft = isOther || previous?.isCounted === false;
    if (previous !== null && isLeft) release(previous.viewId);
    try {
      const { scope, filter, order } = question;
      const opened = await backend.call('records/open-view', { scope, filter, order });
      if (mine !== ticket) {
        release(opened.viewId);
        return;
      }
      const current = { ...question, ...opened };
      view.value = current;
      openedTicket = mine;
      isFiltering.value = false;
      error.value = null;
      if (previous !== null && !isLeft) release(previous.viewId);
      await Promise.all([countRows(opened), readHistogram(current, mine), readFacets(current, mine)]);
    } catch (thrown) {
      if (mine !== ticket) return;
      openedTicket = mine;
      isFiltering.value = false;
      error.value = toErrorLike(thrown);
    }
  }

  /** Draws the records that are open in another way; null where another chart is shown in its place. */
  async function redraw(shape: ChartShape | null): Promise<void> {
    chart = shape;
    if (shape === null) histogram.value = null;
    else if (view.value !== null) await readHistogram(view.value, ticket);
  }

  /** Reads rows [start, end) of a view, with their values at paths; resolves to null when it is not, or no longer, the open one. */
  async function readRows(
    viewId: string,
    [start, end]: readonly [number, number],
    paths: readonly string[],
  ): Promise<readonly RecordRow[] | null> {
    if (view.value?.viewId !== viewId) return null;
    try {
      const place = { viewId, offset: start, limit: end - start };
      const asked = paths.length === 0 ? place : { ...place, paths: [...paths] };
      const rows = await backend.call('records/read-rows', asked);
      return isOpen(viewId) ? rows : null;
    } catch (thrown) {
      const current = view.value;
      // Another view is on its way, which may have closed this one.
      if (!isOpen(viewId) || openedTicket !== ticket) return null;
      const failure = toErrorLike(thrown);
      // The core closes views that were not used for long, and all of them when it restarts.
      if (failure.code === 'cache.view-closed') await open(current);
      else error.value = failure;
      return null;
    }
  }

  /** Reads rows with their long texts, cut where not all is asked for. Rejects when one can't be read: the table stays. */
  async function readRecords(rows: readonly RecordRow[], whole: boolean): Promise<readonly RecordDetail[]> {
    const found: RecordDetail[] = [];
    for (const { snapshotId, seq } of rows) {
      found.push(await backend.call('records/read-record', { snapshotId, seq, whole }));
    }
    return found;
  }

  /** Marks and notes are on the rows that are shown, and in the answer where the filter names them. */
  backend.on('marks/changed', () => {
    const current = view.value;
    if (current === null) return;
    if (listLeaves(current.filter).some(({ field }) => field === 'mark' || field === 'note'))
      void open(current);
    else view.value = { ...current };
  });

  function isOpen(viewId: string): boolean {
    return view.value?.viewId === viewId;
  }

  function close(): void {
    ticket += 1;
    if (view.value !== null) release(view.value.viewId);
    isFiltering.value = false;
    view.value = null;
    facets.value = null;
    histogram.value = null;
    chartError.value = null;
    error.value = null;
  }

  return {
    view,
    facets,
    counts,
    histogram,
    chartError,
    error,
    isFiltering,
    isChartStale,
    open,
    redraw,
    readRows,
    readRecords,
    close,
  } as const;
});

function isSameFilter(a: RecordFilter, b: RecordFilter): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** True when both are one snapshot, or periods of one report: what is shown may stay until the new rows are there. */
export function isSameSource(a: RecordScope, b: RecordScope): boolean {
  if ('snapshotId' in a || 'snapshotId' in b) {
    return 'snapshotId' in a && 'snapshotId' in b && a.snapshotId === b.snapshotId;
  }
  return a.connectionId === b.connectionId && a.report === b.report;
}

/** The paths in the bodies of the records of the open view, whatever its filter; they are looked for once somebody asks. */
export const useBodyPathsStore = defineStore('body-paths', () => {
  const backend = useBackend();
  const records = useRecordsStore();
  const {
    value: answer,
    error,
    isReading,
    ask,
  } = createReading<{
    readonly scope: NonNullable<typeof records.view>['scope'];
    readonly found: FoundPaths;
  }>();
  const progress = shallowRef<{ readonly read: number; readonly total: number } | null>(null);
  backend.on('records/paths-progress', ({ viewId, read, total }) => {
    if (viewId === records.view?.viewId && isReading.value) progress.value = { read, total };
  });

  /** Those of other records altogether are none. */
  const found = computed(() => {
    if (answer.value === null || records.view === null) return null;
    return isSameSource(answer.value.scope, records.view.scope) ? answer.value.found : null;
  });

  /** Reads a sample, or every record. A view that is closed meanwhile leaves what was known. */
  async function read(isExact: boolean): Promise<void> {
    const { view } = records;
    if (view === null) return;
    error.value = null;
    progress.value = null;
    const { viewId, scope } = view;
    await ask(async () => ({
      scope,
      found: await backend.call('records/find-paths', { viewId, scope, isExact }),
    }));
  }

  /** Reads a sample of the records, unless their paths are known. */
  async function ensure(): Promise<void> {
    if (found.value === null && !isReading.value) await read(false);
  }

  return { found, progress, error, isReading, read, ensure } as const;
});
