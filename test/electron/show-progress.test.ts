import { beforeEach, expect, it } from 'vitest';
import type { BrowserWindow } from 'electron';
import { keepAwake } from '../../src-main/electron/run-desktop.ts';
import { showProgress } from '../../src-main/electron/attention/show-notes.ts';
import {
  BrowserWindow as FakeWindow,
  calls,
  makeReady,
  resetFakeElectron,
} from '../support/electron/fake-electron.ts';
import { createStubCore } from '../support/fakes/stub-core.ts';

beforeEach(() => {
  resetFakeElectron();
  makeReady();
});

const shares = (): unknown[] =>
  calls.filter(({ name }) => name === 'setProgressBar').map(({ args: [share] }) => share);

it('shows in the taskbar how far all downloads are, and nothing once they ended', () => {
  const core = createStubCore();
  const window = new FakeWindow({});
  const stop = showProgress(core, () => [window as unknown as BrowserWindow]);
  const send = (id: string, change: object): void =>
    core.send('tasks/changed', { id, kind: 'download', state: 'running', done: 0, total: 100, ...change });
  send('a', { total: null });
  send('a', { done: 50 });
  send('b', { state: 'queued', total: 300, done: 150 });
  send('export', { kind: 'export', done: 1 });
  send('b', { state: 'paused', total: 300, done: 150 });
  send('a', { state: 'done', done: 100 });
  expect(shares()).toEqual([2, 0.5, 0.5, 0.5, -1]);
  stop();
  expect(core.listenerCount()).toBe(0);
});

it('the computer does not go to sleep while something is downloaded', () => {
  const core = createStubCore();
  const stop = keepAwake(core);
  const send = (id: string, state: string): void =>
    core.send('tasks/changed', { id, kind: 'download', state, done: 0, total: 1 });
  const names = (): string[] => calls.map(({ name }) => name).filter((name) => name.startsWith('power'));
  send('a', 'queued');
  expect(names()).toEqual([]);
  send('a', 'running');
  send('b', 'running');
  send('a', 'done');
  expect(names()).toEqual(['powerSaveBlocker.start']);
  send('b', 'paused');
  expect(names()).toEqual(['powerSaveBlocker.start', 'powerSaveBlocker.stop']);
  send('c', 'running');
  stop();
  expect(names()).toHaveLength(4);
});

it('leaves a window that is closed alone', () => {
  const core = createStubCore();
  showProgress(core, () => []);
  core.send('tasks/changed', { id: 'a', kind: 'download', state: 'running', done: 1, total: 2 });
  expect(shares()).toEqual([]);
});
