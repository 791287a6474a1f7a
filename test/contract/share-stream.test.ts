import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Backend } from '../../src-renderer/backend/backend.ts';
import { createWebBackend } from '../../src-renderer/backend/web-backend.ts';
import {
  launch,
  startTestServer,
  type TestServer,
  type TestSession,
} from '../support/application/web-server.ts';

interface Tab {
  readonly backend: Backend;
  /** The streams that this tab asked for, by where they go on. */
  readonly streams: (string | null)[];
  readonly removed: number[];
  readonly hosts: boolean[];
  readonly doubts: boolean[];
  close(): void;
}

let running: TestServer;
let session: TestSession;
let place: string;
let tabs: Tab[];
let isHostBack: boolean;
beforeEach(async () => {
  isHostBack = true;
  running = await startTestServer({ 'tasks/list': () => [] });
  session = await launch(running);
  // Locks and channels of its own: other tests may run in the same process.
  place = randomUUID();
  tabs = [];
});
afterEach(async () => {
  for (const tab of tabs) tab.close();
  await running.stop();
});

async function openTab(): Promise<Tab> {
  const streams: (string | null)[] = [];
  const removed: number[] = [];
  const hosts: boolean[] = [];
  const doubts: boolean[] = [];
  const ending = new AbortController();
  const backend = createWebBackend({
    fetch: (input, init) => {
      const headers = new Headers(init?.headers);
      if (new Request(input).url.endsWith('/api/events')) streams.push(headers.get('last-event-id'));
      headers.set('cookie', session.cookie);
      headers.set('origin', running.origin);
      return fetch(input, { ...init, headers });
    },
    origin: running.origin,
    token: session.token,
    onSessionLost: () => undefined,
    proveHost: () => Promise.resolve(isHostBack ? 'proven' : 'gone'),
    onDoubt: (isDoubted) => doubts.push(isDoubted),
    otherTabs: {
      locks: {
        request: (name: string, options: LockOptions, use: LockGrantedCallback<unknown>) =>
          navigator.locks.request(`${name}.${place}`, options, use),
      } as Pick<LockManager, 'request'>,
      openChannel: (name) => new BroadcastChannel(`${name}.${place}`),
    },
    signal: ending.signal,
  });
  backend.watchHost?.((isThere) => hosts.push(isThere));
  backend.on('snapshots/removed', ({ snapshotIds }) => removed.push(...snapshotIds));
  await backend.call('tasks/list', null);
  const tab = { backend, streams, removed, hosts, doubts, close: () => ending.abort() };
  tabs.push(tab);
  return tab;
}

const remove = (id: number): void => running.core.send('snapshots/removed', { snapshotIds: [id] });

describe('tabs of one browser', () => {
  it('hear every event over the stream of one of them, more tabs than a browser opens connections too', async () => {
    const all = [];
    for (let count = 0; count < 12; count += 1) all.push(await openTab());
    remove(1);
    remove(2);
    for (const { removed } of all) await expect.poll(() => removed).toEqual([1, 2]);
    expect(all.flatMap(({ streams }) => streams)).toEqual([null]);
  });

  it('miss nothing when the reading one is closed, and need not read anything again', async () => {
    const [first, second, third] = [await openTab(), await openTab(), await openTab()];
    remove(1);
    await expect.poll(() => third.removed).toEqual([1]);
    first.close();
    remove(2);
    remove(3);
    await expect.poll(() => second.removed, { timeout: 5_000 }).toEqual([1, 2, 3]);
    await expect.poll(() => third.removed).toEqual([1, 2, 3]);
    expect([...second.hosts, ...third.hosts]).toEqual([]);
    expect([second.streams.length, third.streams.length].toSorted()).toEqual([0, 1]);
  });

  it('all say so when the host is gone', async () => {
    const [first, second] = [await openTab(), await openTab()];
    await running.server.stop();
    await expect.poll(() => first.hosts, { timeout: 10_000 }).toContain(false);
    await expect.poll(() => second.hosts).toContain(false);
  });

  it('are all certain of the host again once one of them reads its stream, without a call', async () => {
    const [first, second] = [await openTab(), await openTab()];
    const before = running;
    isHostBack = false;
    await before.server.stop();
    await expect.poll(() => second.doubts).toEqual([true]);
    running = await startTestServer({ 'tasks/list': () => [] }, { dataFolder: before.folder });
    isHostBack = true;
    for (const { doubts } of [first, second]) {
      await expect.poll(() => doubts.at(-1), { timeout: 10_000 }).toBe(false);
    }
    await before.stop();
  });
});
