import { createPinia, setActivePinia } from 'pinia';
import { beforeEach, describe, expect, it } from 'vitest';
import { createApp } from 'vue';
import { backendKey } from '../../../../src-renderer/backend/backend.ts';
import { createRowSource } from '../../../../src-renderer/screens/detail/grid/scrolling.ts';
import type { RecordRow } from '../../../../src-main/common/model/records/record.ts';
import type { RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import {
  DEFAULT_ORDER,
  useRecordsStore,
  type RecordQuestion,
} from '../../../../src-renderer/stores/records/records.ts';
import { HeldBackend } from '../support/held-backend.ts';

const HISTOGRAM = {
  split: 'class',
  series: [{ kind: 'class', codeClass: '2xx' }],
  buckets: [{ fromMs: 0, toMs: 1000, counts: [1], medianResponseMs: null }],
};

let backend: HeldBackend;

function createStore(): ReturnType<typeof useRecordsStore> {
  const pinia = createPinia();
  createApp({}).provide(backendKey, backend).use(pinia);
  setActivePinia(pinia);
  return useRecordsStore();
}

const channelIs = (value: number): RecordFilter => ({ conditions: [{ field: 'channel', values: [value] }] });
const ALL: RecordFilter = { conditions: [] };

function ask(snapshotId: number, filter = ALL): RecordQuestion {
  const span = { fromMs: 0, toMs: 1000 };
  return { scope: { snapshotId }, filter, order: DEFAULT_ORDER, span, zone: 'UTC' };
}

function toView(viewId: string, rowCount = 10) {
  return { viewId, rowCount, isCounted: true, totalCount: 10 };
}

describe('records store', () => {
  beforeEach(() => {
    backend = new HeldBackend();
  });

  it('opens a view, then reads its histogram and facets', async () => {
    const store = createStore();
    void store.open(ask(1, channelIs(3)));
    await backend.of('records/open-view')[0]?.answer(toView('a'));
    expect(store.view).toMatchObject({ viewId: 'a', scope: { snapshotId: 1 }, rowCount: 10 });
    await backend.of('records/read-histogram')[0]?.answer(HISTOGRAM);
    expect(store.histogram).toEqual(HISTOGRAM);
  });

  it('asks for figures of the records that the view has, not of those that came since', async () => {
    const store = createStore();
    void store.open(ask(1, channelIs(3)));
    await backend.of('records/open-view')[0]?.answer(toView('a'));
    void store.redraw({ split: 'channel', withMedian: false });
    const asked = [...backend.of('records/read-histogram'), ...backend.of('records/read-facets')];
    expect(asked.map(({ input }) => input)).toEqual(
      [1, 2, 3].map(() => expect.objectContaining({ viewId: 'a' }) as unknown),
    );
  });

  it('a failing histogram leaves the table, and says why', async () => {
    const store = createStore();
    void store.open(ask(1));
    await backend.of('records/open-view')[0]?.answer(toView('a'));
    await backend.of('records/read-histogram')[0]?.refuse('analysis.stopped');
    expect([store.error, store.view?.viewId]).toEqual([null, 'a']);
    expect(store.chartError?.code).toBe('analysis.stopped');
    void store.redraw({ split: 'channel', withMedian: false });
    await backend.of('records/read-histogram')[1]?.answer(HISTOGRAM);
    expect(store.chartError).toBeNull();
  });

  it('keeps the newest view when an older one opens late, and closes the older', async () => {
    const store = createStore();
    void store.open(ask(1, { conditions: [{ field: 'anywhere', text: 'a' }] }));
    void store.open(ask(1, { conditions: [{ field: 'anywhere', text: 'ab' }] }));
    const [first, second] = backend.of('records/open-view');
    await second?.answer(toView('new'));
    await first?.answer(toView('old'));
    expect(store.view?.viewId).toBe('new');
    expect(backend.of('records/close-view').map((call) => call.input)).toEqual([{ viewId: 'old' }]);
  });

  it('closes the view before when another is opened', async () => {
    const store = createStore();
    void store.open(ask(1));
    await backend.of('records/open-view')[0]?.answer(toView('a'));
    void store.open(ask(1, channelIs(1)));
    await backend.of('records/open-view')[1]?.answer(toView('b'));
    expect(backend.of('records/close-view').map((call) => call.input)).toEqual([{ viewId: 'a' }]);
  });

  it('says so while what is shown is what another filter found, and not while the same records come anew', async () => {
    const store = createStore();
    void store.open(ask(1));
    expect(store.isFiltering).toBe(false);
    await backend.of('records/open-view')[0]?.answer(toView('a', 0));
    void store.open(ask(1));
    expect(store.isFiltering).toBe(false);
    void store.open(ask(1, channelIs(1)));
    expect(store.isFiltering).toBe(true);
    await backend.of('records/open-view')[1]?.answer(toView('late'));
    expect(store.isFiltering).toBe(true);
    await backend.of('records/open-view')[2]?.answer(toView('b'));
    expect(store.isFiltering).toBe(false);
    void store.open(ask(1, channelIs(2)));
    await backend.of('records/open-view')[3]?.refuse('cache.view-closed');
    expect(store.isFiltering).toBe(false);
  });

  it('shows what a search has found so far, and all of it at its end', async () => {
    const store = createStore();
    void store.open(ask(1, { conditions: [{ field: 'payload', text: 'a' }] }));
    await backend.of('records/open-view')[0]?.answer({ ...toView('a', 3), isCounted: false });
    expect(store.view).toMatchObject({ rowCount: 3, isCounted: false });
    expect(store.counts).toBeNull();
    await backend.of('records/count-view')[0]?.answer({ rowCount: 7 });
    expect(store.view).toMatchObject({ viewId: 'a', rowCount: 7, isCounted: true });
  });

  it('ends a search that another question overtakes, and keeps its rows until then', async () => {
    const store = createStore();
    void store.open(ask(1, { conditions: [{ field: 'payload', text: 'a' }] }));
    await backend.of('records/open-view')[0]?.answer({ ...toView('a', 3), isCounted: false });
    void store.open(ask(1, { conditions: [{ field: 'payload', text: 'ab' }] }));
    expect(backend.of('records/close-view').map((call) => call.input)).toEqual([{ viewId: 'a' }]);
    expect(store.view).toMatchObject({ viewId: 'a', rowCount: 3 });
    const rows = store.readRows('a', [0, 10], []);
    await backend.of('records/read-rows')[0]?.refuse('cache.view-closed');
    expect(await rows).toBeNull();
    expect(backend.of('records/open-view')).toHaveLength(2);
  });

  it('never gives rows of a view that was closed meanwhile', async () => {
    const store = createStore();
    void store.open(ask(1));
    await backend.of('records/open-view')[0]?.answer(toView('a'));
    const slow = store.readRows('a', [0, 10], []);
    void store.open(ask(1, channelIs(1)));
    await backend.of('records/open-view')[1]?.answer(toView('b'));
    await backend.of('records/read-rows')[0]?.answer([{ seq: 1 }]);
    expect(await slow).toBeNull();
    expect(await store.readRows('a', [0, 10], [])).toBeNull();
    expect(backend.of('records/read-rows')).toHaveLength(1);
  });

  it('drops a histogram of the view before', async () => {
    const store = createStore();
    void store.open(ask(1));
    await backend.of('records/open-view')[0]?.answer(toView('a'));
    void store.open(ask(1, channelIs(1)));
    await backend.of('records/open-view')[1]?.answer(toView('b'));
    await backend.of('records/read-histogram')[0]?.answer(HISTOGRAM);
    expect(store.histogram).toBeNull();
  });

  it('draws the open records in another way without opening them again, and drops the drawing before', async () => {
    const store = createStore();
    void store.open(ask(1, channelIs(3)));
    await backend.of('records/open-view')[0]?.answer(toView('a'));
    const view = store.view;
    void store.redraw({ split: 'service', withMedian: true });
    const [first, second] = backend.of('records/read-histogram');
    expect(first?.input).toMatchObject({ split: 'class', withMedian: false });
    expect(second?.input).toMatchObject({ filter: channelIs(3), split: 'service', withMedian: true });
    await second?.answer({ ...HISTOGRAM, split: 'service' });
    await first?.answer(HISTOGRAM);
    expect(store.histogram?.split).toBe('service');
    expect(store.view).toBe(view);
    expect(backend.of('records/open-view')).toHaveLength(1);
  });

  it('draws what lies around a chosen time where that is asked for, and keeps times that are left out', async () => {
    const store = createStore();
    const time = { field: 'dateMs' as const, min: 200, max: 300 };
    const leftOut = { field: 'dateMs' as const, min: 800, max: 900, exclude: true };
    const question = ask(1, { conditions: [...channelIs(3).conditions, time, leftOut] });
    const span = { fromMs: 200, toMs: 300 };
    void store.open({ ...question, span, whole: { fromMs: 0, toMs: 1000 } });
    await backend.of('records/open-view')[0]?.answer(toView('a'));
    expect(backend.of('records/read-histogram')[0]?.input).toMatchObject({
      ...span,
      filter: question.filter,
    });
    void store.redraw({ split: 'class', withMedian: false, isWhole: true });
    expect(backend.of('records/read-histogram')[1]?.input).toMatchObject({
      fromMs: 0,
      toMs: 1000,
      filter: { conditions: [...channelIs(3).conditions, leftOut] },
    });
  });

  it('opens a view again that the core has closed', async () => {
    const store = createStore();
    void store.open(ask(1, channelIs(3)));
    await backend.of('records/open-view')[0]?.answer(toView('a'));
    void store.readRows('a', [0, 10], []);
    await backend.of('records/read-rows')[0]?.refuse('cache.view-closed');
    expect(backend.of('records/open-view')[1]?.input).toMatchObject({ filter: channelIs(3) });
    expect(store.error).toBeNull();
  });

  it('reports an error by its code, but not one of a view that was left', async () => {
    const store = createStore();
    void store.open(ask(1));
    void store.open(ask(2));
    await backend.of('records/open-view')[0]?.refuse('cache.damaged');
    expect(store.error).toBeNull();
    await backend.of('records/open-view')[1]?.refuse('cache.locked');
    expect(store.error?.code).toBe('cache.locked');
  });

  it('keeps the table where a record that is copied can not be read', async () => {
    const store = createStore();
    void store.open(ask(1));
    await backend.of('records/open-view')[0]?.answer(toView('a'));
    const copied = store.readRecords([{ snapshotId: 1, seq: 2 } as RecordRow], true);
    const refused = expect(copied).rejects.toMatchObject({ code: 'cache.damaged' });
    await backend.of('records/read-record')[0]?.refuse('cache.damaged');
    await refused;
    expect([store.error, store.view?.viewId]).toEqual([null, 'a']);
  });

  it('calls the chart stale while another filter is asked for', async () => {
    const store = createStore();
    void store.open(ask(1));
    await backend.of('records/open-view')[0]?.answer(toView('a'));
    await backend.of('records/read-histogram')[0]?.answer(HISTOGRAM);
    expect(store.isChartStale).toBe(false);
    void store.open(ask(1, channelIs(3)));
    expect(store.isChartStale).toBe(true);
    await backend.of('records/open-view')[1]?.answer(toView('b'));
    expect(store.isChartStale).toBe(true);
    await backend.of('records/read-histogram')[1]?.answer(HISTOGRAM);
    expect(store.isChartStale).toBe(false);
  });

  it('forgets everything when closed, also what is still under way', async () => {
    const store = createStore();
    void store.open(ask(1));
    store.close();
    await backend.of('records/open-view')[0]?.answer(toView('late'));
    expect(store.view).toBeNull();
    expect(backend.of('records/close-view').map((call) => call.input)).toEqual([{ viewId: 'late' }]);
  });
});

describe('row source', () => {
  const view = {
    viewId: 'a',
    ...ask(1),
    rowCount: 250,
    isCounted: true,
    totalCount: 300,
  };

  function request(startRow: number, colId = 'dateMs') {
    const outcome: unknown[] = [];
    const params = {
      startRow,
      endRow: startRow + 200,
      sortModel: [{ colId, sort: 'desc' as const }],
      filterModel: {},
      context: undefined,
      successCallback: (rows: unknown[], last?: number) => outcome.push(rows.length, last),
      failCallback: () => outcome.push('failed'),
    };
    return { params, outcome };
  }

  function createSource(rows: readonly never[] | null, asked: unknown[] = []) {
    return createRowSource({
      readView: () => view,
      readRows: (viewId, start, end) => {
        asked.push([viewId, start, end]);
        return Promise.resolve(rows);
      },
      fallbackOrder: DEFAULT_ORDER,
      beforeRows: () => undefined,
      onRows: () => asked.push('taken'),
    });
  }

  it('requests only rows that exist, and the grid learns how many there are', async () => {
    const asked: unknown[] = [];
    const { params, outcome } = request(200);
    createSource([{} as never], asked).getRows(params as never);
    await Promise.resolve();
    await Promise.resolve();
    expect(asked).toEqual([['a', 200, 250], 'taken']);
    expect(outcome).toEqual([1, 250]);
  });

  it('fails a window that a newer view has overtaken', async () => {
    const { params, outcome } = request(0);
    createSource(null).getRows(params as never);
    await Promise.resolve();
    await Promise.resolve();
    expect(outcome).toEqual(['failed']);
  });

  it('fails a window of an order that is not open yet, without asking', () => {
    const asked: unknown[] = [];
    const { params, outcome } = request(0, 'channel');
    createSource([], asked).getRows(params as never);
    expect(outcome).toEqual(['failed']);
    expect(asked).toEqual([]);
  });
});
