import { expect, it, onTestFinished } from 'vitest';
import { openEngineSource } from '../../../src-main/core/cache/read/engine-source.ts';
import { createDocument, createFolder, fillSnapshot, openTestCache } from './cache-fixture.ts';

it('the engine lists the snapshots of a connection once until the cache changes, and never old ones', async () => {
  const { file, remove } = await createFolder();
  const cache = await openTestCache(file);
  const source = openEngineSource(file);
  onTestFinished(async () => {
    source.close();
    await cache.close();
    await remove();
  });
  expect(source.listSnapshots('one')).toEqual([]);
  const first = await fillSnapshot(cache, [createDocument(0)], { connectionId: 'one' });
  const listed = source.listSnapshots('one');
  expect(listed.map(({ id, recordCount }) => [id, recordCount])).toEqual([[first, 1]]);
  expect(source.listSnapshots('one')).toBe(listed);
  expect(source.listSnapshots('two')).toEqual([]);
  const second = await fillSnapshot(cache, [createDocument(1), createDocument(2)], { connectionId: 'two' });
  expect(source.listSnapshots('two').map(({ id }) => id)).toEqual([second]);
  await cache.removeSnapshots({ snapshotIds: [first], nowMs: Date.now() });
  expect(source.listSnapshots('one')).toEqual([]);
});
