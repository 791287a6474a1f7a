import { beforeEach, expect, it } from 'vitest';
import type { BrowserWindow } from 'electron';
import { createNotes } from '../../src-main/electron/attention/show-notes.ts';
import {
  BrowserWindow as FakeWindow,
  calls,
  makeReady,
  Notification,
  resetFakeElectron,
} from '../support/electron/fake-electron.ts';
import { ENGLISH } from '../../src-main/common/words/words.ts';

beforeEach(() => {
  resetFakeElectron();
  makeReady();
  calls.length = 0;
});

const create = (platform: 'linux' | 'windows' | 'macos', window: FakeWindow | null = null) => {
  const order: string[] = [];
  const notes = createNotes({
    platform,
    findWindow: () => window as unknown as BrowserWindow | null,
    showWindow: () => void order.push('window'),
    readWords: () => ENGLISH,
  });
  return { ...notes, order };
};

it('a notification of the system brings the window to the front before it leads anywhere', () => {
  const { showNote, order } = create('linux');
  const shown = showNote(
    { title: 'Errors', body: '21 of 34' },
    () => void order.push('opened'),
    (reason) => void order.push(reason),
  );
  expect(shown).toBe('computer');
  expect(calls).toEqual([{ name: 'Notification.show', args: [{ title: 'Errors', body: '21 of 34' }] }]);
  expect(order).toEqual([]);
  Notification.shown.at(-1)?.click();
  expect(order).toEqual(['window', 'opened']);
});

it('says so where the system shows none', () => {
  Notification.supported = false;
  const { showNote } = create('linux');
  const nothing = (): void => undefined;
  expect(showNote({ title: '', body: '' }, nothing, nothing)).toBe('failed');
  expect(calls).toEqual([]);
});

it('says why where the system, asked to, shows none after all', async () => {
  Notification.refusal = 'switched off';
  const { showNote } = create('macos');
  const reasons: string[] = [];
  showNote(
    { title: 'Errors', body: '' },
    () => undefined,
    (reason) => void reasons.push(reason),
  );
  await expect.poll(() => reasons).toEqual(['switched off']);
});

it('the icon has the number where it has a place for one, and a mark on Windows', () => {
  create('macos').showBadge(2);
  expect(calls).toEqual([{ name: 'app.setBadgeCount', args: [2] }]);
  calls.length = 0;
  const window = new FakeWindow({});
  calls.length = 0;
  const { showBadge } = create('windows', window);
  showBadge(1);
  showBadge(0);
  expect(calls.map(({ name, args }) => [name, args[0] === null, args[1]])).toEqual([
    ['setOverlayIcon', false, '1 firing'],
    ['setOverlayIcon', true, ''],
  ]);
  window.close();
  showBadge(3);
  create('windows').showBadge(3);
});
