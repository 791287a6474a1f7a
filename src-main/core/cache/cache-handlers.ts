import type { HandlersOf } from '../../common/contract/index.ts';
import type { Cache } from './cache.ts';

/** The handlers of `cache/…`. */
export function createCacheHandlers(parts: {
  readonly cache: Pick<Cache, 'readState' | 'retry'>;
  /** `purge` deletes removed snapshots for good and returns the bytes that were freed. */
  readonly housekeeping: { purge(): Promise<number> };
}): HandlersOf<'cache'> {
  const { cache, housekeeping } = parts;
  return {
    'cache/read-state': () => cache.readState(),
    'cache/retry': () => cache.retry(),
    'cache/reclaim': async () => ({ freedBytes: await housekeeping.purge() }),
  };
}
