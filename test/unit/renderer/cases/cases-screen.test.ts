import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { TooltipProvider } from 'reka-ui';
import { h } from 'vue';
import { expect, it, vi } from 'vitest';
import type {
  CaseChange,
  CasePage,
  CasePart,
  PinnedContent,
} from '../../../../src-main/common/model/cases/case.ts';
import AddToCaseDialog from '../../../../src-renderer/cases/AddToCaseDialog.vue';
import { readShownTable } from '../../../../src-renderer/cases/case-offers.ts';
import CasesScreen from '../../../../src-renderer/screens/cases/CasesScreen.vue';
import { useCasesStore } from '../../../../src-renderer/stores/records/cases.ts';
import { NO_CONTENT, toPartTable, toPartTitle } from '../../../../src-renderer/format/table-text.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const AT_MS = Date.UTC(2026, 10, 27, 9);
const HOUR_MS = 3_600_000;
const TEXT: CasePart = {
  kind: 'text',
  id: 't',
  text: '# Paused\n\n<b>not bold</b> **bold**',
  isFolded: false,
};
const ANSWER = {
  askedAtMs: AT_MS + HOUR_MS,
  figures: { records: 441, failures: 14, rows: null },
  coverage: [{ report: 'inbound-detail' as const, state: 'complete' as const, missingMs: 0 }],
  newRows: null,
  goneRows: null,
};
const PIN: CasePart = {
  kind: 'pinned',
  id: 'p',
  of: 'records',
  title: 'Failed',
  isFolded: false,
  answer: null,
};
const QUESTION = {
  connectionId: 'a',
  scopes: [],
  filter: { conditions: [] },
  query: 'outcome:failed',
  fromMs: AT_MS - HOUR_MS,
  toMs: AT_MS,
  zone: 'UTC',
  place: '/inbound/detail?q=outcome%3Afailed',
};
const CONTENT: PinnedContent = {
  id: 'p',
  kind: 'records',
  title: 'Failed',
  question: QUESTION,
  content: {
    ...NO_CONTENT,
    table: { columns: [{ name: 'Code', isRight: true }], rows: [['502'], ['504']], rowCount: 438 },
  },
  connectionName: 'Support, Europe',
  takenAtMs: AT_MS,
  coverage: [{ report: 'inbound-detail', state: 'incomplete', missingMs: 40 * 60_000 }],
  figures: { records: 438, failures: 12, rows: null },
  clients: [],
};
const makePage = (parts: CasePart[], revision = 4): CasePage => ({
  id: 'c',
  revision,
  savedAtMs: AT_MS,
  canUndo: true,
  canRedo: false,
  isDeleted: false,
  title: 'Templates paused',
  parts,
});

async function show(
  parts: CasePart[],
  answers: ConstructorParameters<typeof ScriptedBackend>[0] = {},
  path = '/cases/c',
): Promise<{ page: VueWrapper; backend: ScriptedBackend; changes: () => CaseChange[] }> {
  let revision = 4;
  const backend = new ScriptedBackend({
    'app/get-info': () => ({ platform: 'macos', host: 'web', nowMs: 0, keychain: {} }) as never,
    'settings/get': () => makeSettings({ clock: 'utc', lastConnectionId: 'a' }),
    'connections/list': () => [makeConnection({ id: 'a' })],
    'cases/read': () => makePage(parts),
    'cases/read-part': () => CONTENT,
    'cases/change': () => makePage(parts, (revision += 1)),
    ...answers,
  });
  const { global } = await provideApplication(backend, path);
  await useAppStore().load();
  await useConnectionsStore().load();
  const page = mount(
    { render: () => h(TooltipProvider, () => h(CasesScreen)) },
    { global, attachTo: document.body },
  );
  await flushPromises();
  const changes = (): CaseChange[] =>
    backend.calls
      .filter(({ name }) => name === 'cases/change')
      .map(({ input }) => (input as { change: CaseChange }).change);
  return { page, backend, changes };
}

