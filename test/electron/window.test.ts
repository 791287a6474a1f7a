import { EventEmitter } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readStartFile } from '../../src-main/common/start-message.ts';
import { AppError } from '../../src-main/common/contract/errors.ts';
import { reportStartFailure } from '../../src-main/electron/run-desktop.ts';
import { reportStart } from '../../src-main/electron/report-start.ts';
import {
  app,
  boxAnswers,
  callHandler,
  calls,
  FakeEvent,
  makeReady,
  namesOfCalls,
  nativeTheme,
  state,
  windows,
} from '../support/electron/fake-electron.ts';
import { makeDesktopFolder, removeDesktopFolder } from '../support/electron/desktop-folder.ts';
import { startStubDesktop } from '../support/electron/start-stub-desktop.ts';
import { createStubCore, type StubCore } from '../support/fakes/stub-core.ts';
import { makeSettings } from '../unit/renderer/support/samples.ts';

let folder: string;
let core: StubCore;
let errors: EventEmitter;
let told: string[];
let logged: string[];
beforeEach(async () => {
  folder = await makeDesktopFolder();
  errors = new EventEmitter();
  told = [];
  logged = [];
  const log = (event: string): void => void logged.push(event);
  const logger = { info: log, warn: log, error: log, child: () => logger };
  core = Object.assign(createStubCore({ 'settings/get': () => makeSettings({ theme: 'dark' }) }), { logger });
});
afterEach(async () => {
  vi.useRealTimers();
  await removeDesktopFolder(folder);
});

async function start(creation: Promise<StubCore> = Promise.resolve(core)): Promise<void> {
  await startStubDesktop({ folder, creation, errors, tell: (said) => void told.push(said) });
}

const count = (name: string): number => namesOfCalls().filter((one) => one === name).length;
const boxes = (): { message: string; buttons: string[] }[] =>
  calls
    .filter(({ name }) => name === 'dialog.showMessageBox')
    .map(({ args }) => args[1] as { message: string; buttons: string[] });

describe('an invisible window', () => {
  it('is shown where a hidden one never says that it is ready', async () => {
    await start();
    await expect.poll(() => windows[0]!.isVisible()).toBe(true);
    expect(count('show')).toBe(1);
    expect(told).toEqual(['shown']);
  });

  it('is shown once where a hidden one does', async () => {
    state.paintsHidden = true;
    await start();
    await expect.poll(() => windows[0]!.isVisible()).toBe(true);
    expect(count('show')).toBe(1);
  });

  it('is shown after a while when its page neither loads nor fails', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const started = start();
    await vi.waitFor(() => expect(windows).toHaveLength(1));
    vi.spyOn(windows[0]!, 'loadURL');
    windows[0]!.webContents.removeAllListeners('did-finish-load');
    await started;
    vi.advanceTimersByTime(3_000);
    expect(windows[0]!.isVisible()).toBe(true);
  });

  it('is shown by a second start, whatever state it is in', async () => {
    await start();
    windows[0]!.webContents.removeAllListeners();
    app.emit('second-instance', new FakeEvent(), []);
    expect(windows[0]!.isVisible()).toBe(true);
  });

  it('says why when its page was not loaded, and loads it again', async () => {
    await rm(join(folder, 'index.html'));
    boxAnswers.push(0);
    await start();
    await expect.poll(() => count('loadURL')).toBe(2);
    expect(boxes()[0]!.message).toContain("couldn't be loaded");
    expect(windows[0]!.isVisible()).toBe(true);
  });
});

describe('a window before its core', () => {
  const load = (): void => void windows[0]!.webContents.emit('did-finish-load');

  it('is loaded meanwhile, and shown in the colours of the settings', async () => {
    const { promise, resolve } = Promise.withResolvers<StubCore>();
    const started = start(promise);
    await expect.poll(() => windows).toHaveLength(1);
    load();
    await Promise.resolve();
    expect(windows[0]!.isVisible()).toBe(false);
    resolve(core);
    await started;
    await expect.poll(() => windows[0]!.isVisible()).toBe(true);
    expect(nativeTheme.themeSource).toBe('dark');
    expect(namesOfCalls().indexOf('loadURL')).toBeLessThan(namesOfCalls().indexOf('show'));
  });

  it('is shown where the core takes long, with a page whose calls wait for it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { promise, resolve } = Promise.withResolvers<StubCore>();
    const started = start(promise);
    await vi.waitFor(() => expect(windows).toHaveLength(1));
    load();
    vi.advanceTimersByTime(3_000);
    expect(windows[0]!.isVisible()).toBe(true);
    const { webContents } = windows[0]!;
    const frame = { url: 'app://channelscope/index.html', parent: null, isDestroyed: () => false };
    const asked = callHandler('operation:settings/get', { sender: webContents, senderFrame: frame }, null);
    expect(core.asked).toEqual([]);
    resolve(core);
    await started;
    expect(await asked).toMatchObject({ ok: true, value: { theme: 'dark' } });
  });

  it('stays hidden where there will be none, and its calls say why', async () => {
    const { promise, reject } = Promise.withResolvers<StubCore>();
    const started = start(promise);
    const failed = expect(started).rejects.toThrow('In use.');
    await expect.poll(() => windows).toHaveLength(1);
    load();
    reject(new AppError('cache.locked', 'In use.'));
    await failed;
    const { webContents } = windows[0]!;
    const frame = { url: 'app://channelscope/index.html', parent: null, isDestroyed: () => false };
    expect(
      await callHandler('operation:settings/get', { sender: webContents, senderFrame: frame }, null),
    ).toMatchObject({ ok: false, error: { code: 'cache.locked' } });
    expect(windows[0]!.isVisible()).toBe(false);
  });

  it('says why its page was not loaded without waiting for the core', async () => {
    await rm(join(folder, 'index.html'));
    boxAnswers.push(0);
    const { promise, resolve } = Promise.withResolvers<StubCore>();
    const started = start(promise);
    await expect.poll(() => boxes().length).toBeGreaterThan(0);
    expect(boxes()[0]!.message).toContain("couldn't be loaded");
    resolve(core);
    await started;
    await expect.poll(() => logged).toContain('the window was not loaded');
  });
});

