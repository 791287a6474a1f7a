import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { createPinia } from 'pinia';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import { toFirstChoices } from '../../../../src-main/common/model/exports/export-options.ts';
import type { Task } from '../../../../src-main/common/model/cache/task.ts';
import { backendKey } from '../../../../src-renderer/backend/backend.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import ExportDialog from '../../../../src-renderer/components/dialogs/export/ExportDialog.vue';
import {
  toExportSubject,
  type ExportSubject,
} from '../../../../src-renderer/components/dialogs/export/export-choices.ts';
import { useAppStore, useTasksStore } from '../../../../src-renderer/stores/window/app.ts';
import { makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';

const snapshot = makeSnapshot(
  { fromMs: Date.UTC(2026, 10, 19), toMs: Date.UTC(2026, 10, 20) - 1000 },
  { id: 7, recordCount: 4000 },
);
const running: Task = {
  id: 'export-1',
  kind: 'export',
  state: 'running',
  connectionId: 'one',
  snapshotId: 7,
  done: 1000,
  total: 4000,
  ratePerSecond: 500,
  remainingMs: 6000,
  startedAtMs: 0,
  endedAtMs: null,
  error: null,
  retryAtMs: null,
  fileName: null,
  fileBytes: null,
  steps: [],
};
const done: Task = {
  ...running,
  state: 'done',
  done: 4000,
  fileName: 'inbound.csv',
  fileBytes: 2_400_000,
  fileSha256: 'ab'.repeat(32),
};

let wrapper: VueWrapper | undefined;
afterEach(() => {
  wrapper?.unmount();
  document.body.innerHTML = '';
  sessionStorage.clear();
});

async function openDialog(
  backend: ScriptedBackend,
  subject: ExportSubject = toExportSubject(snapshot),
  rowCount?: number,
): Promise<void> {
  wrapper = mount(ExportDialog, {
    props: {
      open: true,
      subject,
      filter: { conditions: [{ field: 'channel' as const, values: [3] }] },
      rowCount,
    },
    global: { plugins: [createPinia(), createMessages()], provide: { [backendKey as symbol]: backend } },
    attachTo: document.body,
  });
  await useTasksStore().load();
  await flushPromises();
}

function findButton(name: string): HTMLButtonElement | undefined {
  return [...document.querySelectorAll('button')].find((button) => button.textContent.trim() === name);
}

async function press(name: string): Promise<void> {
  findButton(name)?.click();
  await flushPromises();
}

function readText(): string {
  return document.body.textContent.replace(/\s+/g, ' ');
}

describe('export dialog', () => {
  it('says at its head how many records the filter leaves, or that it is not known yet', async () => {
    await openDialog(new ScriptedBackend({ 'tasks/list': () => [] }), toExportSubject(snapshot), 201);
    expect(readText()).toContain('201 of 4,000 records, filtered');
    wrapper?.unmount();
    await openDialog(new ScriptedBackend({ 'tasks/list': () => [] }));
    expect(readText()).toContain('filtered, from 4,000 records');
  });

  it('exports what the filter leaves, in the chosen format, and shows progress and the finished file', async () => {
    const backend = new ScriptedBackend({
      'tasks/list': () => [],
      'exports/start': () => ({ taskId: 'export-1' }),
      'exports/reveal': () => ({ downloadPath: null, manifestPath: null }),
      'tasks/cancel': () => null,
    });
    await openDialog(backend);
    expect(readText()).toContain('inbound-detail_1001_2026-11-19_filtered_channel-3.csv');
    expect(readText()).toContain('Service time, UTC');
    document.querySelector<HTMLButtonElement>('button[role=radio][aria-label=JSON]')?.click();
    await flushPromises();
    expect(readText()).toContain('inbound-detail_1001_2026-11-19_filtered_channel-3.json');
    await press('Export');
    expect(backend.calls.find(({ name }) => name === 'exports/start')?.input).toEqual({
      scope: { snapshotId: 7 },
      format: 'json',
      filter: { conditions: [{ field: 'channel', values: [3] }] },
      order: [{ column: 'received', descending: false }],
      includePayload: true,
      zone: 'UTC',
      layout: { fieldNames: 'original', dates: 'both' },
    });
    backend.emit('tasks/changed', running);
    await flushPromises();
    expect(readText()).toContain('1,000 of 4,000 rows');
    expect(findButton('Export')).toBeUndefined();
    await press('Stop export');
    expect(backend.calls.at(-1)).toEqual({ name: 'tasks/cancel', input: { taskId: 'export-1' } });
    backend.emit('tasks/changed', { ...done, directionMarks: ['U+202E'] });
    await flushPromises();
    expect(readText()).toContain('inbound.csv, 2.4 MB');
    expect(readText()).toContain('the order in which others are shown: U+202E.');
    expect(readText()).toContain(`SHA-256 ${'ab'.repeat(32)}`);
    await press('Show file');
    expect(backend.calls).toContainEqual({ name: 'exports/reveal', input: { taskId: 'export-1' } });
  });

  it('finds a running export again after it was closed, and never stops it by closing', async () => {
    const backend = new ScriptedBackend({
      'tasks/list': () => [],
      'exports/start': () => ({ taskId: 'export-1' }),
    });
    await openDialog(backend);
    await press('Export');
    backend.emit('tasks/changed', running);
    await flushPromises();
    await wrapper?.setProps({ open: false });
    await wrapper?.setProps({ open: true });
    await flushPromises();
    expect(readText()).toContain('1,000 of 4,000 rows');
    expect(backend.countCalls('tasks/cancel')).toBe(0);
    backend.emit('tasks/changed', done);
    await wrapper?.setProps({ open: false });
    await wrapper?.setProps({ open: true });
    await flushPromises();
    expect(findButton('Export')?.disabled).toBe(false);
  });

  it('says in words why an export could not be started', async () => {
    const backend = new ScriptedBackend({
      'tasks/list': () => [],
      'exports/start': () => {
        throw new AppError('exports.write-failed', 'EACCES');
      },
    });
    await openDialog(backend);
    await press('Export');
    const alert = document.querySelector('[role=alert]');
    expect(alert?.textContent).toContain('The file could not be written.');
    expect(alert?.textContent).not.toContain('EACCES');
    expect(findButton('Export')?.disabled).toBe(false);
  });

  const preview = {
    columns: ['Id', 'Date', 'Client'],
    text: '"Id"\r\n"=<b>x</b>"\r\n',
    cells: [['Id'], ['=<b>x</b>']],
    rowCount: 4000,
    estimatedBytes: 1_500_000,
  };

  it('shows the beginning of the file as text, its size, and asks again for other choices', async () => {
    const backend = new ScriptedBackend({ 'tasks/list': () => [], 'exports/preview': () => preview });
    await openDialog(backend);
    await vi.waitFor(() => expect(readText()).toContain('About 1.5 MB'));
    expect(document.querySelector('pre')?.textContent).toBe(preview.text);
    expect(document.querySelector('pre b')).toBeNull();
    document.querySelector<HTMLButtonElement>('button[role=radio][aria-label=Excel]')?.click();
    await vi.waitFor(() => expect(backend.calls.at(-1)?.input).toMatchObject({ format: 'xlsx' }));
  });

  it('does not say that a file is masked because the window is', async () => {
    const masked = makeSettings({ maskTexts: true });
    const backend = new ScriptedBackend({
      'tasks/list': () => [],
      'exports/preview': () => preview,
      'app/get-info': () => ({}) as never,
      'settings/get': () => masked,
    });
    await openDialog(backend);
    await vi.waitFor(() => expect(readText()).toContain('First rows, as they will be written'));
    await useAppStore().load();
    await flushPromises();
    expect(readText()).not.toContain('as they will be written');
    expect(readText()).toContain('masked in this window. The file follows the options below.');
  });

  it('says how long the file takes only where earlier exports tell', async () => {
    const answers = [
      { ...preview, estimatedMs: 400 },
      { ...preview, estimatedMs: 65_000, estimatedBytes: null },
    ];
    const backend = new ScriptedBackend({
      'tasks/list': () => [],
      'exports/preview': () => answers.shift() ?? preview,
    });
    await openDialog(backend);
    await vi.waitFor(() => expect(readText()).toContain('About 1.5 MB, under 1 s'));
    document.querySelector<HTMLButtonElement>('button[role=radio][aria-label=Excel]')?.click();
    await vi.waitFor(() => expect(readText()).toContain('About 1 min 5 s'));
    document.querySelector<HTMLButtonElement>('button[role=radio][aria-label=JSON]')?.click();
    await vi.waitFor(() => expect(readText()).toMatch(/About 1\.5 MB(?!,)/));
  });

  it('begins with the choices of last time, for each format its own, and keeps those of this export', async () => {
    const backend = new ScriptedBackend({
      'tasks/list': () => [],
      'exports/preview': () => preview,
      'exports/start': () => ({ taskId: null }),
      'exports/read-choices': () => ({
        choices: [
          { ...toFirstChoices('xlsx'), includePayload: false },
          { ...toFirstChoices('csv'), manifest: true },
        ],
        presets: [],
      }),
      'exports/keep-choices': () => null,
    });
    await openDialog(backend);
    await press('Export');
    const readStarted = (): unknown => backend.calls.findLast(({ name }) => name === 'exports/start')?.input;
    expect(readStarted()).toMatchObject({
      format: 'xlsx',
      includePayload: false,
      layout: { fieldNames: 'original' },
    });
    document.querySelector<HTMLButtonElement>('button[role=radio][aria-label=CSV]')?.click();
    await flushPromises();
    const guard = [...document.querySelectorAll('label')].find(
      (one) => one.textContent === 'Protect from formulas',
    );
    document.getElementById(guard?.htmlFor ?? '')?.click();
    await flushPromises();
    expect(readText()).toContain('My own choice');
    await press('Export');
    expect(readStarted()).toMatchObject({ format: 'csv', layout: { csv: { guard: false }, manifest: true } });
    expect(backend.calls.findLast(({ name }) => name === 'exports/keep-choices')?.input).toMatchObject({
      format: 'csv',
      preset: null,
      csv: { guard: false },
      manifest: true,
    });
  });

  it('saves what is chosen as a preset under a name, and replaces the one that has it', async () => {
    const saved: unknown[] = [];
    const known = { id: 'p1', name: 'Night', choices: { ...toFirstChoices('csv'), preset: 'p1' } };
    const backend = new ScriptedBackend({
      'tasks/list': () => [],
      'exports/preview': () => preview,
      'exports/read-choices': () => ({ choices: [], presets: [known] }),
      'exports/save-preset': (input) => {
        saved.push(input);
        return { ...known, name: input.name };
      },
    });
    await openDialog(backend);
    await press('Save as preset…');
    const field = document.querySelector<HTMLInputElement>('[role=dialog] form input')!;
    const type = async (text: string): Promise<void> => {
      field.value = text;
      field.dispatchEvent(new Event('input'));
      await flushPromises();
    };
    await type('RFC4180');
    expect(readText()).toContain('This is the name of a built-in preset.');
    expect(findButton('Save')?.disabled).toBe(true);
    await type(' night ');
    await press('Replace it');
    expect(saved).toMatchObject([{ presetId: 'p1', name: 'night', choices: { format: 'csv' } }]);
  });

  it('tells where the file is, what is beside it, and what was cut', async () => {
    const backend = new ScriptedBackend({
      'tasks/list': () => [],
      'exports/start': () => ({ taskId: 'export-1' }),
    });
    await openDialog(backend);
    await press('Export');
    const more = {
      filePath: '/home/ana/inbound.csv',
      manifestName: 'inbound.csv.manifest.json',
      cutTexts: 2,
    };
    backend.emit('tasks/changed', { ...done, ...more });
    await flushPromises();
    expect(readText()).toContain('Saved at /home/ana/inbound.csv');
    expect(readText()).toContain('Beside it: inbound.csv.manifest.json');
    expect(readText()).toContain('2 texts were longer');
    expect(findButton('Copy path')).toBeDefined();
    expect(findButton('Show in folder')).toBeDefined();
  });

  it('shows what is missing of a snapshot, and that a manifest is written beside it, until that is switched off', async () => {
    const fromMs = Date.UTC(2026, 10, 19, 10);
    const gap = { fromMs, toMs: fromMs + 3_600_000, state: 'partial' as const, fetching: null };
    const backend = new ScriptedBackend({
      'tasks/list': () => [],
      'exports/preview': () => preview,
      'exports/start': () => ({ taskId: null }),
      'exports/keep-choices': () => null,
      'coverage/read-snapshot': () => [
        gap,
        { ...gap, fromMs: gap.toMs, toMs: gap.toMs + 1000, state: 'open' },
      ],
    });
    await openDialog(backend);
    expect(backend.calls.find(({ name }) => name === 'coverage/read-snapshot')?.input).toEqual({
      snapshotId: 7,
    });
    expect(readText()).toContain("1 h of this period isn't cached");
    expect(findButton('Fetch first')).toBeUndefined();
    expect(readText()).toContain('_incomplete.csv');
    const label = [...document.querySelectorAll('label')].find(
      ({ textContent }) => textContent === 'Manifest beside the file',
    );
    const toggle = document.getElementById(label?.htmlFor ?? '');
    const readLayout = (): unknown =>
      (backend.calls.findLast(({ name }) => name === 'exports/start')!.input as { layout: object }).layout;
    expect(toggle?.getAttribute('aria-checked')).toBe('true');
    await press('Export');
    expect(readLayout()).not.toHaveProperty('manifest');
    toggle?.click();
    await flushPromises();
    await press('Export');
    expect(readLayout()).toMatchObject({ manifest: false });
    toggle?.click();
    await flushPromises();
    await press('Export');
    expect(readLayout()).not.toHaveProperty('manifest');
  });

  it('says until when it holds a period that is followed up to now, and does not call that incomplete', async () => {
    const toMs = Math.ceil(Date.now() / 1000) * 1000;
    const gap = { fromMs: toMs - 20_000, toMs, state: 'missing' as const, fetching: 'following' };
    const script = { 'tasks/list': () => [], 'exports/preview': () => preview };
    const coverage = { 'coverage/read': () => ({ buckets: [], gaps: [gap], unreadyRecords: 0 }) };
    await openDialog(new ScriptedBackend({ ...script, ...coverage }), {
      ...toExportSubject(snapshot),
      scope: { connectionId: 'a', report: 'inbound-detail', fromMs: toMs - 86_400_000, toMs },
    });
    expect(readText()).toMatch(/, until \d\d:\d\d:\d\d/u);
    expect(readText()).not.toContain('_incomplete');
    expect(readText()).not.toContain("isn't cached");
  });

  it('stays until it is closed while its period moves on, and lets another format be chosen at once', async () => {
    const backend = new ScriptedBackend({
      'tasks/list': () => [],
      'exports/start': () => ({ taskId: 'export-1' }),
      'exports/keep-choices': () => null,
      'coverage/read': () => ({ spans: [], gaps: [] }) as never,
    });
    const moving = (fromMs: number): ExportSubject => ({
      ...toExportSubject(snapshot),
      scope: { connectionId: 'a', report: 'inbound-detail', fromMs, toMs: fromMs + 1000 },
    });
    await openDialog(backend, moving(0));
    await press('Export');
    backend.emit('tasks/changed', done);
    await wrapper?.setProps({ subject: moving(24_000) });
    await flushPromises();
    expect(readText()).toContain('4,000 rows written');
    expect(findButton('Show file')).toBeDefined();
    document.querySelector<HTMLButtonElement>('button[role=radio][aria-label=Excel]')?.click();
    await flushPromises();
    expect(readText()).toContain('4,000 rows written');
    await press('Export');
    expect(backend.calls.findLast(({ name }) => name === 'exports/start')?.input).toMatchObject({
      format: 'xlsx',
      scope: { fromMs: 24_000 },
    });
    document.querySelector<HTMLButtonElement>('button[aria-label="Close the result"]')?.click();
    await flushPromises();
    expect(readText()).not.toContain('4,000 rows written');
  });

  it('keeps what was chosen of a report while its window is closed, and of no other report', async () => {
    const script = { 'tasks/list': () => [], 'exports/preview': () => preview };
    await openDialog(new ScriptedBackend(script));
    document.querySelector<HTMLButtonElement>('button[role=radio][aria-label=Parquet]')?.click();
    await flushPromises();
    const isChosen = (): string | null | undefined =>
      document.querySelector('button[role=radio][aria-label=Parquet]')?.getAttribute('aria-checked');
    expect(isChosen()).toBe('true');
    wrapper?.unmount();
    await openDialog(new ScriptedBackend(script), {
      ...toExportSubject(snapshot),
      report: 'outbound-detail',
    });
    expect(isChosen()).toBe('false');
    wrapper?.unmount();
    await openDialog(new ScriptedBackend(script));
    expect(isChosen()).toBe('true');
  });

  it('exports a result of SQL with the same choices', async () => {
    const backend = new ScriptedBackend({
      'tasks/list': () => [],
      'exports/start-result': () => ({ taskId: 'export-1' }),
    });
    const scope = {
      resultId: 'r',
      connectionId: 'one',
      rowCount: 2,
      hasMore: false,
      statement: 'SELECT 1',
      columns: [{ name: 'n', type: 'BIGINT', kind: 'number' as const }],
      fromMs: 0,
      toMs: 1000,
      zone: 'UTC',
    };
    await openDialog(backend, { ...toExportSubject(snapshot), scope, report: 'sql' });
    expect(readText()).toContain('Export SQL result');
    expect(readText()).not.toContain('Include payload');
    await press('Export');
    expect(backend.calls.find(({ name }) => name === 'exports/start-result')?.input).toMatchObject({
      ...scope,
      format: 'csv',
    });
  });
});
