import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defineComponent, nextTick, reactive, ref, type ShallowUnwrapRef } from 'vue';
import type { Router } from 'vue-router';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { Input } from '../../../../src-main/common/contract/index.ts';
import type { FieldCondition } from '../../../../src-main/common/model/records/record-filter.ts';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import { useDetail, type Detail } from '../../../../src-renderer/screens/detail/use-detail.ts';
import { useShownState } from '../../../../src-renderer/screens/detail/use-detail.ts';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { useClockStore, usePeriodStore } from '../../../../src-renderer/stores/window/times.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { useRecordsStore } from '../../../../src-renderer/stores/records/records.ts';
import { useSnapshotsStore } from '../../../../src-renderer/stores/cache/downloads.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { makeFacets } from '../../../support/samples/make-record.ts';

const onChannel: FieldCondition = { field: 'channel', values: [3] };
const NOW_MS = Date.UTC(2026, 10, 20, 16);
const DAY_MS = 86_400_000;
const lastDay = { fromMs: NOW_MS - DAY_MS, toMs: NOW_MS };
const cached = makeSnapshot(lastDay, { id: 7 });
const older = makeSnapshot({ fromMs: NOW_MS - 3 * DAY_MS, toMs: NOW_MS - 2 * DAY_MS }, { id: 3 });

let backend: ScriptedBackend;
let router: Router;
let screen: VueWrapper;
let detail: Detail;
let shown: ShallowUnwrapRef<ReturnType<typeof useShownState>>;
let viewCount = 100;
let startDownload: (input: Input<'downloads/start'>) => { taskId: string; snapshotId: number };
const direction = ref<'inbound' | 'outbound'>('inbound');

async function show(snapshots: readonly Snapshot[], path = '/inbound/detail'): Promise<void> {
  let views = 0;
  let settings = makeSettings();
  backend = new ScriptedBackend({
    'app/get-info': () => ({}) as never,
    'settings/get': () => settings,
    'settings/update': (change) => (settings = { ...settings, ...change }),
    'connections/list': () => [
      makeConnection({ id: 'one', serviceZone: 'America/Bogota' }),
      makeConnection({ id: 'two' }),
    ],
    'snapshots/list': () => [...snapshots],
    'snapshots/read-storage': () => ({}) as never,
    'coverage/read': () => ({ gaps: [] }) as never,
    'records/open-view': () => ({
      viewId: `view-${(views += 1)}`,
      rowCount: viewCount,
      isCounted: true,
      totalCount: viewCount,
    }),
    'records/close-view': () => null,
    'records/read-histogram': () => ({ split: 'class', series: [], buckets: [] }),
    'records/read-facets': () => makeFacets(),
    'downloads/start': (input) => startDownload(input),
  });
  const application = await provideApplication(backend, path);
  router = application.router;
  await useAppStore().load();
  await useConnectionsStore().load();
  await useSnapshotsStore().load();
  const Screen = defineComponent({
    setup: () => {
      detail = reactive(useDetail(() => direction.value));
      shown = reactive(useShownState(() => detail));
      return () => null;
    },
  });
  screen = mount(Screen, { global: application.global });
  await flushPromises();
}

const listOpened = () =>
  backend.calls.flatMap(({ name, input }) =>
    name === 'records/open-view' ? [input as Input<'records/open-view'>] : [],
  );

beforeEach(() => {
  vi.useFakeTimers({ now: NOW_MS });
  direction.value = 'inbound';
  viewCount = 100;
  startDownload = () => ({ taskId: 't', snapshotId: 8 });
});
afterEach(() => {
  screen.unmount();
  vi.useRealTimers();
});

