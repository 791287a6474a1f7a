import { EventEmitter } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSharedCore } from '../../src-main/core/create-core.ts';
import { locateDataFolder } from '../../src-main/core/data-folder/locate-data-folder.ts';
import { NotHere, runStep, type SelfTestReport } from '../../src-main/core/self-test/run-self-test.ts';
import { createInMemorySecretStore } from '../../src-main/core/secrets/secret-store.ts';
import { runDesktop } from '../../src-main/electron/run-desktop.ts';
import { findSelfTestFile } from '../../src-main/electron/self-test.ts';
import {
  calls,
  exposed,
  ipcRenderer,
  makeReady,
  Notification,
  windows,
} from '../support/electron/fake-electron.ts';
import { makeDesktopFolder, removeDesktopFolder } from '../support/electron/desktop-folder.ts';
import { bundledScript } from '../support/programs/bundled-script.ts';

let folder: string;
/** The page's side of the window, as its preload made it. */
let api: unknown = null;
beforeEach(async () => {
  folder = await makeDesktopFolder();
  await import('../../src-main/electron/preload.ts');
  api ??= exposed.get('channelscope');
  exposed.set('channelscope', api);
});
afterEach(() => removeDesktopFolder(folder));

/** Starts the desktop host over a real core, and returns its report once it has ended. */
async function run(hasTray: boolean): Promise<SelfTestReport> {
  const file = join(folder, 'report.json');
  const store = createInMemorySecretStore();
  const running = runDesktop({
    platform: 'linux',
    location: locateDataFolder(join(folder, 'data'), null),
    windowFolder: folder,
    developmentServer: null,
    preload: '/app/preload.cjs',
    workers: {
      cache: bundledScript('cache-thread'),
      service: bundledScript('service-thread'),
      engine: new URL('../../src-main/electron/engine-process.ts', import.meta.url),
      imports: bundledScript('import-thread'),
      rows: bundledScript('rows-thread'),
    },
    resourcesFolder: '/nowhere',
    createCore: (host) =>
      createSharedCore(host, { openSecretStore: () => Promise.resolve({ store, failure: null }) }),
    start: { words: ['channelscope'], folder },
    errors: new EventEmitter() as never,
    report: { tell: () => undefined },
    hasTray: () => Promise.resolve(hasTray),
    selfTestFile: file,
  });
  makeReady();
  await expect.poll(() => windows.length, { timeout: 30_000 }).toBeGreaterThan(0);
  const { webContents } = windows[0]!;
  const url = 'app://channelscope/index.html';
  ipcRenderer.sender = {
    sender: webContents,
    senderFrame: { url, parent: null, detached: false, isDestroyed: () => false },
  };
  await running;
  await expect.poll(() => calls.some(({ name }) => name === 'app.exit'), { timeout: 100_000 }).toBe(true);
  return JSON.parse(await readFile(file, 'utf8')) as SelfTestReport;
}

const failedOf = ({ steps }: SelfTestReport) => steps.filter(({ outcome }) => outcome === 'failed');

describe('the self-test of the desktop application', () => {
  it('tries twenty things, writes what came of each, and ends with 0', async () => {
    const report = await run(true);
    expect(failedOf(report)).toEqual([]);
    expect(report).toMatchObject({ host: 'desktop', isPassed: true });
    expect(report.steps).toHaveLength(20);
    expect(report.steps.find(({ name }) => name === 'tray')).toMatchObject({ outcome: 'passed' });
    expect(calls.find(({ name }) => name === 'app.exit')?.args).toEqual([0]);
  }, 180_000);

  it('says what fails, goes on, and ends with 1; what the desktop has not is no failure', async () => {
    Notification.refusal = 'switched off';
    const report = await run(false);
    expect(failedOf(report)).toMatchObject([{ name: 'notification', said: 'switched off' }]);
    expect(report.steps.find(({ name }) => name === 'tray')).toMatchObject({ outcome: 'not-here' });
    expect(report.isPassed).toBe(false);
    expect(calls.find(({ name }) => name === 'app.exit')?.args).toEqual([1]);
  }, 180_000);
});

describe('a step', () => {
  it('that hangs is one that fails', async () => {
    const step = await runStep('slow', () => new Promise<string>(() => undefined), 20);
    expect(step).toMatchObject({ outcome: 'failed', said: 'It took longer than 0.02 s.' });
  });

  it('that this computer can not do is none', async () => {
    const step = await runStep('odd', () => Promise.reject(new NotHere('No such thing.')));
    expect(step).toMatchObject({ outcome: 'not-here', said: 'No such thing.' });
  });
});

it.each([
  [['channelscope', '--self-test=/a.json'], '/a.json'],
  [['channelscope', '--self-test', 'a.json'], 'a.json'],
  [['channelscope', '--self-test'], null],
  [['channelscope'], null],
])('%j has the file %s for its report', (words, file) => {
  expect(findSelfTestFile(words)).toBe(file);
});
