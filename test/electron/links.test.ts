import { EventEmitter } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeViewFile } from '../../src-main/common/links/view-link.ts';
import {
  app,
  calls,
  FakeEvent,
  namesOfCalls,
  resetFakeElectron,
  uncaught,
  windows,
} from '../support/fake-electron.ts';
import { startStubDesktop } from '../support/start-stub-desktop.ts';
import { createStubCore } from '../support/stub-core.ts';
import { makeSettings } from '../unit/renderer/support/samples.ts';

const PLACE = '/inbound/detail?q=code%3A5xx';
const LINK = `channelscope://open${PLACE}`;
const PAGE = 'app://channelscope/index.html';

let folder: string;
beforeEach(async () => {
  resetFakeElectron();
  folder = await mkdtemp(join(tmpdir(), 'channelscope-links-'));
  await writeFile(join(folder, 'index.html'), '<title>window</title>');
});
afterEach(async () => {
  expect(uncaught).toEqual([]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const core = createStubCore({ 'settings/get': () => makeSettings({ theme: 'dark' }) });
const startOn = (platform: 'linux' | 'macos', ...words: string[]): Promise<void> =>
  startStubDesktop({
    folder,
    platform,
    creation: Promise.resolve(core),
    errors: new EventEmitter(),
    words: ['channelscope', ...words],
  });
const start = (...words: string[]): Promise<void> => startOn('linux', ...words);
const loaded = (): unknown[] => calls.filter(({ name }) => name === 'loadURL').map(({ args }) => args[0]);
const sent = (): unknown[] => windows.flatMap(({ webContents }) => webContents.sent);
const refusals = (): number => namesOfCalls().filter((name) => name === 'dialog.showMessageBox').length;
const startAgain = (...words: string[]): void =>
  void app.emit('second-instance', new FakeEvent(), ['channelscope', ...words]);

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

describe('a file', () => {
  it('leads where it says', async () => {
    const path = join(folder, 'night.channelscope');
    await writeFile(path, writeViewFile(PLACE));
    await start();
    startAgain(path);
    await expect.poll(sent).toEqual([{ channel: 'event:app/place-opened', payload: { place: PLACE } }]);
    app.emit('open-file', new FakeEvent(), path);
    await expect.poll(() => sent().length).toBe(2);
  });

  it.each([
    ['that is missing', () => Promise.resolve()],
    ['that is a folder', (path: string) => mkdir(path)],
    ['that is no JSON', (path: string) => writeFile(path, 'MZ\u0090')],
    [
      'of a later version',
      (path: string) => writeFile(path, '{"format":"channelscope-view","version":2,"place":"/sql"}'),
    ],
    ['that leads elsewhere', (path: string) => writeFile(path, writeViewFile('https://evil.example/'))],
    ['that is far too long', (path: string) => writeFile(path, ' '.repeat(100_000) + writeViewFile(PLACE))],
  ])('%s is refused with words', async (_what, make) => {
    const path = join(folder, 'night.channelscope');
    await make(path);
    await start();
    startAgain(path);
    await expect.poll(refusals).toBe(1);
    expect(sent()).toEqual([]);
  });
});

it('a hostile link is refused with words, and the application begins as usual', async () => {
  await start('channelscope://open/../../etc/passwd');
  await expect.poll(refusals).toBe(1);
  expect(loaded()).toEqual([PAGE]);
});
