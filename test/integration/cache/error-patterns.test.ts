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
    cache.saveErrorPatterns({
      found: [{ connectionId, direction: 'inbound', patterns }],
      cacheIdentity: source.identity,
    });
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

it('what was found before secrets were taken out of the patterns does not bring them back', async () => {
  const { file, remove } = await createFolder();
  const cache = await openTestCache(file);
  const source = openEngineSource(file);
  onTestFinished(async () => {
    source.close();
    await cache.close();
    await remove();
  });
  const secret = 'q7Tz-secret-of-the-service-0815';
  const patterns = toPatterns([`refused ${secret}`, `refused ${secret}`], ['timed out', 'timed out']);
  const found = [{ connectionId: 'one', direction: 'inbound' as const, patterns }];
  await cache.saveErrorPatterns({ found, cacheIdentity: source.identity });
  const { isChanged } = await cache.cleanPages({ connectionId: 'one', secrets: [secret] });
  expect(isChanged).toBe(true);
  // What the engine still has in its table, and finds to be of another family.
  await cache.saveErrorPatterns({ found, cacheIdentity: source.identity });
  const reopened = openEngineSource(file);
  const kept = reopened.listErrorPatterns('one', 'inbound');
  const { identity } = reopened;
  reopened.close();
  expect(kept).toHaveLength(2);
  expect(JSON.stringify(kept)).not.toContain(secret);
  await cache.saveErrorPatterns({
    found: [{ ...found[0]!, patterns: toPatterns(['new', 'new']) }],
    cacheIdentity: identity,
  });
  expect(source.listErrorPatterns('one', 'inbound').map(({ pattern }) => pattern)).toContain('new');
});
