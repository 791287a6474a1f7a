import type { HandlersOf } from '../../common/contract/index.ts';
import type { Cache } from './cache.ts';

/** The handlers of `cache/…`. */
export function createCacheHandlers(options: {
  readonly cache: Pick<Cache, 'readState' | 'retry'>;
  /** Deletes removed snapshots for good; resolves with the bytes that were freed. */
  purge(): Promise<number>;
}): HandlersOf<'cache'> {
  const { cache, purge } = options;
  return {
    'cache/read-state': () => cache.readState(),
    'cache/retry': () => cache.retry(),
    'cache/reclaim': async () => ({ freedBytes: await purge() }),
  };
}
