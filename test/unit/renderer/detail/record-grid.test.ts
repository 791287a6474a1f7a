import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RecordRow } from '../../../../src-main/common/model/records/record.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import { ref } from 'vue';
import { zoneKey } from '../../../../src-renderer/composables/surroundings.ts';
import { createMessages, loadMessages } from '../../../../src-renderer/messages/index.ts';
import { listDefaultLayout } from '../../../../src-renderer/screens/detail/grid/grid-columns.ts';
import RecordGrid from '../../../../src-renderer/screens/detail/grid/RecordGrid.vue';
import type { GridPick } from '../../../../src-renderer/screens/detail/grid/row-picks.ts';
import { DEFAULT_ORDER, type OpenView } from '../../../../src-renderer/stores/records/records.ts';
import { toRowKey } from '../../../../src-renderer/format/row-key.ts';
import { surround } from '../support/surround.ts';
import { makeRow } from '../../../support/samples/make-record.ts';

const VIEW: OpenView = {
  viewId: 'view-1',
  rowCount: 5000,
  isCounted: true,
  totalCount: 5000,
  scope: { snapshotId: 1 },
  filter: { conditions: [] },
  order: DEFAULT_ORDER,
  span: { fromMs: 0, toMs: 1000 },
  zone: 'UTC',
};

const makeNumbered = (seq: number, change: Partial<RecordRow> = {}): RecordRow =>
  makeRow({
    seq,
    dateText: `date ${seq}`,
    dateMs: seq,
    sessionId: 's',
    channel: 1,
    service: 2,
    responseTimeMs: 5,
    payloadPreview: 'hello',
    ...change,
  });

let grid: VueWrapper | null = null;
afterEach(() => grid?.unmount());

async function show(
  view: OpenView | null,
  row = makeNumbered,
  direction: Direction = 'inbound',
  messages = createMessages(),
) {
  const readRows = vi.fn((_viewId: string, start: number, end: number) =>
    Promise.resolve(Array.from({ length: end - start }, (_, index) => row(start + index))),
  );
  const zone = ref('UTC');
  const mounted = mount(RecordGrid, {
    props: {
      view,
      readRows,
      order: DEFAULT_ORDER,
      selectedKey: null,
      layout: listDefaultLayout(direction),
    },
    global: surround({ plugins: [messages], provide: { [zoneKey as symbol]: zone } }, { direction }),
    attachTo: document.body,
  });
  grid = mounted;
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) {
      await flushPromises();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await settle();
  return { mounted, readRows, settle, zone };
}

