import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import type { FolderMove } from '../../../../src-main/common/contract/operations/data-folder.ts';
import FolderMoveCover from '../../../../src-renderer/shell/FolderMoveCover.vue';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const MOVE: FolderMove = {
  phase: 'copying',
  folder: '/disk/data',
  doneBytes: 500_000_000,
  totalBytes: 2_000_000_000,
  error: null,
  startsAgain: false,
};

let cover: VueWrapper;
async function show() {
  const backend = new ScriptedBackend({
    'data-folder/cancel-move': () => null,
    'data-folder/start-again': () => ({ isStarting: false }),
  });
  const { global } = await provideApplication(backend, '/settings');
  cover = mount(FolderMoveCover, { global, attachTo: document.body });
  const tell = async (change: Partial<FolderMove>): Promise<string> => {
    backend.emit('data-folder/move-changed', { ...MOVE, ...change });
    await flushPromises();
    return document.querySelector('[role="dialog"]')?.textContent ?? '';
  };
  return { backend, tell };
}
const press = async (label: string): Promise<void> => {
  const button = [...document.querySelectorAll('button')].find(
    ({ textContent }) => textContent.trim() === label,
  );
  expect(button, label).toBeDefined();
  button?.click();
  await flushPromises();
};
afterEach(() => cover.unmount());

it('nothing is covered while nothing moves', async () => {
  await show();
  expect(document.querySelector('[role="dialog"]')).toBeNull();
});

it('a move shows how far it is, and can be cancelled', async () => {
  const { backend, tell } = await show();
  expect(await tell({})).toContain('Copied 500 MB of 2.0 GB');
  expect(document.querySelector('[role="progressbar"]')?.getAttribute('aria-valuenow')).toBe('25');
  await press('Cancel');
  expect(backend.countCalls('data-folder/cancel-move')).toBe(1);
  expect(await tell({ phase: 'done', startsAgain: true })).toContain('Channelscope restarts.');
});

it('a move that failed says why, that nothing is lost, and what to do', async () => {
  const { backend, tell } = await show();
  const error = {
    code: 'data-folder.copy-failed',
    message: '',
    details: { system: 'ENOSPC: the disk is full' },
  } as const;
  const words = await tell({ phase: 'failed', error });
  expect(words).toContain('nothing is lost');
  expect(words).toContain('ENOSPC: the disk is full');
  await press('Restart');
  expect(backend.countCalls('data-folder/start-again')).toBe(1);
  expect(document.querySelector('[role="dialog"]')?.textContent).toContain('Start Channelscope again.');
});
