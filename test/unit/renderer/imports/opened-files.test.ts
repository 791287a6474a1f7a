import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it } from 'vitest';
import { defineComponent } from 'vue';
import type { OfferedFile } from '../../../../src-main/common/contract/operations/files.ts';
import ImportDialog from '../../../../src-renderer/components/dialogs/imports/ImportDialog.vue';
import { useOpenedFiles } from '../../../../src-renderer/shell/window.ts';
import { useImportsStore } from '../../../../src-renderer/stores/cache/downloads.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeTask } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const NIGHT: OfferedFile = { uploadId: 'u-night', name: 'night.channelscope', size: 2_000_000 };
const DAY: OfferedFile = { uploadId: 'u-day', name: 'day.channelscope', size: null };

let backend: ScriptedBackend;
let waiting: OfferedFile | null;
let page: VueWrapper;

async function start(): Promise<void> {
  backend = new ScriptedBackend({
    'imports/take-opened-file': () => {
      const file = waiting;
      waiting = null;
      return file;
    },
    'imports/start': ({ uploadId }) => ({ taskId: `task-${uploadId}` }),
  });
  const Page = defineComponent({
    components: { ImportDialog },
    setup() {
      useOpenedFiles();
      return { imports: useImportsStore() };
    },
    template: '<ImportDialog v-if="imports.isOpen" />',
  });
  const { global } = await provideApplication(backend);
  page = mount(Page, { global, attachTo: document.body });
  await flushPromises();
}

async function openFile(file: OfferedFile): Promise<void> {
  waiting = file;
  backend.emit('imports/file-opened', null);
  await flushPromises();
}

async function press(name: string): Promise<void> {
  const buttons = [...document.querySelectorAll('button')];
  buttons.find((button) => button.textContent.trim() === name)!.click();
  await flushPromises();
}

async function tell(state: 'running' | 'done' | 'failed', file: OfferedFile): Promise<void> {
  const code = 'imports.unreadable' as const;
  const error = { code, message: '', details: { reason: 'It is no file.' } };
  const change = { id: `task-${file.uploadId}`, kind: 'library-import', state } as const;
  backend.emit('tasks/changed', makeTask(state === 'failed' ? { ...change, error } : change));
  await flushPromises();
}

const words = (): string => document.querySelector('[role=dialog]')?.textContent ?? '';
const imported = (): unknown[] =>
  backend.calls.filter(({ name }) => name === 'imports/start').map(({ input }) => input);

afterEach(() => {
  page.unmount();
  document.body.innerHTML = '';
  waiting = null;
});

describe('a file that is opened with the application', () => {
  it('before the page was there opens its import, and nothing is imported until the person says so', async () => {
    waiting = NIGHT;
    await start();
    expect(words()).toContain('night.channelscope');
    expect(words()).toContain('2.0 MB');
    expect(imported()).toEqual([]);
    await press('Import');
    expect(imported()).toEqual([{ connectionId: null, uploadId: 'u-night' }]);
  });

  it('later opens its import too, also where its size is not known', async () => {
    await start();
    expect(words()).toBe('');
    await openFile(DAY);
    expect(words()).toContain('day.channelscope');
    expect(words()).not.toMatch(/\d B|[kM]B/u);
    expect(imported()).toEqual([]);
  });

  it('takes the place of one that was opened before it and is not imported yet', async () => {
    waiting = NIGHT;
    await start();
    await openFile(DAY);
    await press('Import');
    expect(imported()).toEqual([{ connectionId: null, uploadId: 'u-day' }]);
  });

  it('is not imported where the person cancels', async () => {
    waiting = NIGHT;
    await start();
    await press('Cancel');
    expect(words()).toBe('');
    expect(imported()).toEqual([]);
  });

  it('can be imported again where that failed', async () => {
    waiting = NIGHT;
    await start();
    await press('Import');
    await tell('failed', NIGHT);
    expect(words()).toContain('It is no file.');
    await press('Import');
    expect(imported()).toHaveLength(2);
  });

  it('is next while another is imported', async () => {
    waiting = NIGHT;
    await start();
    await press('Import');
    await tell('running', NIGHT);
    await openFile(DAY);
    expect(words()).toContain('day.channelscope is next.');
    await tell('done', NIGHT);
    await press('Import another file');
    expect(words()).not.toContain('is next');
    await press('Import');
    expect(imported()).toMatchObject([{ uploadId: 'u-night' }, { uploadId: 'u-day' }]);
  });

  it('comes up as the failed import before it is closed, without what that said', async () => {
    waiting = NIGHT;
    await start();
    await press('Import');
    await tell('running', NIGHT);
    await openFile(DAY);
    await tell('failed', NIGHT);
    await press('Cancel');
    expect(words()).toContain('day.channelscope');
    expect(words()).not.toContain('It is no file.');
    await press('Cancel');
    expect(words()).toBe('');
  });
});
