import { flushPromises, mount } from '@vue/test-utils';
import { describe, expect, it, vi } from 'vitest';
import { nextTick } from 'vue';
import type { RanStatement, Settings } from '../../../../src-main/common/model/settings/settings.ts';
import type { SqlColumn, SqlFailure } from '../../../../src-main/common/model/records/sql.ts';
import { createNames, namesKey } from '../../../../src-renderer/names/use-names.ts';
import StatementFault from '../../../../src-renderer/screens/sql/StatementFault.vue';
import SqlEditor from '../../../../src-renderer/screens/sql/editor/SqlEditor.vue';
import ResultGrid from '../../../../src-renderer/screens/sql/results/ResultGrid.vue';
import ResultPanel from '../../../../src-renderer/screens/sql/results/ResultPanel.vue';
import SchemaTree from '../../../../src-renderer/screens/sql/side/SchemaTree.vue';
import StatementList from '../../../../src-renderer/screens/sql/side/StatementList.vue';
import {
  useRanStatements,
  withRan,
  useSavedStatements,
} from '../../../../src-renderer/screens/sql/side/statements.ts';
import ValueReach from '../../../../src-renderer/screens/sql/results/ValueReach.vue';
import StatementHistory from '../../../../src-renderer/screens/sql/side/StatementHistory.vue';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { useSqlStore } from '../../../../src-renderer/stores/records/sql.ts';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { createMediaQuery } from '../support/media-query.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const HOSTILE = '<img src=x onerror=alert(1)>';

function createBackend(): ScriptedBackend {
  let settings: Settings = makeSettings();
  return new ScriptedBackend({
    'settings/update': (change) => (settings = { ...settings, ...change }),
  });
}

describe('a fault', () => {
  const failure: SqlFailure = { kind: 'failed', fault: 'statement', message: HOSTILE, offset: 10 };

  it('shows the words of the engine as text, and leads to their place', async () => {
    const { global } = await provideApplication(createBackend());
    const wrapper = mount(StatementFault, { props: { failure, text: 'SELECT 1\n  x' }, global });
    expect(wrapper.find('img').exists()).toBe(false);
    expect(wrapper.text()).toContain(HOSTILE);
    const button = wrapper.get('button');
    expect(button.text()).toBe('Go to line 2, column 2');
    await button.trigger('click');
    expect(wrapper.emitted('goTo')).toEqual([[10]]);
  });

  it('that is not the engine’s says which name it is about, and what can be done', async () => {
    const { global } = await provideApplication(createBackend());
    const table: SqlFailure = { kind: 'failed', fault: 'table', message: 'secrets', offset: null };
    const wrapper = mount(StatementFault, { props: { failure: table, text: '' }, global });
    expect(wrapper.text()).toContain('secrets is not a table of this screen');
    expect(wrapper.find('button').exists()).toBe(false);
  });

  it('of memory says how much a query may take, unless the engine says it in its own words', async () => {
    const { global } = await provideApplication(createBackend());
    const memory: SqlFailure = { kind: 'failed', fault: 'memory', message: '', offset: null };
    const wrapper = mount(StatementFault, { props: { failure: memory, text: '' }, global });
    expect(wrapper.text()).toContain('This query needs more than 512 MB');
    await wrapper.setProps({ failure: { ...memory, message: 'Out of Memory Error: 1' } });
    expect(wrapper.text()).not.toContain('512 MB');
    expect(wrapper.text()).toContain('Out of Memory Error: 1');
  });
});

describe('a result', () => {
  it('of an earlier time or another connection says which', async () => {
    const size = { rowCount: 0, hasMore: false, cutValues: 0 };
    const result = {
      kind: 'rows' as const,
      resultId: 'r',
      columns: [],
      ...size,
      durationMs: 1,
      memoryBytes: 38_000_000,
    };
    const backend = new ScriptedBackend({
      'sql/run': () => result,
      'sql/close-result': () => null,
      'settings/update': () => makeSettings(),
      'connections/list': () => [makeConnection({ id: 'one' })],
    });
    const { global } = await provideApplication(backend);
    await useConnectionsStore().load();
    const fromMs = Date.UTC(2026, 10, 20, 8);
    const noteOf = async (connectionId: string): Promise<string> => {
      const asked = { connectionId, fromMs, toMs: fromMs + 3_601_000, zone: 'UTC', text: '' };
      await useSqlStore().run(asked);
      const props = { result, isEdited: true, isOfOther: true };
      const stubs = { ResultGrid: true };
      return mount(ResultPanel, { props, global: { ...global, stubs } })
        .get('[role=status]')
        .text();
    };
    expect(await noteOf('one')).toBe('Of 20 Nov 08:00 – 09:00 UTC');
    expect(await noteOf('two')).toBe('Of another connection');
  });
});