it('shows text as Markdown, HTML as the text that it is, and where a part is from', async () => {
  const { page } = await show([TEXT, PIN]);
  expect(page.find('.shown strong').text()).toBe('bold');
  expect(page.find('.shown').text()).toContain('<b>not bold</b>');
  const line = page.find('.line').text();
  for (const piece of [
    'Support, Europe',
    'inbound',
    '2026-11-27 08:00:00 – 2026-11-27 08:59:59 UTC',
    'outcome:failed',
    '40 min missing',
    '438 records, 12 failed',
    'first 2 of 438 rows',
    'as of 2026-11-27 09:00:00',
  ])
    expect(line).toContain(piece);
  expect(page.findAll('.part tbody td').map((cell) => cell.text())).toEqual(['502', '504']);
});

it('that could not be read is read again when that is asked for', async () => {
  const failing = { isOn: true };
  const { page } = await show([TEXT], {
    'cases/read': () => {
      if (failing.isOn) throw Object.assign(new Error('bad'), { code: 'cache.io-failed', details: {} });
      return makePage([TEXT]);
    },
  });
  expect(page.text()).toContain('Disk error');
  failing.isOn = false;
  await page
    .findAll('button')
    .find((button) => button.text() === 'Try again')
    ?.trigger('click');
  await flushPromises();
  expect(page.text()).not.toContain('Disk error');
  expect(page.find('.shown strong').text()).toBe('bold');
});

it('says the difference when a part is asked again, and goes on showing what it showed', async () => {
  const { page } = await show([PIN], { 'cases/ask': () => makePage([{ ...PIN, answer: ANSWER }], 5) });
  await page.find('[aria-label="Ask again: Failed"]').trigger('click');
  await flushPromises();
  expect(page.find('.answer').text()).toBe('Now 441');
  const said = page.find('.changes').text();
  for (const sentence of [
    'Then 438, now 441: 3 came later.',
    'Failed: then 12, now 14.',
    'Then 40 min missing, now all cached.',
    'Asked again 2026-11-27 10:00:00.',
  ])
    expect(said).toContain(sentence);
  expect(page.findAll('.part tbody td').map((cell) => cell.text())).toEqual(['502', '504']);
});

it('saves what is typed after a pause, and keeps it in the window where that fails', async () => {
  vi.useFakeTimers();
  const failing = { isOn: false };
  const { page, changes } = await show([TEXT], {
    'cases/change': () => {
      if (failing.isOn) throw Object.assign(new Error('full'), { code: 'cache.disk-full', details: {} });
      return makePage([{ ...TEXT, text: 'one' }], 5);
    },
  });
  await page.find('[aria-label="Edit text"]').trigger('click');
  const field = page.find('textarea');
  await field.setValue('on');
  await field.setValue('one');
  expect(changes()).toEqual([]);
  await vi.advanceTimersByTimeAsync(700);
  expect(changes()).toEqual([{ kind: 'set-text', partId: 't', text: 'one', over: TEXT.text }]);
  failing.isOn = true;
  await field.setValue('one two');
  await vi.advanceTimersByTimeAsync(700);
  await flushPromises();
  expect(JSON.parse(sessionStorage.getItem('channelscope.draft:case-text:t') ?? '{}')).toEqual({
    text: 'one two',
  });
  expect(page.text()).toContain('Saving…');
  vi.useRealTimers();
  sessionStorage.clear();
});

it('is renamed, and a part is moved by dragging it in the outline', async () => {
  const { page, changes } = await show([TEXT, PIN]);
  await page.find('[aria-label="Rename"]').trigger('click');
  const name = page.find('input[aria-label="Title of the case"]');
  await name.setValue('Refused templates');
  await name.trigger('keydown', { key: 'Enter' });
  await flushPromises();
  const [first, last] = page.findAll('.places li');
  await last?.trigger('dragstart');
  await first?.trigger('drop');
  await flushPromises();
  expect(changes()).toEqual([
    { kind: 'rename', title: 'Refused templates' },
    { kind: 'move', partId: 'p', place: 0 },
  ]);
});

