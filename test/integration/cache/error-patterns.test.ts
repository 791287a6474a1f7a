import { expect, it, onTestFinished } from 'vitest';
import { openEngineSource } from '../../../src-main/core/cache/read/engine-source.ts';
import { createFolder, openTestCache } from './cache-fixture.ts';

const toPatterns = (...list: readonly (readonly [string, string])[]) =>
  list.map(([pattern, family]) => ({ pattern, family }));

it('patterns of errors are kept in their order with the families of today, until their connection is removed', async () => {
  const { file, remove } = await createFolder();
  const cache = await openTestCache(file);
  const source = openEngineSource(file);
  onTestFinished(async () => {
    source.close();
    await cache.close();
    await remove();
  });
  const save = (connectionId: string, patterns: ReturnType<typeof toPatterns>) =>
    cache.saveErrorPatterns([{ connectionId, direction: 'inbound', patterns }]);
  await save('one', toPatterns(['b', 'b'], ['a', 'a']));
  await save('one', toPatterns(['c', 'b'], ['a', 'b']));
  await save('two', toPatterns(['a', 'a']));
  const kept = toPatterns(['b', 'b'], ['a', 'b'], ['c', 'b']);
  expect(source.listErrorPatterns('one', 'inbound')).toEqual(kept);
  expect(source.listErrorPatterns('one', 'outbound')).toEqual([]);
  await cache.removeConnection('one');
  expect(source.listErrorPatterns('one', 'inbound')).toEqual([]);
  expect(source.listErrorPatterns('two', 'inbound')).toEqual(toPatterns(['a', 'a']));
});