describe('the detail screen', () => {
  it('opens everything cached of the chosen period, filtered as the address says', async () => {
    await show([older, cached], '/inbound/detail?q=channel:3+timeout');
    expect(detail.parts.map(({ id }) => id)).toEqual([7]);
    expect(listOpened()).toEqual([
      {
        scope: {
          connectionId: 'one',
          report: 'inbound-detail',
          fromMs: NOW_MS - DAY_MS,
          toMs: NOW_MS + 1000,
        },
        filter: { conditions: [onChannel, { field: 'anywhere', text: 'timeout' }] },
        order: [{ column: 'dateMs', descending: true }],
      },
    ]);
  });

  it('denies nothing that was just fetched: it says what is being read until its records are here', async () => {
    viewCount = 0;
    const snapshot = { ...cached, recordCount: 0 };
    await show([snapshot]);
    expect(shown.emptyKind).toBe('empty');
    viewCount = 6_000;
    backend.emit('snapshots/changed', { ...snapshot, recordCount: 6_000 });
    await nextTick();
    expect([shown.emptyKind, shown.readingCount]).toEqual(['reading', 6_000]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(shown.emptyKind).toBeNull();
  });

  it('shows nothing of another period', async () => {
    await show([older]);
    expect(detail.parts).toEqual([]);
    expect(listOpened()).toEqual([]);
  });

  it('follows the clock: days begin elsewhere, hours only have other labels', async () => {
    await show([older, cached]);
    const opened = listOpened().length;
    const readZones = () =>
      backend.calls.flatMap(({ name, input }) =>
        name === 'records/read-histogram' ? [(input as Input<'records/read-histogram'>).zone] : [],
      );
    expect(readZones()).toEqual(['America/Bogota']);
    const before = listOpened().at(-1)?.scope;
    await useClockStore().choose('utc');
    await flushPromises();
    expect(listOpened().length).toBe(opened + 1);
    expect(listOpened().at(-1)?.scope).toEqual(before);
    expect(readZones()).toEqual(['America/Bogota', 'UTC']);
    usePeriodStore().select({ kind: 'preset', preset: 'yesterday' });
    await flushPromises();
    expect(listOpened().at(-1)?.scope).toMatchObject({
      fromMs: Date.UTC(2026, 10, 19),
      toMs: Date.UTC(2026, 10, 20),
    });
    await useClockStore().choose('service');
    await flushPromises();
    expect(listOpened().at(-1)?.scope).toMatchObject({
      fromMs: Date.UTC(2026, 10, 19, 5),
      toMs: Date.UTC(2026, 10, 20, 5),
    });
  });

  it('makes typed changes one step back, and each other change a step of its own', async () => {
    await show([cached]);
    const type = async (text: string): Promise<void> => {
      detail.setFilter({ conditions: [{ field: 'anywhere', text }] }, 'gradual');
      await flushPromises();
    };
    for (const text of ['t', 'ti', 'tim']) await type(text);
    detail.setFilter({ conditions: [onChannel] });
    await flushPromises();
    await type('other');
    const goBack = async (): Promise<unknown> => {
      router.back();
      await flushPromises();
      return router.currentRoute.value.query['q'];
    };
    expect([await goBack(), await goBack(), await goBack()]).toEqual(['channel:3', 'tim', undefined]);
    expect(detail.filter).toEqual({ conditions: [] });
    await type('anew');
    expect(await goBack()).toBeUndefined();
  });

  it('shows a pinned snapshot instead', async () => {
    await show([older, cached], '/inbound/detail/3');
    expect(detail.snapshot?.id).toBe(3);
    expect(listOpened().map(({ scope }) => scope)).toEqual([{ snapshotId: 3 }]);
  });

  it('writes a changed filter into the address and opens the view again', async () => {
    await show([cached], '/inbound/detail?q=channel:3');
    const onClass = { field: 'responseCode', classes: ['5xx'] } satisfies FieldCondition;
    detail.setFilter({ conditions: [...detail.filter.conditions, onClass] });
    await flushPromises();
    expect(router.currentRoute.value.query).toEqual({ q: 'channel:3 code:5xx' });
    expect(listOpened().at(-1)?.filter).toEqual({ conditions: [onChannel, onClass] });
    detail.setFilter({ conditions: [] });
    await flushPromises();
    expect(router.currentRoute.value.fullPath).toBe('/inbound/detail');
    expect(listOpened().at(-1)?.filter).toEqual({ conditions: [] });
  });

  it('sorts the records, and begins with the default order in the other direction', async () => {
    await show([cached]);
    detail.sort([{ column: 'responseTimeMs', descending: true }]);
    await flushPromises();
    expect(listOpened().at(-1)?.order).toEqual([{ column: 'responseTimeMs', descending: true }]);
    direction.value = 'outbound';
    await router.push('/outbound/detail');
    await flushPromises();
    expect(detail.order).toEqual([{ column: 'dateMs', descending: true }]);
    expect(detail.snapshot).toBeNull();
  });

  it('opens the view again while records arrive, once a second at most, and never after it was left', async () => {
    await show([{ ...cached, state: 'downloading' }]);
    const subject = useRecordsStore().view?.subject;
    expect(subject).toBeTypeOf('string');
    const arrive = async (recordCount: number): Promise<void> => {
      backend.emit('snapshots/changed', { ...cached, state: 'downloading', recordCount });
      await flushPromises();
    };
    for (const count of [200, 300, 400]) await arrive(count);
    expect(listOpened()).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1000);
    expect(listOpened()).toHaveLength(3);
    // The period has moved on; what is shown is still the same choice of records.
    const [first, last] = [listOpened()[0], listOpened().at(-1)];
    expect(last?.scope).not.toEqual(first?.scope);
    expect(useRecordsStore().view?.subject).toBe(subject);
    await arrive(500);
    await arrive(600);
    screen.unmount();
    const opened = listOpened().length;
    await vi.advanceTimersByTimeAsync(5000);
    expect(listOpened()).toHaveLength(opened);
  });

  it('leaves no view open behind it', async () => {
    await show([cached]);
    screen.unmount();
    await flushPromises();
    expect(backend.calls.at(-1)).toEqual({ name: 'records/close-view', input: { viewId: 'view-1' } });
  });

  it('downloads the chosen period as of now, and leaves the pinned snapshot for the new one', async () => {
    await show([older, cached], '/inbound/detail/3');
    await detail.startDownload();
    await flushPromises();
    const call = backend.calls.find(({ name }) => name === 'downloads/start');
    expect(call?.input).toMatchObject({
      connectionId: 'one',
      report: 'inbound-detail',
      period: { startDate: '2026-11-19 11:00:00', endDate: '2026-11-20 11:00:00' },
    });
    expect(router.currentRoute.value.fullPath).toBe('/inbound/detail');
  });

  it('says why a download could not be started, and stays with the pinned snapshot', async () => {
    startDownload = () => {
      throw new AppError('downloads.already-running', 'It runs.');
    };
    await show([older, cached], '/inbound/detail/3');
    await detail.startDownload();
    expect(detail.downloadError?.code).toBe('downloads.already-running');
    expect([detail.isStarting, detail.snapshot?.id]).toEqual([false, 3]);
  });

  it('says why the last download of the period failed when it left nothing to show', async () => {
    const failed = { state: 'failed', recordCount: 0 } as const;
    await show([
      { ...cached, ...failed, id: 1, failure: 'client.timeout' },
      { ...cached, ...failed, id: 2, failure: 'client.forbidden' },
      { ...older, ...failed, id: 4, failure: 'client.tls' },
    ]);
    expect(detail.snapshot).toBeNull();
    expect(detail.downloadError?.code).toBe('client.forbidden');
  });
});