describe('the editor', () => {
  it('underlines the place of a fault until the text is changed', async () => {
    const wrapper = mount(SqlEditor, {
      props: {
        modelValue: `SELECT nocolumn -- ${HOSTILE}`,
        label: 'SQL',
        hint: '',
        faultOffset: 7,
        values: { read: () => Promise.resolve(null), toName: () => '', toHeading: () => '' },
        statements: [],
      },
      attachTo: document.body,
    });
    expect(wrapper.get('.cm-sql-fault').text()).toBe('nocolumn');
    expect(wrapper.find('img').exists()).toBe(false);
    expect(wrapper.get('[role="textbox"]').attributes('aria-label')).toBe('SQL');
    await wrapper.setProps({ modelValue: 'SELECT 1' });
    expect(wrapper.find('.cm-sql-fault').exists()).toBe(false);
    expect(wrapper.get('.cm-content').text()).toBe('SELECT 1');
    wrapper.unmount();
  });
});

describe('a chart of a result', () => {
  it('leads to the records of a value by keyboard, and says which value that is', async () => {
    const { global } = await provideApplication(createBackend());
    const chart = {
      kind: 'bar' as const,
      labels: ['3', '7'],
      series: [
        { name: 'requests', values: [1200, 5], rows: [null, null] },
        { name: 'failed', values: [12, null], rows: [null, null] },
      ],
      leftOut: 0,
    };
    const props = { chart, label: 'requests over channel', canPick: true };
    const wrapper = mount(ValueReach, { props, global });
    const slider = wrapper.get('[role=slider]');
    expect(slider.attributes('aria-valuetext')).toBe('3, requests: 1,200');
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown']) await slider.trigger('keydown', { key });
    expect(slider.attributes('aria-valuetext')).toBe('7, failed: –');
    await slider.trigger('keydown', { key: 'Enter' });
    expect(wrapper.emitted('pick')).toEqual([[1, 1]]);
    expect(wrapper.emitted('aim')?.at(-1)).toEqual([1, 1]);
    await wrapper.setProps({ canPick: false });
    expect(wrapper.get('[role=img]').attributes('tabindex')).toBeUndefined();
  });
});

describe('the tree of tables', () => {
  it('says how many rows each table has, once that is known', async () => {
    const { global } = await provideApplication(createBackend());
    const wrapper = mount(SchemaTree, { props: { zone: 'UTC', counts: null }, global });
    const listTables = (): string[] => wrapper.findAll('button.table').map((table) => table.text());
    expect(listTables()).toEqual(['inbound', 'outbound', 'summaries', 'status']);
    await wrapper.setProps({ counts: { inbound: 7218, outbound: 0, summaries: 644, status: 2871 } });
    expect(listTables()).toEqual(['inbound7,218', 'outbound0', 'summaries644', 'status2,871']);
  });

  it('lists the columns of a table at first, unless they would leave no room for the examples below', async () => {
    const { global } = await provideApplication(createBackend());
    for (const isLow of [false, true]) {
      const matchMedia = vi.spyOn(window, 'matchMedia');
      matchMedia.mockImplementation((query) => createMediaQuery(isLow && query.includes('height <')));
      const wrapper = mount(SchemaTree, { props: { counts: null }, global });
      expect(wrapper.findAll('button.column').length > 0).toBe(!isLow);
      await wrapper.get('button.table').trigger('click');
      expect(wrapper.findAll('button.column').length > 0).toBe(isLow);
      matchMedia.mockRestore();
    }
  });
});

