import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import type { Task } from '../../../../src-main/common/model/cache/task.ts';
import WindowNotice from '../../../../src-renderer/components/WindowNotice.vue';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import ExportsNotice from '../../../../src-renderer/shell/ExportsNotice.vue';
import SidebarDownload from '../../../../src-renderer/shell/sidebar/SidebarDownload.vue';
import { useExportsStore } from '../../../../src-renderer/stores/records/exports.ts';
import { useTasksStore } from '../../../../src-renderer/stores/window/app.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeTask } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const RUNNING: Task = makeTask({
  id: 'e1',
  kind: 'export',
  state: 'running',
  done: 250,
  total: 1000,
  fileName: 'inbound.csv',
});
const mounted: VueWrapper[] = [];
afterEach(() => {
  for (const wrapper of mounted.splice(0)) wrapper.unmount();
});

async function show(earlier: Task[] = []) {
  const revealed: unknown[] = [];
  const backend = new ScriptedBackend({
    'tasks/list': () => earlier,
    'exports/reveal': (input) => {
      revealed.push(input);
      return { downloadPath: null, manifestPath: null };
    },
  });
  const { global, router } = await provideApplication(backend);
  await useTasksStore().load();
  const notice = mount(ExportsNotice, { global, attachTo: document.body });
  const sidebar = mount(SidebarDownload, { props: { rail: false }, global });
  mounted.push(notice, sidebar);
  const change = async (task: Task): Promise<void> => {
    backend.emit('tasks/changed', task);
    await flushPromises();
  };
  return { notice, sidebar, change, revealed, router };
}
const readNotice = (): string => document.querySelector('.cs-notices > .notice')?.textContent ?? '';

it('an export that goes on after its window was closed shows in the sidebar, and says when it is ready', async () => {
  const { notice, sidebar, change, revealed } = await show();
  expect(notice.find('button').exists()).toBe(false);
  await change(RUNNING);
  expect(sidebar.text()).toContain('inbound.csv');
  expect(sidebar.text()).toContain('25%');
  expect(notice.text()).toContain('1 export running');
  await change({ ...RUNNING, state: 'done', done: 1000, endedAtMs: 5000, fileBytes: 2_400_000 });
  expect(sidebar.text()).not.toContain('inbound.csv');
  expect(readNotice()).toContain('inbound.csv is ready');
  expect(readNotice()).toContain('1,000 rows · 2.4 MB');
  document.querySelector<HTMLButtonElement>('.cs-notices > .notice button')?.click();
  await flushPromises();
  expect(revealed).toEqual([{ taskId: 'e1' }]);
  expect(readNotice()).toBe('');
  await notice.get('button').trigger('click');
  await flushPromises();
  expect(document.querySelector('ul[aria-label="Recent exports"]')?.textContent).toContain('inbound.csv');
});

it('an end that the window of the export shows needs no notice, nor does one that a person stopped', async () => {
  const { change } = await show();
  await change(RUNNING);
  useExportsStore().show('e1');
  const failed: Task = {
    ...RUNNING,
    state: 'failed',
    error: { code: 'exports.write-failed', message: '', details: {} },
  };
  await change(failed);
  expect(readNotice()).toBe('');
  useExportsStore().show(null);
  await flushPromises();
  expect(readNotice()).toBe('');
  await change({ ...RUNNING, id: 'e2', startedAtMs: 9e12, state: 'cancelled' });
  expect(readNotice()).toBe('');
  await change({ ...failed, id: 'e3', startedAtMs: 9e12 + 1 });
  expect(readNotice()).toContain('inbound.csv could not be written');
});

it('says what to do about one that failed until it is closed, and of one that is ready until another screen is opened', async () => {
  const { change, router } = await show();
  await change(RUNNING);
  await change({ ...RUNNING, state: 'done', endedAtMs: 5000 });
  await router.push('/inbound/detail?q=service:7');
  await flushPromises();
  expect(readNotice()).toBe('');
  await change({ ...RUNNING, id: 'e2', startedAtMs: 9e12 });
  const error = { code: 'exports.no-sandbox', message: '', details: {} } as const;
  await change({ ...RUNNING, id: 'e2', startedAtMs: 9e12, state: 'failed', error });
  await router.push('/library');
  await flushPromises();
  expect(readNotice()).toContain('export the HTML report and print it elsewhere');
});

it('notices of different things stand above one another', async () => {
  const { change } = await show();
  await change(RUNNING);
  await change({ ...RUNNING, state: 'done', endedAtMs: 5000 });
  const other = mount(WindowNotice, { props: { widthPx: 380 }, global: { plugins: [createMessages()] } });
  mounted.push(other);
  const [place, ...more] = document.querySelectorAll('.cs-notices');
  expect(more).toEqual([]);
  expect(place?.querySelectorAll('[role=status]')).toHaveLength(2);
});

it('what ended before the window was opened is listed, and no news', async () => {
  const { notice } = await show([{ ...RUNNING, state: 'done' }]);
  expect(notice.text()).toContain('Recent exports');
  expect(readNotice()).toBe('');
});
