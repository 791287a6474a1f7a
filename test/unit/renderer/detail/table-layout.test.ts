import { flushPromises, mount } from '@vue/test-utils';
import { beforeAll, describe, expect, it } from 'vitest';
import { defineComponent, ref } from 'vue';
import type { Settings, SettingsChange } from '../../../../src-main/common/model/settings/settings.ts';
import type { TableColumn } from '../../../../src-main/common/model/records/record-filter.ts';
import type { RecordOrder } from '../../../../src-main/common/model/records/record.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import ColumnChooser from '../../../../src-renderer/screens/detail/filters/ColumnChooser.vue';
import {
  createColumns,
  listDefaultLayout,
  withPathColumns,
  fromColumnState,
  isSameLayout,
  mergeLayout,
  toColumnState,
  toOrder,
  widenNamed,
  useTableLayout,
} from '../../../../src-renderer/screens/detail/grid/grid-columns.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const INBOUND = listDefaultLayout('inbound');
const column = (id: string, change: Partial<TableColumn> = {}): TableColumn => ({
  id,
  widthPx: 100,
  pinned: null,
  hidden: false,
  ...change,
});

describe('layout of a table', () => {
  it('keeps date and code on the left unless told otherwise', () => {
    const pinned = (direction: Direction) =>
      listDefaultLayout(direction).flatMap(({ id, pinned }) => (pinned === 'left' ? id : []));
    expect(pinned('inbound')).toEqual(['dateMs', 'responseCode']);
    expect(pinned('outbound')).toEqual(['dateMs', 'responseCode']);
  });

  it('keeps what was saved, drops what is gone and adds what is new at the end', () => {
    const defaults = [column('a'), column('b'), column('c', { pinned: 'left' })];
    const saved = [column('b', { widthPx: 44 }), column('gone'), column('a', { hidden: true }), column('b')];
    expect(mergeLayout(saved, defaults)).toEqual([
      column('b'),
      column('a', { hidden: true }),
      column('c', { pinned: 'left' }),
    ]);
    expect(mergeLayout(undefined, defaults)).toEqual(defaults);
  });

  it('keeps paths among its columns, and takes others in at the end', () => {
    const saved = [column('payload.a', { hidden: true }), column('own.Owners.Team'), ...INBOUND];
    const merged = mergeLayout(saved, INBOUND);
    expect(merged.slice(0, 2)).toEqual(saved.slice(0, 2));
    const next = withPathColumns(merged, ['payload.a', 'response.b']);
    expect(next.map(({ id }) => id)).toEqual(['payload.a', ...INBOUND.map(({ id }) => id), 'response.b']);
    expect(next.every(({ hidden }) => !hidden)).toBe(true);
    const order: RecordOrder = [{ column: 'payload.a', descending: true }];
    const look = { layout: next, order, t: (key: string) => key, readZone: () => 'UTC' };
    const [first] = createColumns('inbound', look);
    expect(first).toMatchObject({ colId: 'payload.a', headerName: 'payload.a', initialSort: 'desc' });
    expect(toOrder([{ colId: 'payload.a', sort: 'asc' }], [])).toEqual([
      { column: 'payload.a', descending: false },
    ]);
  });

  it('has room for names in columns that nobody made narrower', () => {
    const to = listDefaultLayout('inbound', new Set(['channel', 'service']));
    const saved = INBOUND.toReversed().map((one) => (one.id === 'service' ? { ...one, widthPx: 60 } : one));
    const widths = new Map(widenNamed(saved, { from: INBOUND, to }).map(({ id, widthPx }) => [id, widthPx]));
    expect(widths.get('channel')).toBe(to.find(({ id }) => id === 'channel')?.widthPx);
    expect(widths.get('service')).toBe(60);
    expect(widths.get('client')).toBe(INBOUND.find(({ id }) => id === 'client')?.widthPx);
  });

  it("survives the grid's own state", () => {
    expect(fromColumnState(toColumnState(INBOUND))).toEqual(INBOUND);
    expect(fromColumnState([{ colId: 'a', width: 99.6, pinned: true, hide: null }])).toEqual([column('a')]);
    expect(isSameLayout(INBOUND, [...INBOUND].reverse())).toBe(false);
  });

  it('decides order, width, side and visibility of the columns', () => {
    const layout = [
      column('channel', { widthPx: 222, pinned: 'right' }),
      column('dateMs', { hidden: true }),
      column('responseCode'),
    ];
    const defined = createColumns('inbound', {
      layout,
      order: [{ column: 'channel', descending: true }],
      t: (key) => key,
      readZone: () => 'UTC',
    });
    expect(defined.map(({ colId, width, pinned, hide }) => ({ colId, width, pinned, hide }))).toEqual([
      { colId: 'channel', width: 222, pinned: 'right', hide: false },
      { colId: 'dateMs', width: 100, pinned: null, hide: true },
      { colId: 'responseCode', width: 100, pinned: null, hide: false },
    ]);
  });
});