describe('the table of records', () => {
  it('names the columns that the direction has', async () => {
    const { mounted } = await show(VIEW);
    const names = (from: VueWrapper) =>
      from.findAll('[role=columnheader]').map((header) => header.attributes('col-id'));
    expect(names(mounted)).toContain('botLatencyMs');
    expect(names(mounted)).not.toContain('actionId');
    mounted.unmount();
    const { mounted: outbound } = await show(VIEW, makeNumbered, 'outbound');
    expect(names(outbound)).toContain('actionId');
    expect(names(outbound)).not.toContain('botLatencyMs');
  });

  it('shows dates in the clock, also when another one is chosen, and as received where they have no reading', async () => {
    const dateMs = Date.UTC(2026, 10, 20, 1, 2, 3, 45);
    const { mounted, settle, zone } = await show(VIEW, (seq) =>
      makeNumbered(seq, { dateMs: seq === 1 ? null : dateMs }),
    );
    const dates = () => [0, 1].map((row) => mounted.get(`[row-index="${row}"] [col-id=dateMs]`).text());
    expect(dates()).toEqual(['2026-11-20 01:02:03.045', 'date 1']);
    zone.value = 'America/Bogota';
    await settle();
    expect(dates()).toEqual(['2026-11-19 20:02:03.045', 'date 1']);
  });

  it('speaks another language with its rows, its selection and its place', async () => {
    const messages = createMessages();
    const { mounted, readRows, settle } = await show(VIEW, makeNumbered, 'inbound', messages);
    await mounted.get('[role=row][row-index="1"] [role=gridcell]').trigger('click');
    const header = () => mounted.get('[role=columnheader][col-id=channel]').text();
    expect(header()).toBe('Channel');
    const { length } = readRows.mock.calls;
    await loadMessages(messages, 'de');
    messages.global.locale.value = 'de';
    await settle();
    expect(header()).toBe('Kanal');
    expect(mounted.get('.ag-row-selected').attributes('row-index')).toBe('1');
    expect(readRows.mock.calls).toHaveLength(length);
  });

  it('reads windows of the view, and none without one', async () => {
    const { readRows } = await show(VIEW);
    expect(readRows.mock.calls[0]).toEqual(['view-1', 0, 100]);
    grid?.unmount();
    const { readRows: unread } = await show(null);
    expect(unread).not.toHaveBeenCalled();
  });

  it('shows what came from the service as text', async () => {
    const { mounted } = await show(VIEW, (seq) =>
      makeNumbered(seq, { client: '<img src=x onerror=alert(1)>' }),
    );
    expect(mounted.text()).toContain('<img src=x onerror=alert(1)>');
    expect(mounted.find('img').exists()).toBe(false);
  });

  it('reads again from the top when another view is opened', async () => {
    const { mounted, readRows, settle } = await show(VIEW);
    await mounted.setProps({ view: { ...VIEW, viewId: 'view-2', rowCount: 40, filter: { conditions: [] } } });
    await settle();
    expect(readRows.mock.calls.at(-1)?.slice(0, 2)).toEqual(['view-2', 0]);
  });

  it('stays where it is when the period has moved on, and records came before the ones in view', async () => {
    const following = { ...VIEW, subject: 'the last day' };
    // One came since: each row is a place further down.
    const { mounted, readRows, settle } = await show(following, (seq) => makeNumbered(seq));
    await mounted.get('[role=row][row-index="0"] [role=gridcell]').trigger('click');
    expect(mounted.find('.ag-row-selected').text()).toContain('Ann');
    readRows.mockImplementation((viewId, start, end) =>
      Promise.resolve(
        Array.from({ length: end - start }, (_, index) =>
          makeNumbered(start + index - (viewId === 'view-2' ? 1 : 0)),
        ),
      ),
    );
    readRows.mockClear();
    const scroller = mounted.get('.record-grid-table').element;
    scroller.scrollTop = 540;
    scroller.dispatchEvent(new Event('scroll'));
    await mounted.setProps({ view: { ...following, viewId: 'view-2', scope: { snapshotId: 2 } } });
    await settle();
    expect(scroller.scrollTop).toBe(540);
    expect(readRows.mock.calls[0]?.[0]).toBe('view-2');
    expect(mounted.find('.ag-row-selected').attributes('row-index')).toBe('1');
  });

  it('selects a row that was clicked before its record was there, once it is', async () => {
    const { mounted, readRows, settle } = await show(null);
    const complain = vi.spyOn(console, 'warn');
    const { promise, resolve } = Promise.withResolvers<RecordRow[]>();
    readRows.mockReturnValue(promise);
    await mounted.setProps({ view: VIEW });
    await settle();
    await mounted.get('[role=row][row-index="0"] [role=gridcell]').trigger('click');
    expect(mounted.emitted('select')).toBeUndefined();
    resolve(Array.from({ length: 100 }, (_, seq) => makeNumbered(seq)));
    await settle();
    expect(mounted.emitted('select')).toEqual([[makeNumbered(0)]]);
    expect(mounted.find('.ag-row-selected').attributes('row-index')).toBe('0');
    expect(complain).not.toHaveBeenCalled();
  });

  it('sorts by a column whose header is clicked', async () => {
    const { mounted, settle } = await show(VIEW);
    await mounted.get('[role=columnheader][col-id=client] .ag-header-cell-label').trigger('click');
    await settle();
    expect(mounted.emitted('sort')?.at(-1)).toEqual([[{ column: 'client', descending: false }]]);
  });

  it('shows an order that came from the address in its headers, and passes it on to nobody', async () => {
    const { mounted, settle } = await show(VIEW);
    const readSorted = () =>
      mounted
        .findAll('[role=columnheader][aria-sort]:not([aria-sort=none])')
        .map((header) => [header.attributes('col-id'), header.attributes('aria-sort')]);
    expect(readSorted()).toEqual([['dateMs', 'descending']]);
    await mounted.setProps({
      order: [
        { column: 'client', descending: true },
        { column: 'channel', descending: false },
      ],
    });
    await settle();
    expect(readSorted()).toEqual([
      ['channel', 'ascending'],
      ['client', 'descending'],
    ]);
    expect(mounted.emitted('sort')).toBeUndefined();
  });

  it('selects the record that the address names, and goes to it', async () => {
    const { mounted, settle } = await show(VIEW);
    expect(mounted.find('.ag-row-selected').exists()).toBe(false);
    await mounted.setProps({ selectedKey: toRowKey({ snapshotId: 1, seq: 700 }) });
    await settle();
    expect(mounted.get('.ag-row-selected').attributes('row-index')).toBe('700');
  });

  it('selects a row that is clicked, once', async () => {
    const { mounted, settle } = await show(VIEW);
    await mounted.get('[role=row][row-index="2"] [col-id=client]').trigger('click');
    await settle();
    expect(mounted.emitted('select')?.map(([row]) => (row as RecordRow).seq)).toEqual([2]);
  });
});

