import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Host } from '../../src-main/core/host.ts';
import { quitBySystem, WAYS_TO_QUIT } from '../support/electron/quit-by-system.ts';
import { app, calls, FakeEvent, namesOfCalls, windows } from '../support/electron/fake-electron.ts';
import { makeDesktopFolder, removeDesktopFolder } from '../support/electron/desktop-folder.ts';
import { startStubDesktop } from '../support/electron/start-stub-desktop.ts';
import { createStubCore, type StubCore } from '../support/fakes/stub-core.ts';
import { makeSettings } from '../unit/renderer/support/samples.ts';

let folder: string;
let core: StubCore;
beforeEach(async () => {
  folder = await makeDesktopFolder();
  core = createStubCore({ 'settings/get': () => makeSettings() });
});
afterEach(async () => {
  vi.useRealTimers();
  await removeDesktopFolder(folder);
});

async function start(
  creation: Promise<StubCore> = Promise.resolve(core),
  platform: Host['platform'] = 'linux',
): Promise<void> {
  await startStubDesktop({ folder, creation, errors: new EventEmitter(), platform });
}

const count = (name: string): number => namesOfCalls().filter((one) => one === name).length;

describe('quitting', () => {
  it('stops the core first, once, and closes the windows then', async () => {
    await start();
    app.quit();
    app.quit();
    expect(count('(ended)')).toBe(0);
    await expect.poll(() => count('(ended)')).toBe(1);
    expect(core.isStopped).toBe(true);
    expect(windows[0]!.isDestroyed()).toBe(true);
    // The dock would keep the bar of a window that was closed while something was downloaded.
    expect(calls.findLast(({ name }) => name === 'setProgressBar')?.args).toEqual([-1]);
  });

  it('ends also when the core does not stop', async () => {
    core.stop = () => new Promise(() => undefined);
    await start();
    vi.useFakeTimers();
    app.quit();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(count('(ended)')).toBe(1);
  });

  it('while the core is created waits for it, and stops it', async () => {
    let create: (created: StubCore) => void = () => undefined;
    const started = start(new Promise((resolve) => (create = resolve)));
    await expect.poll(() => windows).toHaveLength(1);
    app.quit();
    expect(count('(ended)')).toBe(0);
    create(core);
    await started;
    await expect.poll(() => count('(ended)')).toBe(1);
    expect(core.isStopped).toBe(true);
    expect(windows).toHaveLength(1);
  });

  it('meanwhile a second start opens no window on a dying core, but the application anew', async () => {
    const { promise, resolve: finish } = Promise.withResolvers<undefined>();
    core.stop = () => promise;
    await start();
    app.quit();
    windows[0]!.close();
    app.emit('second-instance', new FakeEvent(), []);
    app.emit('activate');
    expect(windows).toHaveLength(1);
    finish(undefined);
    await expect.poll(() => count('app.relaunch')).toBe(1);
  });
});

describe('the order of events of each system', () => {
  const SYSTEMS = ['macos', 'windows', 'linux'] as const;
  const cases = SYSTEMS.flatMap((system) => WAYS_TO_QUIT.map((way) => [system, way] as const)).filter(
    ([system, way]) => !(system === 'macos' && way === 'its last window'),
  );

  it.each(cases)('on %s, by %s, the core has stopped before anything ends', async (system, way) => {
    core.stop = async () => {
      calls.push({ name: '(stopping)', args: [] });
      await new Promise((resolve) => setTimeout(resolve, 20));
      core.isStopped = true;
    };
    await start(Promise.resolve(core), system);
    quitBySystem(system, way);
    // Windows gives no time: it is used from the first moment on, and what is left undone the cache's log knows.
    if (system === 'windows' && way === 'signing out') {
      await expect.poll(() => core.isStopped).toBe(true);
    } else {
      expect(count('(ended)') + count('(killed)')).toBe(0);
      await expect.poll(() => count('(ended)')).toBe(1);
      expect(core.isStopped).toBe(true);
    }
    expect(count('(stopping)')).toBe(1);
  });

  it('on macos a closed window ends nothing, and the dock opens it again', async () => {
    await start(Promise.resolve(core), 'macos');
    quitBySystem('macos', 'its last window');
    expect(windows[0]!.isDestroyed()).toBe(true);
    expect(count('app.quit')).toBe(0);
    expect(core.isStopped).toBe(false);
    app.emit('activate');
    expect(windows).toHaveLength(2);
  });
});