describe('saved statements', () => {
  it('are replaced under the same name, deleted, and brought back to their place', async () => {
    await provideApplication(createBackend());
    const app = useAppStore();
    await app.update({ savedStatements: [] });
    const { list, removal, save, remove, undoRemoval } = useSavedStatements();
    await save({ name: 'a', text: 'SELECT 1' });
    await save({ name: 'b', text: 'SELECT 2' });
    await save({ name: 'a', text: 'SELECT 3' });
    expect(list.value).toEqual([
      { name: 'a', text: 'SELECT 3' },
      { name: 'b', text: 'SELECT 2' },
    ]);
    await remove('a');
    expect([list.value.length, removal.value?.item.name]).toEqual([1, 'a']);
    await undoRemoval();
    expect(list.value.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(removal.value).toBeNull();
  });

  it('are renamed and replaced in the list; Escape leaves the name as it was', async () => {
    const { global } = await provideApplication(createBackend());
    const app = useAppStore();
    await app.update({ savedStatements: [{ name: 'a', text: 'SELECT 1' }] });
    const sql = useSqlStore();
    sql.replace('SELECT 1', { kind: 'saved', name: 'a' });
    const wrapper = mount(StatementList, { global, attachTo: document.body });
    const rename = async (name: string, key: 'submit' | 'keydown.esc') => {
      await wrapper.get('[aria-label^="Rename"]').trigger('click');
      await nextTick();
      const input = wrapper.get('input');
      await input.setValue(name);
      if (key === 'submit') await wrapper.get('form').trigger('submit');
      else await input.trigger('keydown', { key: 'Escape' });
      await flushPromises();
    };
    await rename('b', 'keydown.esc');
    expect([wrapper.find('input').exists(), app.settings?.savedStatements[0]?.name]).toEqual([false, 'a']);
    await rename('c', 'submit');
    expect(app.settings?.savedStatements).toEqual([{ name: 'c', text: 'SELECT 1' }]);
    // What is written keeps its name.
    expect(sql.origin).toEqual({ kind: 'saved', name: 'c' });
    sql.write('SELECT 2');
    await nextTick();
    await wrapper.get('[aria-label="Replace c with the query in the editor"]').trigger('click');
    await flushPromises();
    expect(app.settings?.savedStatements).toEqual([{ name: 'c', text: 'SELECT 2' }]);
    expect(sql.isRewritten).toBe(false);
    wrapper.unmount();
  });

  it('and examples are chosen from a list', async () => {
    const { global } = await provideApplication(createBackend());
    await useAppStore().update({ savedStatements: [{ name: HOSTILE, text: 'SELECT 1' }] });
    const wrapper = mount(StatementList, { global });
    expect(wrapper.find('img').exists()).toBe(false);
    const [own] = wrapper.findAll('button.cs-menu-item');
    await own!.trigger('click');
    await wrapper.findAll('button.cs-menu-item')[1]!.trigger('click');
    await nextTick();
    const chosen = wrapper.emitted('choose')!;
    expect(chosen[0]).toEqual(['SELECT 1', { kind: 'saved', name: HOSTILE }]);
    expect(chosen[1]?.[1]).toEqual({ kind: 'example', name: 'Error share by channel and hour' });
  });
});

describe('the history', () => {
  it('holds each statement once, the last first, and no more than the settings can', () => {
    const ran = ['a', 'b', 'a'].reduce<readonly RanStatement[]>(
      (before, text, atMs) => withRan(before, { text, atMs }),
      [],
    );
    expect(ran).toEqual([
      { text: 'a', atMs: 2 },
      { text: 'b', atMs: 1 },
    ]);
    const many = Array.from({ length: 80 }, (_, atMs) => ({ text: `SELECT ${atMs}`, atMs }));
    expect(withRan(many, { text: 'a', atMs: 0 })).toHaveLength(50);
    const long = Array.from({ length: 4 }, (_, atMs) => ({ text: String(atMs).repeat(90_000), atMs }));
    expect(withRan(long, { text: 'a', atMs: 0 }).map(({ text }) => text[0])).toEqual(['a', '0', '1']);
  });

  it('is kept, opens a statement again as text, and can be emptied', async () => {
    const { global } = await provideApplication(createBackend());
    await useAppStore().update({ ranStatements: [] });
    const { ran, note, clear } = useRanStatements();
    await note(HOSTILE);
    const wrapper = mount(StatementHistory, {
      props: { ran: ran.value, zone: 'UTC' },
      global,
      attachTo: document.body,
    });
    await wrapper.get('button').trigger('click');
    await nextTick();
    expect(document.querySelector('img')).toBeNull();
    document.querySelector<HTMLElement>('button.entry')?.click();
    await nextTick();
    expect(wrapper.emitted('choose')).toEqual([[HOSTILE]]);
    wrapper.unmount();
    await clear();
    expect(ran.value).toEqual([]);
  });
});

describe('a table of a result', () => {
  it('writes numbers that say how many with separators and all of their digits, and others as they are', async () => {
    const { global } = await provideApplication(createBackend());
    const column = (name: string): SqlColumn => ({ name, type: 'DECIMAL(38,2)', kind: 'number' });
    const names = ['n', 'big', 'p95_ms', 'response_code', 'year(date)', 'epoch_ms', 'session_id'];
    const row = [1234567, '-12345678901234567890.50', 1234.5678, 1234, 2026, 1790000000000, 98765];
    const size = { rowCount: 1, hasMore: false, cutValues: 0, durationMs: 1, memoryBytes: 1 };
    const result = { kind: 'rows' as const, resultId: 'r', columns: names.map(column), ...size };
    const wrapper = mount(ResultGrid, {
      props: { result, isOfSeveral: false, readRows: () => Promise.resolve([row]) },
      global,
      attachTo: document.body,
    });
    await vi.waitFor(() =>
      expect(wrapper.findAll('[role=gridcell]').map((cell) => cell.text())).toEqual([
        '1,234,567',
        '-12,345,678,901,234,567,890.50',
        '1,234.5678',
        ...['1234', '2026', '1790000000000', '98765'],
      ]),
    );
    wrapper.unmount();
  });

  it('shows numbers of channels with their names, and other numbers by themselves', async () => {
    const { global } = await provideApplication(createBackend());
    const names = createNames(
      () => [{ field: 'channel', value: '3', name: HOSTILE }],
      () => undefined,
    );
    const column = (name: string): SqlColumn => ({ name, type: 'BIGINT', kind: 'number' });
    const size = { rowCount: 1, hasMore: false, cutValues: 0, durationMs: 1, memoryBytes: 38_000_000 };
    const result = { kind: 'rows' as const, resultId: 'r', columns: ['Channel', 'n'].map(column), ...size };
    const wrapper = mount(ResultGrid, {
      props: { result, isOfSeveral: false, readRows: () => Promise.resolve([[3, 3]]) },
      global: { ...global, provide: { ...global.provide, [namesKey as symbol]: names } },
      attachTo: document.body,
    });
    await vi.waitFor(() =>
      expect(wrapper.findAll('[role=gridcell]').map((cell) => cell.text())).toEqual([`${HOSTILE}3`, '3']),
    );
    expect(wrapper.find('img').exists()).toBe(false);
    wrapper.unmount();
  });

  it('of several connections shows no name, since each may have its own', async () => {
    const { global } = await provideApplication(createBackend());
    const names = createNames(
      () => [{ field: 'channel', value: '3', name: HOSTILE }],
      () => undefined,
    );
    const column = (name: string): SqlColumn => ({ name, type: 'BIGINT', kind: 'number' });
    const size = { rowCount: 1, hasMore: false, cutValues: 0, durationMs: 1, memoryBytes: 38_000_000 };
    const result = { kind: 'rows' as const, resultId: 'r', columns: ['Channel', 'n'].map(column), ...size };
    const wrapper = mount(ResultGrid, {
      props: { result, isOfSeveral: true, readRows: () => Promise.resolve([[3, 3]]) },
      global: { ...global, provide: { ...global.provide, [namesKey as symbol]: names } },
      attachTo: document.body,
    });
    await vi.waitFor(() =>
      expect(wrapper.findAll('[role=gridcell]').map((cell) => cell.text())).toEqual(['3', '3']),
    );
    wrapper.unmount();
  });
});
