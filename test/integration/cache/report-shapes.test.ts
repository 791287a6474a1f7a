import { expect, it, onTestFinished } from 'vitest';
import type { Remark } from '../../../src-main/common/model/cache/snapshot.ts';
import {
  createDocument,
  createFolder,
  openTestCache,
  toBody,
  toNewSnapshot,
  toPage,
} from './cache-fixture.ts';

async function openFolder() {
  const { file, remove } = await createFolder();
  let cache = await openTestCache(file);
  onTestFinished(async () => {
    await cache.close();
    await remove();
  });
  /** Stores a snapshot of one page; returns its remarks about the shape. */
  const store = async (change: Record<string, unknown>, connectionId = 'one'): Promise<readonly Remark[]> => {
    const { id } = await cache.createSnapshot(toNewSnapshot({ connectionId }));
    const documents = [0, 1, 2].map((index) => ({ ...createDocument(index), ...change }));
    const { remarks } = await cache.storePage(toPage(id, ''), toBody(documents)).stored;
    return remarks.filter(({ code }) => code.startsWith('shape-'));
  };
  return {
    store,
    reopen: async () => {
      await cache.close();
      cache = await openTestCache(file);
    },
    removeConnection: (connectionId: string) => cache.removeConnection(connectionId),
  };
}
const region = [{ code: 'shape-new-fields', count: 1, detail: 'Region' }];

it('notes with the snapshot what differs from the first responses of a connection, once, also after a restart', async () => {
  const { store, reopen } = await openFolder();
  for (let page = 0; page < 3; page += 1) expect(await store({})).toEqual([]);
  await reopen();
  expect(await store({ Region: 'north' })).toEqual(region);
  expect(await store({ Region: 'north' })).toEqual([]);
});

it('learns each connection by itself, and forgets one that is removed', async () => {
  const { store, removeConnection } = await openFolder();
  for (let page = 0; page < 3; page += 1) await store({});
  expect(await store({ Region: 'north' }, 'two')).toEqual([]);
  await removeConnection('one');
  expect(await store({ Region: 'north' })).toEqual([]);
});

it('stores records whose fields are called as what every object has', async () => {
  const { store } = await openFolder();
  const odd: Record<string, unknown> = JSON.parse(
    '{"constructor":"a","toString":1,"__proto__":{"x":1}}',
  ) as never;
  for (let page = 0; page < 3; page += 1) await store({});
  expect(await store(odd)).toEqual([
    { code: 'shape-new-fields', count: 3, detail: 'constructor, toString, __proto__' },
  ]);
  expect(await store(odd)).toEqual([]);
});