describe('saved layout', () => {
  let settings: Settings;
  const backend = new ScriptedBackend({
    'settings/get': () => settings,
    'settings/update': (change: SettingsChange) => (settings = { ...settings, ...change }),
  });
  beforeAll(() => (settings = makeSettings()));

  it('is kept by report, and removed by the layout of the application', async () => {
    const { global } = await provideApplication(backend);
    const use = (direction: Direction, hasErrors = () => true) => {
      let found: ReturnType<typeof useTableLayout> | undefined;
      const Host = defineComponent(() => {
        found = useTableLayout(() => direction, hasErrors);
        return () => null;
      });
      mount(Host, { global });
      if (found === undefined) throw new Error('not mounted');
      return found;
    };
    const inbound = use('inbound');
    const outbound = use('outbound');
    useAppStore();
    backend.emit('settings/changed', settings);
    const changed = [...INBOUND].reverse();
    inbound.layout.value = changed;
    await flushPromises();
    expect(inbound.layout.value).toEqual(changed);
    expect(outbound.layout.value).toEqual(listDefaultLayout('outbound'));
    outbound.layout.value = listDefaultLayout('outbound').map((one) => ({ ...one, pinned: null }));
    await flushPromises();
    expect(settings.tableColumns['inbound-detail']).toEqual(changed);
    expect(settings.tableColumns['outbound-detail']).toHaveLength(outbound.defaults.value.length);
    inbound.layout.value = inbound.defaults.value;
    await flushPromises();
    expect(settings.tableColumns['inbound-detail']).toEqual([]);
    expect(inbound.layout.value).toEqual(INBOUND);
    // Without an error its column takes no room, and nothing of that is kept.
    const hasErrors = ref(false);
    const calm = use('inbound', () => hasErrors.value);
    const isHidden = () => calm.layout.value.find(({ id }) => id === 'error')?.hidden;
    expect(isHidden()).toBe(true);
    calm.layout.value = calm.layout.value.toReversed();
    await flushPromises();
    expect(settings.tableColumns['inbound-detail']).toEqual([...INBOUND].reverse());
    hasErrors.value = true;
    expect(isHidden()).toBe(false);
  });

  it('has the paths that the connection shows, and no other one’s', async () => {
    settings = makeSettings();
    const { global } = await provideApplication(backend);
    let found: ReturnType<typeof useTableLayout> | undefined;
    const Host = defineComponent(() => {
      found = useTableLayout(
        () => 'inbound',
        () => true,
      );
      return () => null;
    });
    mount(Host, { global });
    if (found === undefined) throw new Error('not mounted');
    const { layout, paths } = found;
    useAppStore();
    const connections = useConnectionsStore();
    backend.emit('settings/changed', settings);
    backend.emit('connections/changed', [makeConnection({ id: 'one' }), makeConnection({ id: 'two' })]);
    connections.show('one');
    await flushPromises();
    layout.value = withPathColumns(layout.value, ['payload.a']);
    await flushPromises();
    expect(paths.value).toEqual(['payload.a']);
    connections.show('two');
    await flushPromises();
    expect(paths.value).toEqual([]);
    expect(layout.value.map(({ id }) => id)).toEqual(INBOUND.map(({ id }) => id));
    layout.value = withPathColumns(layout.value, ['payload.b']);
    await flushPromises();
    expect(paths.value).toEqual(['payload.b']);
    connections.show('one');
    await flushPromises();
    expect(paths.value).toEqual(['payload.a']);
    // What neither shows any more is kept for nobody.
    layout.value = withPathColumns(layout.value, []);
    await flushPromises();
    expect(paths.value).toEqual([]);
    expect(settings.tableColumns['inbound-detail']?.at(-1)?.id).toBe('payload.b');
    expect(settings.tableColumns['inbound-detail']?.some(({ id }) => id === 'payload.a')).toBe(false);
  });

  it('has room for names where a person gave some', () => {
    const widths = (named: readonly string[]) =>
      listDefaultLayout('inbound', new Set(named)).flatMap(({ id, widthPx }) =>
        id === 'channel' || id === 'service' ? widthPx : [],
      );
    const [channel = 0, service] = widths([]);
    expect(widths(['channel'])).toEqual([expect.toSatisfy((width: number) => width > channel + 50), service]);
  });
});

describe('column chooser', () => {
  it('hides, pins and resets', async () => {
    const { global } = await provideApplication(new ScriptedBackend({}));
    const defaults = [column('dateMs', { pinned: 'left' }), column('channel')];
    const view = mount(ColumnChooser, { props: { modelValue: defaults, defaultLayout: defaults }, global });
    const reset = view.findAll('button').at(-1);
    expect(reset?.attributes('disabled')).toBeDefined();
    await view.get('[role=checkbox]').trigger('click');
    expect(view.emitted('update:modelValue')?.[0]).toEqual([
      [column('dateMs', { pinned: 'left', hidden: true }), column('channel')],
    ]);
    const pins = view.findAll('[aria-pressed]');
    expect(pins.map((pin) => pin.attributes('aria-pressed'))).toEqual(['true', 'false']);
    await pins[1]?.trigger('click');
    expect(view.emitted('update:modelValue')?.[1]).toEqual([
      [column('dateMs', { pinned: 'left', hidden: true }), column('channel', { pinned: 'left' })],
    ]);
    await view.setProps({ modelValue: [...defaults].reverse() });
    await reset?.trigger('click');
    expect(view.emitted('update:modelValue')?.[2]).toEqual([defaults]);
  });
});
