import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { h, type Component } from 'vue';
import type { RecordRow } from '../../../../src-main/common/model/records/record.ts';
import type { RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import { parseQuery } from '../../../../src-main/common/query/parse-query.ts';
import { createQueryClock } from '../../../../src-main/common/query/query-values.ts';
import { writeQuery } from '../../../../src-main/common/query/write-query.ts';
import { openContextMenu } from '../../../../src-renderer/components/controls/options.ts';
import RecordInspector from '../../../../src-renderer/inspector/RecordInspector.vue';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import CellMenu from '../../../../src-renderer/screens/detail/filters/CellMenu.vue';
import { findShownValue, findTableCell } from '../../../../src-renderer/screens/detail/filters/conditions.ts';
import { createMediaQuery } from '../support/media-query.ts';
import { makeFacets, makeRecord, makeRow } from '../../../support/samples/make-record.ts';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const clock = createQueryClock('UTC');
const ROW = makeRow({
  seq: 0,
  dateText: '2026-11-20T10:15:00Z',
  dateMs: Date.UTC(2026, 10, 20, 10, 15),
  responseCode: null,
  botLatencyMs: 1,
  payloadPreview: 'Hello',
});
/** The table as the grid draws it: rows by their place, cells by their column. */
const TABLE = `<p>beside</p><div role="row" row-index="4">${Object.keys({ ...ROW, payload: '' })
  .map((name) => `<div role="gridcell" tabindex="-1" col-id="${name}"></div>`)
  .join('')}</div>`;

const MARK_ITEMS = ['Star M', 'Flag', 'Done', 'Question', 'Note… N'];

let menu: VueWrapper;

const counts = {
  facets: makeFacets({ channels: [{ value: 3, count: 1234 }] }),
  rowCount: 10_000,
};

function show(query: string, counted: typeof counts | null = null): void {
  menu = mount(CellMenu, {
    props: {
      filter: parseQuery(query, clock).filter,
      counts: counted,
      zone: 'UTC',
      find: (element: Element) => findTableCell(element, (index) => (index === 4 ? ROW : null)),
      place: 'table',
    },
    slots: { default: TABLE },
    global: { plugins: [createMessages()] },
    attachTo: document.body,
  });
}
const items = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[role^=menuitem]')];
const names = (): string[] => items().map(({ textContent }) => textContent.trim());
const openAt = async (selector: string): Promise<void> => {
  await menu.get(selector).trigger('contextmenu');
  await flushPromises();
};
async function choose(columnId: string, name: string): Promise<string> {
  await openAt(`[col-id=${columnId}]`);
  items()
    .find(({ textContent }) => textContent.trim() === name)
    ?.click();
  await flushPromises();
  const filter = menu.emitted<[RecordFilter]>('change')?.at(-1)?.[0];
  return filter === undefined ? 'nothing' : writeQuery(filter, clock);
}

afterEach(() => {
  menu.unmount();
  vi.restoreAllMocks();
});

describe('the menu of a cell', () => {
  it('keeps only the records with its value, in the place of what the filter says of the field', async () => {
    show('channel:1,2 code:5xx');
    expect(await choose('channel', 'Filter by value')).toBe('code:5xx channel:3');
  });

  it('names a date as the table shows it, on a full second too', async () => {
    show('');
    await openAt('[col-id=dateMs]');
    expect(document.querySelector('.cs-menu-label')?.textContent).toContain('2026-11-20 10:15:00.000');
  });

  it('leaves its value out, beside what else is left out', async () => {
    show('-channel:1 channel:3,4');
    expect(await choose('channel', 'Exclude value')).toBe('-channel:1,3 channel:4');
  });

  it('says how many records each way shows, where they are counted', async () => {
    show('', counts);
    await openAt('[col-id=channel]');
    expect(names().slice(0, 2)).toEqual(['Filter by value 1,234 (12%)', 'Exclude value 8,766 (88%)']);
    await openAt('[col-id=service]');
    expect(names().slice(0, 2)).toEqual(['Filter by value', 'Exclude value']);
    menu.unmount();
    show('', { ...counts, rowCount: 1000 });
    await openAt('[col-id=channel]');
    expect(names()[0]).toBe('Filter by value');
  });

  it('knows cells without a value', async () => {
    show('');
    expect(await choose('error', 'Filter by value')).toBe('error:""');
    expect(await choose('responseCode', 'Exclude value')).toBe('code:*');
  });

  it('narrows the time to five minutes around the record', async () => {
    show('date:2026-11-20..2026-11-21');
    expect(await choose('client', 'Around this time')).toBe('date:2026-11-20T10:10..2026-11-20T10:20');
  });

  it('offers what can be said of the cell', async () => {
    show('');
    await openAt('[col-id=payload]');
    expect(names()).toEqual(['Around this time', 'Copy value', ...MARK_ITEMS]);
    expect(document.querySelector('[role=menu]')?.textContent).toContain('Payload Hello');
  });

  it('asks for a copy of the cell, since the row may hold a part of its text only', async () => {
    show('');
    await choose('payload', 'Copy value');
    expect(menu.emitted('copy')).toEqual([[{ row: ROW, columnId: 'payload' }]]);
  });

  it('offers to compare the row with the selected ones, up to four', async () => {
    show('');
    const rows = (count: number): RecordRow[] =>
      Array.from({ length: count }, (_, index) => ({ ...ROW, seq: index + 1 }));
    await menu.setProps({ selected: rows(2) });
    await choose('client', 'Compare 3 records');
    expect(menu.emitted<[RecordRow[]]>('compare')?.[0]?.[0].map(({ seq }) => seq)).toEqual([1, 2, 0]);
    await menu.setProps({ selected: rows(4) });
    await openAt('[col-id=client]');
    expect(names().some((name) => name.startsWith('Compare'))).toBe(false);
  });

  it('adds to a case the selected rows, or its own where that is none of them', async () => {
    show('');
    const others: RecordRow[] = [1, 2].map((seq) => ({ ...ROW, seq }));
    await openAt('[col-id=client]');
    expect(names()).not.toContain('Add to case…');
    await menu.setProps({ canAddToCase: true });
    await choose('client', 'Add to case…');
    await menu.setProps({ selected: others });
    await choose('client', 'Add to case…');
    await menu.setProps({ selected: [...others, ROW] });
    await choose('client', 'Add to case… 3 selected records');
    const added = menu.emitted<[RecordRow[]]>('addToCase') ?? [];
    expect(added.map(([rows]) => rows.map(({ seq }) => seq))).toEqual([[0], [0], [1, 2, 0]]);
  });

  it('marks the row, or takes the mark away that it has', async () => {
    show('');
    await choose('client', 'Flag');
    const marked: RecordRow = { ...ROW, mark: { mark: 'flag', note: '' } };
    await menu.setProps({ find: (element: Element) => findTableCell(element, () => marked) });
    await choose('client', 'Flag');
    expect(menu.emitted('mark')?.map(([, change]) => change)).toEqual([{ mark: 'flag' }, { mark: null }]);
  });

  it('opens by keyboard, and nowhere but on a cell', async () => {
    show('');
    await openAt('p');
    expect(names()).toEqual([]);
    await menu.get('[col-id=origin]').trigger('keydown', { key: 'F10', shiftKey: true });
    await flushPromises();
    expect(names()).toEqual([
      'Filter by value',
      'Exclude value',
      'Around this time',
      'Copy value',
      ...MARK_ITEMS,
    ]);
  });

  it('opens the session of a session cell, and offers that nowhere else', async () => {
    show('');
    await choose('sessionId', 'Open session');
    expect(menu.emitted('openSession')).toEqual([['abc']]);
    await openAt('[col-id=client]');
    expect(names()).not.toContain('Open session');
  });
});

describe('the menu of a value in the inspector', () => {
  const showInspector = (query: string): void => {
    menu = mount(CellMenu, {
      props: {
        filter: parseQuery(query, clock).filter,
        zone: 'UTC',
        find: (element: Element) => findShownValue(element, ROW),
        place: 'inspector',
      },
      slots: {
        default: `<div data-field="channel">3 <button type="button">…</button></div><div data-field="dateText"></div>
          <div data-field="payload">Hello</div><textarea></textarea>`,
      },
      global: { plugins: [createMessages()] },
      attachTo: document.body,
    });
  };

  it('filters as the menu of its cell does, and leads back to the button that opened it', async () => {
    showInspector('channel:1 code:5xx');
    const button = menu.get('button');
    button.element.focus();
    openContextMenu(button.element);
    await flushPromises();
    expect(names()).toEqual([
      'Filter by value',
      'Exclude value',
      'Around this time',
      'Copy value',
      'Name this channel…',
    ]);
    items()[0]?.click();
    await flushPromises();
    const [filter] = menu.emitted<[RecordFilter]>('change')?.at(-1) ?? [];
    expect(filter && writeQuery(filter, clock)).toBe('code:5xx channel:3');
    await vi.waitFor(() => expect(document.activeElement).toBe(button.element));
    await openAt('[data-field=dateText]');
    expect(names()).toEqual(['Around this time', 'Copy value']);
  });

  it('opens in a narrow window too, where the inspector is a dialog', async () => {
    vi.spyOn(window, 'matchMedia').mockImplementation((query) => createMediaQuery(query.includes('760px')));
    const { global } = await provideApplication(new ScriptedBackend({}));
    const record = makeRecord({ channel: 3 });
    const find = (element: Element) => findShownValue(element, record);
    const filter = parseQuery('', clock).filter;
    menu = mount(RecordInspector, {
      props: { record, target: record, direction: 'inbound', session: null, loading: false, error: null },
      slots: {
        around: ({ inside }: { inside: Component }) =>
          h(CellMenu, { filter, zone: 'UTC', find, place: 'inspector' }, { default: () => h(inside) }),
      },
      global,
      attachTo: document.body,
    });
    await flushPromises();
    const dialog = document.querySelector('[role=dialog]');
    dialog?.querySelector<HTMLElement>('[data-field=channel] button')?.click();
    await flushPromises();
    expect(names()).toContain('Filter by value');
  });

  it('leaves texts the menu that they have by themselves', async () => {
    showInspector('');
    for (const selector of ['[data-field=payload]', 'textarea']) {
      const event = new MouseEvent('contextmenu', { bubbles: true, cancelable: true });
      menu.get(selector).element.dispatchEvent(event);
      await flushPromises();
      expect(event.defaultPrevented).toBe(false);
      expect(names()).toEqual([]);
    }
  });
});
