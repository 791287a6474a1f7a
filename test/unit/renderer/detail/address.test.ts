import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defineComponent, reactive } from 'vue';
import type { Router } from 'vue-router';
import type { Input } from '../../../../src-main/common/contract/index.ts';
import AddressNote from '../../../../src-renderer/address/AddressNote.vue';
import { toSnapshotAddress } from '../../../../src-renderer/address/record-links.ts';
import { useWindowAddress } from '../../../../src-renderer/address/window-address.ts';
import { fromPeriodText, toPeriodText } from '../../../../src-renderer/period/period-selection.ts';
import type { RecordOrder } from '../../../../src-main/common/model/records/record.ts';
import { fromOrderText, toOrderText } from '../../../../src-renderer/screens/detail/detail-address.ts';
import { useDetail, type Detail } from '../../../../src-renderer/screens/detail/use-detail.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { usePeriodStore } from '../../../../src-renderer/stores/window/times.ts';
import { DEFAULT_ORDER } from '../../../../src-renderer/stores/records/records.ts';
import { useSnapshotsStore } from '../../../../src-renderer/stores/cache/downloads.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

describe('the period of an address', () => {
  it.each(['last-24-hours', 'this-month', '2026-11-20T10:00..2026-11-20T11:59:59'])('is %s', (text) => {
    const selection = fromPeriodText(text);
    expect(selection).not.toBeNull();
    expect(toPeriodText(selection!)).toBe(text);
  });

  it.each(['', 'last-year', '2026-11-20', '2026-11-20T10:00..', '2026-11-21..2026-11-20', '1..2', 'a..b..c'])(
    'is none in “%s”',
    (text) => {
      expect(fromPeriodText(text)).toBeNull();
    },
  );
});

describe('the order of an address', () => {
  it('is written by the names of the query, and read again', () => {
    const order = [
      { column: 'responseTimeMs', descending: true },
      { column: 'responseCode', descending: false },
    ] as const;
    expect(toOrderText([...order])).toBe('-responsetime,code');
    expect(fromOrderText('-responsetime,code', 'inbound')).toEqual({ order, fault: null });
    expect(toOrderText(DEFAULT_ORDER)).toBe('');
    expect(fromOrderText('', 'inbound')).toEqual({ order: DEFAULT_ORDER, fault: null });
  });

  it('names keys of bodies and columns of own tables, whatever stands in them', () => {
    const order: RecordOrder = [
      { column: 'payload."a,b".c', descending: true },
      { column: 'channel', descending: false },
      { column: 'own.Owners.team', descending: false },
    ];
    const text = '-payload."a,b".c,channel,own.Owners.team';
    expect(toOrderText(order)).toBe(text);
    expect(fromOrderText(text, 'inbound')).toEqual({ order, fault: null });
    expect(fromOrderText('Payload.n,-payload.n', 'inbound')).toEqual({
      order: [{ column: 'payload.n', descending: false }],
      fault: '-payload.n',
    });
  });

  it.each([
    ['speed', 'speed'],
    ['payload', 'payload'],
    ['code,-code', '-code'],
    ['code,channel,service,origin', 'origin'],
    ['action', 'action'],
    ['code,', ''],
  ])('leaves out what the table of inbound records can’t do: %s', (text, fault) => {
    const read = fromOrderText(text, 'inbound');
    expect(read.fault).toBe(fault);
    expect(read.order.length).toBeGreaterThan(0);
  });
});

const NOW_MS = Date.UTC(2026, 10, 20, 16);
const DAY_MS = 86_400_000;
const older = makeSnapshot({ fromMs: NOW_MS - 3 * DAY_MS, toMs: NOW_MS - 2 * DAY_MS }, { id: 3 });
const cached = makeSnapshot({ fromMs: NOW_MS - DAY_MS, toMs: NOW_MS }, { id: 7 });
const SPAN = '2026-11-17T16:00..2026-11-18T16:00';

let backend: ScriptedBackend;
let router: Router;
let screen: VueWrapper;
let detail: Detail;

async function show(path: string): Promise<void> {
  backend = new ScriptedBackend({
    'settings/update': () => makeSettings(),
    'connections/list': () => [makeConnection({ id: 'one', serviceZone: 'UTC' })],
    'snapshots/list': () => [older, cached],
    'snapshots/read-storage': () => ({}) as never,
    'coverage/read': () => ({ gaps: [] }) as never,
    'records/open-view': () => ({ viewId: 'view', rowCount: 100, isCounted: true, totalCount: 100 }),
    'records/close-view': () => null,
    'records/read-histogram': () => ({ split: 'class', series: [], buckets: [] }),
    'records/read-facets': () => ({}) as never,
  });
  const application = await provideApplication(backend, path);
  router = application.router;
  await useConnectionsStore().load();
  await useSnapshotsStore().load();
  const Screen = defineComponent({
    components: { AddressNote },
    setup: () => {
      useWindowAddress();
      detail = reactive(useDetail(() => 'inbound'));
      return { detail, toOrderText };
    },
    template: '<AddressNote :own-faults="[detail.orderFault]" :own="{ order: toOrderText(detail.order) }" />',
  });
  screen = mount(Screen, { global: application.global });
  await flushPromises();
}

const readQuery = () => router.currentRoute.value.query;
const listOpened = () =>
  backend.calls.flatMap(({ name, input }) =>
    name === 'records/open-view' ? [input as Input<'records/open-view'>] : [],
  );

