import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../../src-main/core/host.ts';
import { app, callHandler, calls, namesOfCalls, windows } from '../support/electron/fake-electron.ts';
import { makeDesktopFolder, removeDesktopFolder } from '../support/electron/desktop-folder.ts';
import { startStubDesktop } from '../support/electron/start-stub-desktop.ts';
import { createStubCore, type StubCore } from '../support/fakes/stub-core.ts';

let folder: string;
let core: StubCore;
let host: Host;
beforeEach(async () => {
  folder = await makeDesktopFolder();
  core = createStubCore({ 'tasks/list': () => [] });
  await startStubDesktop({
    folder,
    creation: Promise.resolve(core),
    errors: new EventEmitter(),
    words: ['channelscope', '--safe', 'channelscope://open/overview'],
    onHost: (given) => {
      host = given;
    },
  });
});
afterEach(() => removeDesktopFolder(folder));

interface Item {
  readonly label?: string;
  readonly accelerator?: string;
  readonly click?: () => void;
  readonly submenu?: readonly Item[];
}

/** Presses the menu's item, as its accelerator does. */
function pressNewWindow(): void {
  const menu = calls.findLast(({ name }) => name === 'Menu.setApplicationMenu')?.args[0] as {
    template: Item[];
  };
  const item = menu.template
    .flatMap(({ submenu = [] }) => submenu)
    .find(({ label }) => label === 'New Window');
  expect(item?.accelerator).toBe('CmdOrCtrl+N');
  item?.click?.();
}

describe('a further window', () => {
  it('begins at the place of the one in front, a step beside it', () => {
    const first = windows[0]!;
    first.webContents.url = 'app://channelscope/index.html#/inbound/detail?period=yesterday';
    pressNewWindow();
    expect(windows).toHaveLength(2);
    expect(calls.findLast(({ name }) => name === 'loadURL')?.args[0]).toBe(
      'app://channelscope/index.html#/inbound/detail?period=yesterday',
    );
    expect(windows[1]!.options).toMatchObject({ x: 38, y: 48, width: 1100, height: 700 });
    // Each keeps its own place.
    expect(first.webContents.sent).toEqual([]);
  });

  it('is opened at a place that the page asks for', () => {
    expect(host.openWindow('/library')).toBe(true);
    expect(calls.findLast(({ name }) => name === 'loadURL')?.args[0]).toBe(
      'app://channelscope/index.html#/library',
    );
  });

  it('may call the core, as the first one may, until it is closed', async () => {
    pressNewWindow();
    const [first, second] = windows;
    const call = ({ webContents }: (typeof windows)[number]): Promise<unknown> => {
      const senderFrame = {
        isDestroyed: () => false,
        detached: false,
        parent: null,
        url: 'app://channelscope/index.html#/library',
      };
      return callHandler('operation:tasks/list', { sender: webContents, senderFrame }, null);
    };
    await expect(call(second!)).resolves.toMatchObject({ ok: true });
    await expect(call(first!)).resolves.toMatchObject({ ok: true });
    second!.close();
    await expect(call(second!)).rejects.toThrow('Refused');
    await expect(call(first!)).resolves.toMatchObject({ ok: true });
  });

  it('leaves the first one open, and takes what is opened elsewhere while it is in front', () => {
    pressNewWindow();
    const [first, second] = windows;
    app.emit('second-instance', {}, ['channelscope', 'channelscope://open/library'], folder);
    expect(second!.webContents.sent.map(({ channel }) => channel)).toContain('event:app/place-opened');
    first!.emit('focus');
    app.emit('second-instance', {}, ['channelscope', 'channelscope://open/library'], folder);
    expect(first!.webContents.sent.map(({ channel }) => channel)).toContain('event:app/place-opened');
    first!.close();
    expect(namesOfCalls()).not.toContain('app.quit');
    app.emit('second-instance', {}, ['channelscope', 'channelscope://open/alerts'], folder);
    expect(second!.webContents.sent.at(-1)?.payload).toEqual({ place: '/alerts' });
    second!.close();
    expect(namesOfCalls()).toContain('app.quit');
  });

  it('hears of everything that happens, like the first', () => {
    pressNewWindow();
    core.send('settings/changed', {});
    for (const { webContents } of windows) {
      expect(webContents.sent.map(({ channel }) => channel)).toContain('event:settings/changed');
    }
  });
});

it('a safe start ends, and a usual one begins, with the same words but for --safe', async () => {
  expect(host.startNormally()).toBe(true);
  await expect.poll(() => namesOfCalls()).toContain('app.quit');
  expect(calls.find(({ name }) => name === 'app.relaunch')?.args[0]).toEqual({
    args: ['channelscope://open/overview'],
  });
});
