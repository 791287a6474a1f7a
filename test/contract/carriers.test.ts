import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../src-main/common/contract/errors.ts';
import type { Settings } from '../../src-main/common/model/settings/settings.ts';
import type { Backend } from '../../src-renderer/backend/backend.ts';
import { createIpcBackend, type DesktopBridge } from '../../src-renderer/backend/choose-backend.ts';
import { createWebBackend } from '../../src-renderer/backend/web-backend.ts';
import { createStubCore, type StubCore } from '../support/fakes/stub-core.ts';
import { launch, startTestServer } from '../support/application/web-server.ts';
import { makeSettings } from '../unit/renderer/support/samples.ts';

interface Carried {
  readonly backend: Backend;
  readonly core: StubCore;
  stop(): Promise<void>;
}

const ANSWERS = {
  'tasks/list': () => [],
  'settings/update': (change: Partial<Settings>) => makeSettings({ theme: 'dark', ...change }),
  'tasks/cancel': () => {
    throw new AppError('tasks.not-found', 'No such task.', { taskId: 'x', attempts: 2 });
  },
  'settings/get': () => {
    throw new Error('a path of this computer');
  },
  'connections/list': () => 'not a list',
};

/** The real preload and the real handlers, over the recorder that stands in for electron. */
async function carryByIpc(): Promise<Carried> {
  vi.resetModules();
  const fake = await import('../support/electron/fake-electron.ts');
  fake.resetFakeElectron();
  const ipc = await import('../../src-main/electron/ipc.ts');
  await import('../../src-main/electron/preload.ts');
  const core = createStubCore(ANSWERS);
  const page = new fake.FakeWebContents();
  page.send = (channel, payload) => fake.ipcRenderer.emit(channel, {}, structuredClone(payload));
  const trusted = new Map([[page.id, page]]) as never;
  ipc.serveOperations(core.callFromWindow, trusted);
  ipc.sendEvents(core, trusted);
  fake.ipcRenderer.sender = {
    sender: page,
    senderFrame: {
      url: 'app://channelscope/index.html',
      parent: null,
      detached: false,
      isDestroyed: () => false,
    },
  };
  const bridge = fake.exposed.get('channelscope') as DesktopBridge;
  return { backend: createIpcBackend(bridge), core, stop: () => Promise.resolve() };
}

/** The real server on a port of its own. */
async function carryByWeb(): Promise<Carried> {
  const running = await startTestServer(ANSWERS);
  const session = await launch(running);
  const ending = new AbortController();
  const backend = createWebBackend({
    // What a browser adds by itself.
    fetch: (input, init) =>
      fetch(input, {
        ...init,
        headers: { ...(init?.headers as object), cookie: session.cookie, origin: running.origin },
      }),
    origin: running.origin,
    token: session.token,
    onSessionLost: () => undefined,
    signal: ending.signal,
  });
  return {
    backend,
    core: running.core,
    stop: () => {
      ending.abort();
      return running.stop();
    },
  };
}

describe.each([
  ['ipc', carryByIpc],
  ['web', carryByWeb],
])('the carrier %s', (_name, carry) => {
  let carried: Carried;
  beforeEach(async () => {
    carried = await carry();
  });
  afterEach(() => carried.stop());

  it('carries input and output', async () => {
    const settings = await carried.backend.call('settings/update', { refreshSeconds: 5 });
    expect(settings).toMatchObject({ theme: 'dark', refreshSeconds: 5 });
    expect(carried.core.asked).toEqual([{ name: 'settings/update', input: { refreshSeconds: 5 } }]);
  });

  it('carries proxies as what they stand for', async () => {
    const proxy = new Proxy({ refreshSeconds: 7 }, {});
    await carried.backend.call('settings/update', proxy);
    expect(carried.core.asked[0]?.input).toEqual({ refreshSeconds: 7 });
  });

  it('rejects with code, message and details of what went wrong', async () => {
    const failure: unknown = await carried.backend
      .call('tasks/cancel', { taskId: 'x' })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      name: 'AppError',
      code: 'tasks.not-found',
      message: 'No such task.',
      details: { taskId: 'x', attempts: 2 },
    });
  });

  it('never carries the text of an unexpected error', async () => {
    const failure: unknown = await carried.backend
      .call('settings/get', null)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'app.bug' });
    expect((failure as Error).message).not.toContain('computer');
  });

  it('turns an output that the contract does not promise into an error', async () => {
    await expect(carried.backend.call('connections/list', null)).rejects.toMatchObject({ code: 'app.bug' });
  });

  it.each([{ taskId: 1 }, {}, null, { taskId: 'x', more: 1 }])('refuses the input %j', async (input) => {
    await expect(carried.backend.call('tasks/cancel', input as never)).rejects.toMatchObject({
      code: 'app.invalid-input',
    });
    expect(carried.core.asked).toEqual([]);
  });

  it.each(['nothing/here', 'constructor', '__proto__', 'tasks'])('knows no operation %s', async (name) => {
    await expect(carried.backend.call(name as never, null as never)).rejects.toMatchObject({
      code: 'app.unknown-operation',
    });
  });

  it('carries events to every listener, in order, until each stops', async () => {
    const first: unknown[] = [];
    const second: unknown[] = [];
    const stopFirst = carried.backend.on('snapshots/removed', (payload) => first.push(payload));
    carried.backend.on('snapshots/removed', (payload) => second.push(payload));
    // Calls wait until events arrive.
    await carried.backend.call('settings/update', { refreshSeconds: 5 });
    carried.core.send('snapshots/removed', { snapshotIds: [1] });
    carried.core.send('tasks/changed', { other: true });
    carried.core.send('snapshots/removed', { snapshotIds: [2, 3] });
    await expect.poll(() => second).toHaveLength(2);
    stopFirst();
    carried.core.send('snapshots/removed', { snapshotIds: [4] });
    await expect.poll(() => second).toHaveLength(3);
    expect(first).toEqual([{ snapshotIds: [1] }, { snapshotIds: [2, 3] }]);
  });
});