describe('a window whose process is gone', () => {
  const crash = (): void =>
    void windows[0]!.webContents.emit('render-process-gone', new FakeEvent(), { reason: 'oom', exitCode: 5 });

  it('is loaded again once, and then explained', async () => {
    await start();
    crash();
    await expect.poll(() => count('loadURL')).toBe(2);
    expect(boxes()).toEqual([]);
    boxAnswers.push(1);
    crash();
    await expect.poll(() => boxes()).toHaveLength(1);
    expect(boxes()[0]!.message).toContain('stopped working again');
    await expect.poll(() => core.isStopped).toBe(true);
    expect(logged.filter((event) => event === 'the window ended')).toHaveLength(2);
  });

  it('is ended and loaded again when it hangs for long, not when it hangs for a moment', async () => {
    await start();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    windows[0]!.emit('unresponsive');
    vi.advanceTimersByTime(9_000);
    windows[0]!.emit('responsive');
    vi.advanceTimersByTime(20_000);
    expect(count('forcefullyCrashRenderer')).toBe(0);
    windows[0]!.emit('unresponsive');
    vi.advanceTimersByTime(11_000);
    expect(count('forcefullyCrashRenderer')).toBe(1);
    expect(count('loadURL')).toBe(2);
  });
});

describe('an error that nobody caught', () => {
  it.each(['uncaughtException', 'unhandledRejection'])(
    '%s is logged, the core stopped, the user told',
    async (name) => {
      await start();
      errors.emit(name, new Error('a bug'));
      errors.emit(name, new Error('another'));
      await expect.poll(() => count('app.exit')).toBe(1);
      expect(logged).toContain('uncaught');
      expect(core.isStopped).toBe(true);
      const told = calls.filter((call) => call.name === 'dialog.showErrorBox');
      expect(told).toHaveLength(1);
      expect(String(told[0]!.args[1])).toContain('a bug');
    },
  );

  it('of another process is logged only', async () => {
    await start();
    app.emit('child-process-gone', new FakeEvent(), { type: 'GPU', reason: 'crashed', exitCode: 1 });
    expect(logged).toContain('a process ended');
    expect(core.isStopped).toBe(false);
  });
});

it('the theme of the caption buttons is the application’s before the window is made', async () => {
  await start();
  expect(nativeTheme.themeSource).toBe('dark');
});

describe('the command that started the application', () => {
  it('is told of a failure before the dialog that explains it holds everything up', async () => {
    makeReady();
    calls.length = 0;
    await reportStartFailure(new Error('no folder'), {
      tell: (said) => void calls.push({ name: said, args: [] }),
    });
    expect(namesOfCalls().slice(1)).toEqual(['explained', 'dialog.showErrorBox', 'app.exit', '(ended)']);
  });

  it('hears that it is at it, until the window is shown', () => {
    vi.useFakeTimers();
    const heard: unknown[] = [];
    const { tell } = reportStart((message) => heard.push(message.channelscope));
    vi.advanceTimersByTime(2_000);
    tell('shown');
    // A window that is opened again, after the command stopped listening.
    tell('shown');
    vi.advanceTimersByTime(5_000);
    expect(heard).toEqual(['alive', 'alive', 'alive', 'shown']);
  });

  it('hears the same from a file, in case the channel of Node is not there', async () => {
    const file = join(folder, 'said');
    const { tell } = reportStart(undefined, file);
    expect(readStartFile(await readFile(file, 'utf8'))).toBe('alive');
    tell('shown');
    expect(readStartFile(await readFile(file, 'utf8'))).toBe('shown');
    expect(readStartFile('alive\nnonsense\n')).toBe('alive');
    expect(readStartFile('')).toBeNull();
  });

  it('may be gone', () => {
    vi.useFakeTimers();
    reportStart(() => {
      throw new Error('channel closed');
    });
    reportStart(undefined).tell('shown');
    expect(() => vi.advanceTimersByTime(5_000)).not.toThrow();
  });
});
