import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineComponent, h, ref } from 'vue';
import { EMPTY_SELECTION, type RowSelection } from '../../../../src-renderer/components/table/table-parts.ts';
import SnapshotTable from '../../../../src-renderer/screens/library/snapshots/SnapshotTable.vue';
import { provideApplication } from '../support/provide-application.ts';
import { makeTask } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { makeDownload, makeSnapshot } from '../../../support/samples/make-snapshot.ts';

const DAY_MS = 86_400_000;
const day = (index: number) => ({ fromMs: index * DAY_MS, toMs: (index + 1) * DAY_MS - 1000 });
const complete = makeSnapshot(day(0), { id: 1, name: 'Launch day', pinned: true, note: 'Before the fix' });
const running = makeSnapshot(day(1), {
  id: 2,
  report: 'outbound-detail',
  state: 'downloading',
  recordCount: 128_400,
  totalDocument: 412_331,
  sizeBytes: 2_500_000,
  fetchedAtMs: null,
});
const foreign = makeSnapshot(day(2), { id: 3, connectionId: 'two', tenant: 9, refreshOf: 1 });
const queued = makeSnapshot(day(3), { id: 4, state: 'downloading', recordCount: 0, sizeBytes: 0 });
const snapshots = [complete, running, foreign, queued];
/** Where they stand: what was fetched last comes first. */
const [RUNNING, QUEUED, FOREIGN, COMPLETE] = [0, 1, 2, 3] as const;
const downloads = new Map(
  [
    makeDownload({ snapshotId: 1 }),
    makeDownload({ snapshotId: 2, state: 'running', snapshotState: 'downloading', totalDocument: 412_331 }),
    makeDownload({ snapshotId: 3 }),
    makeDownload({ snapshotId: 4, state: 'queued', snapshotState: 'downloading' }),
  ].map((download) => [download.snapshotId, download]),
);

let backend: ScriptedBackend;
let page: VueWrapper;
let events: string[];
const selection = ref<RowSelection>(EMPTY_SELECTION);

/** The table as the Library has it: with a selection that its owner keeps. */
async function open(shown = snapshots): Promise<void> {
  backend = new ScriptedBackend({
    'downloads/pause': ({ snapshotId }) => makeDownload({ snapshotId, state: 'paused' }),
  });
  const { global } = await provideApplication(backend);
  const Owner = defineComponent({
    setup: () => () =>
      h(SnapshotTable, {
        snapshots: shown,
        downloads,
        tasks: [makeTask({ snapshotId: 2 })],
        connectionNames: new Map([['two', 'Staging']]),
        activeId: snapshots[0]!.connectionId,
        selection: selection.value,
        'onUpdate:selection': (next: RowSelection) => (selection.value = next),
        onOpen: () => events.push('open'),
        onDelete: () => events.push('delete'),
        onUndo: () => events.push('undo'),
        onDetails: () => events.push('details'),
      }),
  });
  page = mount(Owner, { global, attachTo: document.body });
  await flushPromises();
}

const rows = () => page.findAll('tbody tr');
const cellsOf = (index: number): string[] =>
  rows()
    [index]!.findAll('td')
    .map((cell) => cell.text().replace(/\s+/g, ' '));
/** Numbers of the rows that are shown as selected, from 0. */
const selectedRows = (): number[] =>
  rows().flatMap((row, index) => (row.attributes('aria-selected') === 'true' ? [index] : []));
const activeRow = (): number => rows().findIndex((row) => row.attributes('data-active') !== undefined);
const click = (index: number, modifiers: object = {}) => rows()[index]!.trigger('click', modifiers);

async function press(key: string, modifiers: Partial<KeyboardEventInit> = {}): Promise<boolean> {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...modifiers });
  page.get('[role=grid]').element.dispatchEvent(event);
  await flushPromises();
  return event.defaultPrevented;
}

beforeEach(() => {
  selection.value = EMPTY_SELECTION;
  events = [];
});

afterEach(() => {
  page.unmount();
});