describe('an address of the detail screen', () => {
  beforeEach(() => void vi.useFakeTimers({ now: NOW_MS }));
  afterEach(() => {
    screen.unmount();
    vi.useRealTimers();
  });

  it('opens its period, filter and order, once', async () => {
    await show(`/inbound/detail?q=channel:3&order=-responsetime,code&period=${SPAN}`);
    expect(usePeriodStore().selection).toEqual({
      kind: 'custom',
      fromMs: NOW_MS - 3 * DAY_MS,
      toMs: NOW_MS - 2 * DAY_MS,
    });
    expect(listOpened()).toEqual([
      {
        scope: {
          connectionId: 'one',
          report: 'inbound-detail',
          fromMs: NOW_MS - 3 * DAY_MS,
          toMs: NOW_MS - 2 * DAY_MS + 1000,
        },
        filter: { conditions: [{ field: 'channel', values: [3] }] },
        order: [
          { column: 'responseTimeMs', descending: true },
          { column: 'responseCode', descending: false },
        ],
      },
    ]);
    expect(screen.text()).toBe('');
  });

  it('gets the shared period where it names none, without a step of its own', async () => {
    await show('/overview');
    await router.push('/inbound/detail?q=channel:3');
    await flushPromises();
    expect(readQuery()).toEqual({ q: 'channel:3', period: 'last-24-hours' });
    router.back();
    await flushPromises();
    expect(router.currentRoute.value.path).toBe('/overview');
  });

  it('takes a step for each filter, order and period, and undoes them alike', async () => {
    await show('/inbound/detail');
    detail.setFilter({ conditions: [{ field: 'channel', values: [3] }] });
    await flushPromises();
    detail.sort([{ column: 'client', descending: false }]);
    await flushPromises();
    usePeriodStore().select({ kind: 'preset', preset: 'last-7-days' });
    await vi.advanceTimersByTimeAsync(0);
    await flushPromises();
    expect(readQuery()).toEqual({ q: 'channel:3', order: 'client', period: 'last-7-days' });
    router.back();
    await flushPromises();
    expect(usePeriodStore().selection).toEqual({ kind: 'preset', preset: 'last-24-hours' });
    expect(readQuery()).toEqual({ q: 'channel:3', order: 'client', period: 'last-24-hours' });
    router.back();
    await flushPromises();
    expect([detail.order, detail.filter.conditions.length]).toEqual([DEFAULT_ORDER, 1]);
    router.back();
    await flushPromises();
    expect(readQuery()).toEqual({ period: 'last-24-hours' });
    router.forward();
    router.forward();
    await flushPromises();
    router.forward();
    await flushPromises();
    expect(readQuery()).toEqual({ q: 'channel:3', order: 'client', period: 'last-7-days' });
    expect(usePeriodStore().selection).toEqual({ kind: 'preset', preset: 'last-7-days' });
  });

  it('goes where the one who chose the period goes on to', async () => {
    await show(`/inbound/detail?period=${SPAN}`);
    usePeriodStore().select({ kind: 'preset', preset: 'last-7-days' });
    void router.push('/sql');
    await vi.advanceTimersByTimeAsync(0);
    await flushPromises();
    expect(router.currentRoute.value.path).toBe('/sql');
    expect(usePeriodStore().selection).toEqual({ kind: 'preset', preset: 'last-7-days' });
  });

  it('takes a step again after a screen could not be loaded', async () => {
    await show(`/inbound/detail?period=${SPAN}`);
    router.addRoute({ path: '/broken', component: () => Promise.reject(new Error('no network')) });
    await router.push('/broken').catch(() => undefined);
    usePeriodStore().select({ kind: 'preset', preset: 'last-7-days' });
    await vi.advanceTimersByTimeAsync(0);
    await flushPromises();
    expect(readQuery()).toEqual({ period: 'last-7-days' });
  });

  it('opens one snapshot alone, under its own period', async () => {
    await show('/overview');
    await router.push(toSnapshotAddress(older));
    await vi.advanceTimersByTimeAsync(0);
    await flushPromises();
    expect(detail.snapshot?.id).toBe(3);
    expect([detail.period?.fromMs, detail.period?.toMs]).toEqual([older.period.fromMs, older.period.toMs]);
  });

  it('leaves one snapshot for the period that is chosen, also for the one it was opened from', async () => {
    await show('/inbound/detail/3?period=last-24-hours');
    expect(detail.snapshot?.id).toBe(3);
    usePeriodStore().select({ kind: 'preset', preset: 'last-24-hours' });
    await vi.waitFor(() =>
      expect(router.currentRoute.value.fullPath).toBe('/inbound/detail?period=last-24-hours'),
    );
    await vi.waitFor(() => expect(detail.parts.map(({ id }) => id)).toEqual([7]));
    router.back();
    await vi.waitFor(() => expect(detail.snapshot?.id).toBe(3));
  });

  it('shows one snapshot while its address brings its own period', async () => {
    await show(`/inbound/detail/3?period=${SPAN}`);
    expect(router.currentRoute.value.path).toBe('/inbound/detail/3');
    expect(detail.snapshot?.id).toBe(3);
  });

  it('says what of it can’t be read, shows the rest, and can be mended', async () => {
    await show('/inbound/detail?q=channel:3+speed:9&order=client,pace&period=soon');
    expect(detail.filter.conditions).toEqual([{ field: 'channel', values: [3] }]);
    expect(detail.order).toEqual([{ column: 'client', descending: false, language: 'en' }]);
    expect(usePeriodStore().selection).toEqual({ kind: 'preset', preset: 'last-24-hours' });
    expect(screen.text()).toContain('Left out: soon · speed · pace');
    await screen.get('button').trigger('click');
    await flushPromises();
    expect(readQuery()).toEqual({ q: 'channel:3', order: 'client', period: 'last-24-hours' });
    expect(screen.text()).toBe('');
  });
});
