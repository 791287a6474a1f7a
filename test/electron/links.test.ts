import { EventEmitter } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../../src-main/core/host.ts';
import { app, calls, FakeEvent, namesOfCalls, windows } from '../support/electron/fake-electron.ts';
import { makeDesktopFolder, removeDesktopFolder } from '../support/electron/desktop-folder.ts';
import { startStubDesktop } from '../support/electron/start-stub-desktop.ts';
import { createStubCore } from '../support/fakes/stub-core.ts';
import { makeSettings } from '../unit/renderer/support/samples.ts';

const PLACE = '/inbound/detail?q=code%3A5xx';
const LINK = `channelscope://open${PLACE}`;
const PAGE = 'app://channelscope/index.html';

let folder: string;
let host: Host;
beforeEach(async () => {
  folder = await makeDesktopFolder();
});
afterEach(() => removeDesktopFolder(folder));

const core = createStubCore({ 'settings/get': () => makeSettings({ theme: 'dark' }) });
const startOn = (platform: 'linux' | 'macos', ...words: string[]): Promise<void> =>
  startStubDesktop({
    folder,
    platform,
    creation: Promise.resolve(core),
    errors: new EventEmitter(),
    words: ['channelscope', ...words],
    onHost: (given) => {
      host = given;
    },
  });
const start = (...words: string[]): Promise<void> => startOn('linux', ...words);
const loaded = (): unknown[] => calls.filter(({ name }) => name === 'loadURL').map(({ args }) => args[0]);
const sent = (): unknown[] => windows.flatMap(({ webContents }) => webContents.sent);
const refusals = (): number => namesOfCalls().filter((name) => name === 'dialog.showMessageBox').length;
const startAgain = (...words: string[]): void =>
  void app.emit('second-instance', new FakeEvent(), ['channelscope', ...words], folder);

describe('a link that starts the application', () => {
  it('is where its window begins', async () => {
    await start('--force-dark-mode', LINK);
    await expect.poll(() => loaded()).toEqual([`${PAGE}#${PLACE}`]);
  });

  it('is followed as macOS sends it, too', async () => {
    const started = start();
    const event = new FakeEvent();
    app.emit('open-url', event, LINK);
    await started;
    expect(event.defaultPrevented).toBe(true);
    await expect
      .poll(() => [loaded().at(-1), ...sent()].filter((one) => JSON.stringify(one).includes('5xx')))
      .toHaveLength(1);
  });
});

describe('what is opened while the application starts', () => {
  const begin = (): { finish: () => void; started: Promise<void> } => {
    const { promise, resolve } = Promise.withResolvers<typeof core>();
    const started = startStubDesktop({ folder, creation: promise, errors: new EventEmitter() });
    return { finish: () => resolve(core), started };
  };

  it('by another start is followed once there is a window', async () => {
    const { finish, started } = begin();
    expect(app.listenerCount('second-instance')).toBe(1);
    startAgain(LINK);
    startAgain();
    app.emit('activate');
    finish();
    await started;
    await expect
      .poll(() => [...loaded(), ...sent()].filter((one) => JSON.stringify(one).includes('5xx')))
      .toHaveLength(1);
    expect(windows).toHaveLength(1);
  });
});

describe('a link that is opened later', () => {
  it('is passed on by the second start, and shown in the window that is there', async () => {
    await start();
    startAgain(LINK);
    await expect.poll(sent).toEqual([{ channel: 'event:app/place-opened', payload: { place: PLACE } }]);
    expect(windows).toHaveLength(1);
    expect(namesOfCalls()).toContain('focus');
  });

  it('opens the window where it was closed', async () => {
    // Under macOS the application goes on without a window.
    await startOn('macos');
    windows[0]!.close();
    startAgain(LINK);
    await expect.poll(loaded).toEqual([PAGE, `${PAGE}#${PLACE}`]);
  });
});

describe('a file that is opened', () => {
  const FILE_OPENED = { channel: 'event:imports/file-opened', payload: null };
  let path: string;
  beforeEach(async () => {
    path = join(folder, 'a night.channelscope');
    await writeFile(path, 'PK');
  });

  it('waits for the page that the start loads, which takes it once', async () => {
    await start('--force-dark-mode', path);
    await expect.poll(loaded).toEqual([PAGE]);
    const offered = await host.takeOpenedFile();
    expect(offered).toEqual({
      uploadId: expect.any(String) as string,
      name: 'a night.channelscope',
      size: 2,
    });
    expect(await host.takeOpenedFile()).toBeNull();
    expect(await host.chooseImportFile(offered!.uploadId)).toMatchObject({
      path,
      name: 'a night.channelscope',
    });
    expect(sent()).toEqual([]);
  });

  it('stays offered, so that an import which failed can be tried again', async () => {
    await start(path);
    const { uploadId } = (await host.takeOpenedFile())!;
    await host.chooseImportFile(uploadId);
    expect(await host.chooseImportFile(uploadId)).toMatchObject({ path });
    expect(await host.chooseImportFile(path)).toBeNull();
  });

  it('later is told to the window that is there, and shows it', async () => {
    await start();
    startAgain(path);
    expect(sent()).toEqual([FILE_OPENED]);
    expect(namesOfCalls()).toContain('focus');
    expect(await host.takeOpenedFile()).toMatchObject({ name: 'a night.channelscope' });
  });

  it('opens the window where it was closed', async () => {
    await startOn('macos');
    windows[0]!.close();
    const event = new FakeEvent();
    app.emit('open-file', event, path);
    expect(event.defaultPrevented).toBe(true);
    expect(loaded()).toEqual([PAGE, PAGE]);
    expect(await host.takeOpenedFile()).toMatchObject({ name: 'a night.channelscope' });
  });

  it('is kept as macOS sends it before the application is ready', async () => {
    const started = startOn('macos');
    app.emit('open-file', new FakeEvent(), path);
    await started;
    expect(await host.takeOpenedFile()).toMatchObject({ name: 'a night.channelscope' });
  });

  it.each([
    ['by its name in the folder of that start', () => 'a night.channelscope'],
    ['by its address, as desktops of Linux do', () => pathToFileURL(path).href],
  ])('may be named %s', async (_how, toWord) => {
    await start();
    startAgain(toWord());
    const offered = await host.takeOpenedFile();
    expect(await host.chooseImportFile(offered!.uploadId)).toMatchObject({ path });
  });

  it.each([
    ['that is missing', () => rm(path)],
    ['that is a folder', () => rm(path).then(() => mkdir(path))],
  ])('%s is offered all the same: its import says why it fails', async (_what, change) => {
    await change();
    await start(path);
    expect(await host.takeOpenedFile()).toMatchObject({ name: 'a night.channelscope', size: null });
    expect(refusals()).toBe(0);
  });

  it('is none by an address that can name no file, which is refused with words', async () => {
    await start();
    startAgain('file:///a%2Fnight.channelscope');
    expect(refusals()).toBe(1);
    expect(sent()).toEqual([]);
    expect(await host.takeOpenedFile()).toBeNull();
  });

  it('is none that a link names, or a switch', async () => {
    await start();
    startAgain(`channelscope://open${path}`);
    startAgain(`channelscope:${pathToFileURL(path).href}`);
    startAgain(`--profile=${path}`);
    expect(refusals()).toBe(2);
    expect(sent()).toEqual([]);
    expect(await host.takeOpenedFile()).toBeNull();
  });
});

it('a hostile link is refused with words, and the application begins as usual', async () => {
  await start('channelscope://open/../../etc/passwd');
  await expect.poll(refusals).toBe(1);
  expect(loaded()).toEqual([PAGE]);
});