it('a case that was deleted is offered back, and the list offers to undo', async () => {
  const gone = await show([], { 'cases/read': () => ({ ...makePage([]), isDeleted: true }) });
  expect(gone.page.text()).toContain('This case was deleted');
  const summary = {
    id: 'c',
    title: 'Old',
    createdAtMs: 1,
    savedAtMs: 2,
    revision: 3,
    partCount: 1,
    pinnedCount: 1,
  };
  const { page } = await show(
    [],
    { 'cases/list': () => [summary], 'cases/delete': () => makePage([]) },
    '/cases',
  );
  await page.find('[aria-label="Delete Old"]').trigger('click');
  await flushPromises();
  expect(useCasesStore().news).toMatchObject({ act: 'deleted', caseId: 'c', title: 'Old' });
});

it('adds an offer to the case that was worked on last, or to a new one', async () => {
  const pinned: unknown[] = [];
  const { backend } = await show([], {
    'cases/list': () => [],
    'cases/create': () => ({ ...makePage([]), id: 'new' }),
    'cases/pin': (input) => {
      pinned.push(input);
      return makePage([PIN]);
    },
  });
  const { global } = await provideApplication(backend, '/cases');
  const store = useCasesStore();
  const content = { ...NO_CONTENT, facts: [{ name: 'Code', value: '502' }] };
  store.offer({ kind: 'record', title: 'Record', question: QUESTION, readContent: () => content });
  mount(AddToCaseDialog, { global, props: { offer: store.offered! }, attachTo: document.body });
  await flushPromises();
  const add = [...document.querySelectorAll('button')].find((button) => button.textContent === 'Add');
  add?.click();
  await flushPromises();
  expect(pinned).toEqual([
    { caseId: 'new', part: { kind: 'record', title: 'Record', question: QUESTION, content } },
  ]);
  expect(store.news).toMatchObject({ act: 'added', part: 'Record' });
  expect(store.offered).toBeNull();
});

it('reads a table as it is shown: without what nobody sees, and columns that say nothing', () => {
  document.body.innerHTML = `<div id="x"><table>
    <thead><tr><th>Pattern</th><th>Over time</th><th style="text-align: right">Count</th></tr></thead>
    <tbody><tr><td>Gateway <b>timeout</b><span class="sr-only">hidden</span></td><td><svg></svg></td><td>44</td></tr>
    <tr><td colspan="2">2 more</td><td></td></tr></tbody></table></div>`;
  expect(readShownTable(document.querySelector('#x'))).toEqual({
    columns: [
      { name: 'Pattern', isRight: false },
      { name: 'Count', isRight: true },
    ],
    rows: [
      ['Gateway timeout', '44'],
      ['2 more', ''],
    ],
    rowCount: 2,
  });
  expect(readShownTable(document.createElement('div'))).toBeNull();
});

it('names columns of two groups by their group, too', () => {
  document.body.innerHTML = `<table><thead>
    <tr><td></td><th colspan="1">Before <span>26 Nov</span></th><th>After</th></tr>
    <tr><th>Service</th><th>Requests</th><th>Requests</th></tr></thead>
    <tbody><tr><th>1</th><td>20</td><td>30</td></tr></tbody></table>`;
  expect(readShownTable(document.querySelector('table'))?.columns.map(({ name }) => name)).toEqual([
    'Service',
    'Before, 26 Nov: Requests',
    'After: Requests',
  ]);
});

it('a part keeps no more than it may, and says how many rows there were', () => {
  const rows = Array.from({ length: 300 }, (_, at) => [at, 'x'.repeat(5_000)]);
  const table = toPartTable(
    [
      { name: 'n', isRight: true },
      { name: 't', isRight: false },
    ],
    rows,
    900,
  );
  expect(table.rows).toHaveLength(200);
  expect(table.rowCount).toBe(900);
  expect(table.rows[0]?.[1]).toHaveLength(4_000);
  expect(toPartTitle('', 'outbound detail', 'x'.repeat(200))).toHaveLength(120);
});
