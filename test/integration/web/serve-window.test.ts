import { access, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../src-main/common/contract/errors.ts';
import type { Core } from '../../../src-main/core/create-core.ts';
import type { EventListener } from '../../../src-main/core/host.ts';
import { serveWindow } from '../../../src-main/core/window/serve-window.ts';

type WindowCore = Pick<Core, 'on' | 'callFromWindow'>;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-first-'));
  await writeFile(join(folder, 'settings.json'), '{"theme":"dark"}');
  await writeFile(join(folder, 'connections.json'), '["Production"]');
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const BEFORE: Readonly<Record<string, unknown>> = {
  'app/get-info': { version: '1.0.0', isSafe: false, systemLanguages: ['de'], nowMs: 1 },
  'settings/get': { theme: 'dark' },
  'connections/list': [{ name: 'Production' }],
};

function createCore(answers: Readonly<Record<string, unknown>>) {
  const listeners: EventListener[] = [];
  const core: WindowCore = {
    callFromWindow: (name) => Promise.resolve({ ok: true, value: answers[name] }),
    on: (listener) => {
      listeners.push(listener);
      return () => undefined;
    },
  };
  const change = (): void => {
    for (const listener of listeners) listener('settings/changed', {} as never);
  };
  return { core, change };
}

const serve = (core: Promise<WindowCore>, version = '1.0.0', onWait?: () => void) =>
  serveWindow(
    core,
    { kind: 'web', version, dataFolder: folder, listLanguages: () => ['en'] },
    { now: () => 2, ...(onWait === undefined ? {} : { onWait }) },
  );

const file = (): string => join(folder, 'first-answers.json');
const isThere = (): Promise<boolean> =>
  access(file()).then(
    () => true,
    () => false,
  );

/** A run of the application whose window has begun. */
async function runBefore(answers = BEFORE): Promise<void> {
  const call = serve(Promise.resolve(createCore(answers).core));
  await Promise.resolve();
  await call('settings/get', null);
  await vi.waitFor(async () => expect(await isThere()).toBe(true));
}

const never = (): Promise<WindowCore> => new Promise(() => undefined);
const WAITING = Symbol('waiting');
const orWaiting = (answer: Promise<unknown>): Promise<unknown> =>
  Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 100, WAITING))]);

describe('the calls of a window while the application starts', () => {
  it('wait in a folder that no window has shown', async () => {
    const onWait = vi.fn<() => void>();
    expect(await orWaiting(serve(never(), '1.0.0', onWait)('settings/get', null))).toBe(WAITING);
    expect(onWait).toHaveBeenCalled();
  });

  it('are answered as last time where a window is drawn from them, with what is so now', async () => {
    await runBefore();
    const onWait = vi.fn<() => void>();
    const call = serve(never(), '1.0.0', onWait);
    expect(await call('settings/get', null)).toEqual({ ok: true, value: { theme: 'dark' } });
    expect(await call('connections/list', null)).toEqual({ ok: true, value: [{ name: 'Production' }] });
    expect(await call('app/get-info', null)).toEqual({
      ok: true,
      value: { version: '1.0.0', isSafe: false, systemLanguages: ['en'], nowMs: 2 },
    });
    expect(onWait).not.toHaveBeenCalled();
    expect(await orWaiting(call('status/read-figures', {}))).toBe(WAITING);
    expect((await stat(file())).mode & 0o777).toBe(0o600);
  });

  it('are answered by the core when they come again, also with what keeps it from starting', async () => {
    await runBefore();
    const { promise, resolve, reject } = Promise.withResolvers<WindowCore>();
    const call = serve(promise);
    await call('settings/get', null);
    const again = call('settings/get', null);
    resolve(createCore({ ...BEFORE, 'settings/get': { theme: 'light' } }).core);
    expect(await again).toEqual({ ok: true, value: { theme: 'light' } });

    const failing = Promise.withResolvers<WindowCore>();
    const callFailing = serve(failing.promise);
    await callFailing('settings/get', null);
    failing.reject(new AppError('cache.newer', 'A later version wrote the cache.'));
    expect(await callFailing('settings/get', null)).toMatchObject({
      ok: false,
      error: { code: 'cache.newer' },
    });
    reject(new Error('settled before'));
  });

  it.each([
    ['another program changed the connections', () => writeFile(join(folder, 'connections.json'), '[]')],
    ['the settings are gone', () => rm(join(folder, 'settings.json'))],
    ['what was kept is damaged', () => writeFile(file(), '{"ground":')],
  ])('wait where %s', async (_case, change) => {
    await runBefore();
    await change();
    expect(await orWaiting(serve(never())('connections/list', null))).toBe(WAITING);
  });

  it('wait for another version than the one that kept them', async () => {
    await runBefore();
    expect(await orWaiting(serve(never(), '1.0.1')('settings/get', null))).toBe(WAITING);
  });
});

describe('what a window begins with', () => {
  it('is kept anew when it changes', async () => {
    const answers: Record<string, unknown> = { ...BEFORE };
    const { core, change } = createCore(answers);
    const call = serve(Promise.resolve(core));
    await Promise.resolve();
    await call('settings/get', null);
    await vi.waitFor(async () => expect(await isThere()).toBe(true));
    answers['settings/get'] = { theme: 'system' };
    change();
    await vi.waitFor(async () => expect(await readFile(file(), 'utf8')).toContain('"theme":"system"'));
  });

  it('is not kept of a safe start, which is for once', async () => {
    const safe = { ...BEFORE, 'app/get-info': { version: '1.0.0', isSafe: true } };
    const call = serve(Promise.resolve(createCore(safe).core));
    await Promise.resolve();
    await call('settings/get', null);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await isThere()).toBe(false);
  });
});
