import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { createPinia } from 'pinia';
import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { Task } from '../../../../src-main/common/model/task.ts';
import { backendKey } from '../../../../src-renderer/backend/backend.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import ExportDialog from '../../../../src-renderer/components/dialogs/ExportDialog.vue';
import { toExportSubject } from '../../../../src-renderer/components/dialogs/export-subject.ts';
import { useTasksStore } from '../../../../src-renderer/stores/tasks.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { makeSnapshot } from './make-snapshot.ts';

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
});

async function openDialog(backend: ScriptedBackend): Promise<void> {
  wrapper = mount(ExportDialog, {
    props: {
      open: true,
      subject: toExportSubject(snapshot),
      filter: { conditions: [{ field: 'channel' as const, values: [3] }] },
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
  it('exports what the filter leaves, in the chosen format, and shows progress and the finished file', async () => {
    const backend = new ScriptedBackend({
      'tasks/list': () => [],
      'exports/start': () => ({ taskId: 'export-1' }),
      'exports/reveal': () => ({ downloadPath: null }),
      'tasks/cancel': () => null,
    });
    await openDialog(backend);
    expect(readText()).toContain('inbound-detail_1001_2026-11-19.csv');
    document.querySelector<HTMLButtonElement>('button[role=radio][aria-label=JSON]')?.click();
    await flushPromises();
    expect(readText()).toContain('inbound-detail_1001_2026-11-19.json');
    await press('Export');
    expect(backend.calls.find(({ name }) => name === 'exports/start')?.input).toEqual({
      scope: { snapshotId: 7 },
      format: 'json',
      filter: { conditions: [{ field: 'channel', values: [3] }] },
      order: [{ column: 'received', descending: false }],
      includePayload: true,
    });
    backend.emit('tasks/changed', running);
    await flushPromises();
    expect(readText()).toContain('1,000 of 4,000 rows');
    expect(findButton('Export')).toBeUndefined();
    await press('Stop export');
    expect(backend.calls.at(-1)).toEqual({ name: 'tasks/cancel', input: { taskId: 'export-1' } });
    backend.emit('tasks/changed', done);
    await flushPromises();
    expect(readText()).toContain('inbound.csv, 2.4 MB');
    expect(readText()).toContain(`SHA-256 ${'ab'.repeat(32)}`);
    await press('Show file');
    expect(backend.calls.at(-1)).toEqual({ name: 'exports/reveal', input: { taskId: 'export-1' } });
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
});