describe('rows of the table of snapshots', () => {
  it('show report, connection, period, records, size, state and when they were fetched', async () => {
    await open();
    expect(page.findAll('th').map((head) => head.text())).toEqual([
      'Report',
      'Connection',
      'Period',
      'Records',
      'Received',
      'State',
      'Fetched',
    ]);
    const [report, connection, period, records, size, state, fetched] = cellsOf(COMPLETE);
    expect([report, connection, records, size, state]).toEqual([
      'Launch day',
      'Tenant 1001',
      '100',
      '1.0 kB',
      'Complete',
    ]);
    expect([period, fetched]).toEqual(['1 Jan, whole day', '2 Jan 00:00']);
  });

  it('name the marks of a person, and another connection', async () => {
    await open();
    const marks = (index: number) =>
      rows()
        [index]!.findAll('[role=img]')
        .map((mark) => mark.attributes('aria-label'));
    expect(marks(COMPLETE)).toEqual(['Pinned', 'Before the fix']);
    expect(marks(RUNNING)).toEqual([]);
    expect(marks(FOREIGN)).toEqual(['Downloaded again to see what changed']);
    expect(cellsOf(FOREIGN)[1]).toBe('Staging');
  });

  it('are sorted by a column, then the other way round, then as they came', async () => {
    await open();
    const periods = () => rows().map((_, index) => cellsOf(index)[2]);
    const header = page.findAll('th').find((head) => head.text() === 'Records')!;
    const sort = async (): Promise<(string | undefined)[]> => {
      await header.get('button').trigger('click');
      return rows().map((_, index) => cellsOf(index)[3]);
    };
    const before = periods();
    expect((await sort())[0]).toBe('128,400 of 412,331');
    expect(header.attributes('aria-sort')).toBe('descending');
    expect((await sort()).at(-1)).toBe('128,400 of 412,331');
    expect(header.attributes('aria-sort')).toBe('ascending');
    await sort();
    expect(periods()).toEqual(before);
    expect(header.attributes('aria-sort')).toBeUndefined();
  });

  it('move the selection in the order that is shown', async () => {
    await open();
    await page.findAll('th')[2]!.get('button').trigger('click');
    await click(0);
    expect(selection.value.activeId).toBe(4);
    await press('ArrowDown');
    expect(selection.value.activeId).toBe(3);
  });

  it('show how far a download is, and nothing where there is nothing yet', async () => {
    await open();
    const [report, , , records, size, state, fetched] = cellsOf(RUNNING);
    expect([report, records, size, fetched]).toEqual(['Outbound detail', '128,400 of 412,331', '2.5 MB', '']);
    expect(state).toContain('Downloading');
    expect(state).toContain('31%');
    expect(state).toContain('41,200/s');
    expect(cellsOf(QUEUED).slice(3, 5)).toEqual(['', '']);
    expect(cellsOf(QUEUED)[5]).toContain('Queued');
  });

  it('pause their own download', async () => {
    await open();
    await rows()[RUNNING]!.get('button[aria-label="Pause the download"]').trigger('click');
    await flushPromises();
    expect(backend.calls).toEqual([{ name: 'downloads/pause', input: { snapshotId: 2 } }]);
  });

  it('are missing where the filter matches none, and it says so', async () => {
    await open([]);
    expect(rows()).toHaveLength(0);
    expect(page.text()).toContain('No snapshots match the filter.');
    await press('ArrowDown');
    expect(selection.value).toEqual(EMPTY_SELECTION);
  });
});

describe('the selection of snapshots', () => {
  it('follows clicks alone, with Control and with Shift', async () => {
    await open();
    await click(1);
    expect(selectedRows()).toEqual([1]);
    await click(3, { ctrlKey: true });
    expect(selectedRows()).toEqual([1, 3]);
    await click(1, { metaKey: true });
    expect(selectedRows()).toEqual([3]);
    await click(0);
    await click(2, { shiftKey: true });
    expect(selectedRows()).toEqual([0, 1, 2]);
    expect(activeRow()).toBe(2);
  });

  it('stays for the menu of a selected row, and becomes a row outside of it', async () => {
    await open();
    await click(0);
    await click(1, { shiftKey: true });
    await rows()[1]!.trigger('contextmenu');
    expect(selectedRows()).toEqual([0, 1]);
    await rows()[3]!.trigger('contextmenu');
    expect(selectedRows()).toEqual([3]);
  });

  it('moves with keys, grows with Shift, and takes all with Control and A', async () => {
    await open();
    expect(await press('ArrowDown')).toBe(true);
    expect(selectedRows()).toEqual([0]);
    await press('End');
    expect(selectedRows()).toEqual([3]);
    await press('ArrowUp', { shiftKey: true });
    expect(selectedRows()).toEqual([2, 3]);
    await press('a', { ctrlKey: true });
    expect(selectedRows()).toEqual([0, 1, 2, 3]);
  });

  it('announces the active row as it moves', async () => {
    await open();
    const grid = page.get('[role=grid]');
    expect(grid.attributes('aria-activedescendant')).toBeUndefined();
    for (const index of [0, 1]) {
      await press('ArrowDown');
      expect(rows()[index]!.attributes('id')).toBe(grid.attributes('aria-activedescendant'));
    }
  });

  it('has its keys in the description of the table', async () => {
    await open();
    const described = page.get('[role=grid]').attributes('aria-describedby');
    expect(page.get(`#${described}`).text()).toContain('Delete deletes');
  });
});

describe('actions on the selected snapshots', () => {
  it.each([
    ['Enter', {}, 'open'],
    ['Enter', { altKey: true }, 'details'],
    ['Delete', {}, 'delete'],
    ['z', { ctrlKey: true }, 'undo'],
  ] as const)('run by %s %o: %s', async (key, modifiers, event) => {
    await open();
    expect(await press(key, modifiers)).toBe(true);
    expect(events).toEqual([event]);
  });

  it('run by a double click', async () => {
    await open();
    await rows()[0]!.trigger('dblclick');
    expect(events).toEqual(['open']);
  });

  it('leave other keys, and keys of buttons in a row, alone', async () => {
    await open();
    expect(await press('z')).toBe(false);
    expect(await press('x')).toBe(false);
    await rows()[1]!.get('button').trigger('keydown', { key: 'Delete' });
    expect(events).toEqual([]);
  });
});