describe('the selection of records whose rows move', () => {
  const FOLLOWED = { ...VIEW, subject: 'the last day' };
  beforeEach(() => {
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(600);
  });
  afterEach(() => vi.restoreAllMocks());
  const PERIOD = { connectionId: 'one', report: 'inbound-detail', fromMs: 0, toMs: 10_000 } as const;

  /**
   * The rows of a view: in the first, record 0 is at the top; in others as many more have come, and what was cached of
   * snapshot 1 is shown of another one.
   */
  async function showMoving(came: Record<string, number>, owner = 2) {
    const shown = await show({ ...FOLLOWED, scope: PERIOD }, (seq) =>
      makeNumbered(seq, { client: `c${seq}` }),
    );
    shown.readRows.mockImplementation((viewId, start, end) =>
      Promise.resolve(
        Array.from({ length: end - start }, (_, index) => {
          const record = start + index - (came[viewId] ?? 0);
          const place = viewId === 'view-1' ? {} : { snapshotId: owner, seq: record + 5_000 * (owner - 1) };
          return makeNumbered(record, { client: `c${record}`, dateMs: 1_000 + record, ...place });
        }),
      ),
    );
    await shown.mounted.setProps({ view: { ...FOLLOWED, scope: PERIOD } });
    await shown.settle();
    const { mounted, settle } = shown;
    const cell = (index: number) => mounted.get(`[role=row][row-index="${index}"] [col-id=client]`);
    return {
      ...shown,
      cell,
      open: async (change: Partial<OpenView>) => {
        await mounted.setProps({ view: { ...FOLLOWED, scope: PERIOD, ...change } });
        await settle();
      },
      readMarked: () =>
        mounted
          .findAll('.ag-row-selected [col-id=client]')
          .map((one) => one.text())
          .sort(),
      readPicked: () => {
        const pick = mounted.emitted('pick')!.at(-1)![0] as GridPick;
        return pick.rows.map(({ client }) => client);
      },
      readActive: () => (mounted.emitted('pick')!.at(-1)![0] as GridPick).cell?.row.client,
    };
  }

  it.each([1, 2])('stays with its records, shown of snapshot %i, and takes another one', async (owner) => {
    const { cell, open, settle, readMarked, readPicked } = await showMoving({ 'view-2': 2 }, owner);
    await cell(0).trigger('click');
    await cell(3).trigger('click', { ctrlKey: true });
    await settle();
    expect(readPicked()).toEqual(['c0', 'c3']);
    await open({ viewId: 'view-2' });
    expect(readMarked()).toEqual(['c0', 'c3']);
    expect(readPicked()).toEqual(['c0', 'c3']);
    await cell(1).trigger('click', { ctrlKey: true });
    await settle();
    expect(readMarked()).toEqual(['c-1', 'c0', 'c3']);
    expect(readPicked()).toEqual(['c-1', 'c0', 'c3']);
  });

  it('is known to a key that is pressed right after a click', async () => {
    const { cell, readPicked } = await showMoving({});
    cell(0).element.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    cell(3).element.dispatchEvent(new MouseEvent('click', { bubbles: true, ctrlKey: true }));
    cell(3).element.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, key: 'c' }));
    expect(readPicked()).toEqual(['c0', 'c3']);
  });

  it('reaches from the record that it began with to another one', async () => {
    const { cell, open, settle, readPicked } = await showMoving({ 'view-2': 2 });
    await cell(0).trigger('click');
    await settle();
    await open({ viewId: 'view-2' });
    await cell(5).trigger('click', { shiftKey: true });
    await settle();
    expect(readPicked()).toEqual(['c0', 'c1', 'c2', 'c3']);
  });

  it('is not chosen anew: the inspector stays with what it shows, and the active cell follows its record', async () => {
    const { mounted, cell, open, settle, readActive, readMarked } = await showMoving({ 'view-2': 2 });
    await cell(2).trigger('click');
    await settle();
    expect(mounted.emitted('select')).toHaveLength(1);
    await mounted.setProps({ selectedKey: '1:2' });
    await cell(2).trigger('keydown', { key: 'ArrowDown' });
    await settle();
    expect(mounted.emitted('select')).toHaveLength(2);
    await mounted.setProps({ selectedKey: '1:3' });
    await open({ viewId: 'view-2' });
    expect(mounted.emitted('select')).toHaveLength(2);
    expect(readActive()).toBe('c3');
    expect(document.activeElement?.closest('[role=row]')?.getAttribute('row-index')).toBe('5');
    await cell(5).trigger('keydown', { key: 'ArrowDown' });
    await settle();
    expect(readMarked()).toEqual(['c4']);
    // The row above the inspector's record, wherever that is by now.
    (mounted.vm as unknown as { step(by: -1 | 1): void }).step(-1);
    await settle();
    expect(readMarked()).toEqual(['c3']);
  });

  it('leaves the focus where a person writes', async () => {
    const { cell, open, settle, readActive } = await showMoving({ 'view-2': 2 });
    await cell(1).trigger('keydown', { key: 'ArrowDown' });
    await settle();
    const field = document.body.appendChild(document.createElement('textarea'));
    field.focus();
    await open({ viewId: 'view-2' });
    expect(document.activeElement).toBe(field);
    expect(readActive()).toBe('c2');
    field.remove();
  });

  it('tells records that show the same apart by their order', async () => {
    const { mounted, readRows, cell, open, settle } = await showMoving({});
    const readPlaces = (): (string | undefined)[] =>
      mounted.findAll('.ag-row-selected[row-index]').map((row) => row.attributes('row-index'));
    readRows.mockImplementation((viewId, start, end) =>
      Promise.resolve(
        Array.from({ length: end - start }, (_, index) =>
          makeNumbered(start + index, { dateText: '', dateMs: 7, snapshotId: viewId === 'view-2' ? 1 : 2 }),
        ),
      ),
    );
    for (const [place, viewId] of ['view-2', 'view-3', 'view-2'].entries()) {
      await open({ viewId });
      if (place > 0) expect([...new Set(readPlaces())]).toEqual([String(place - 1)]);
      await cell(place).trigger('click');
      await settle();
    }
    expect(readRows.mock.calls.every(([, start]) => start >= 0)).toBe(true);
  });

  it('no longer has what a filter leaves out or the period has moved past, until that is shown again', async () => {
    const { cell, open, settle, readPicked, readMarked } = await showMoving({ 'view-2': 0, 'view-3': -2 });
    await cell(0).trigger('click');
    await cell(3).trigger('click', { ctrlKey: true });
    await settle();
    // The first two records are left out.
    await open({ viewId: 'view-3', filter: { conditions: [] }, rowCount: 4_000 });
    expect(readPicked()).toEqual(['c3']);
    expect(readMarked()).toEqual(['c3']);
    await open({ viewId: 'view-2' });
    expect(readPicked()).toEqual(['c0', 'c3']);
    await open({ viewId: 'view-3', scope: { ...PERIOD, fromMs: 1_002 } });
    expect(readPicked()).toEqual(['c3']);
  });
});
