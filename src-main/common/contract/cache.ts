import { Type } from 'typebox';
import { CacheState } from '../model/cache-state.ts';
import { Nothing, operation } from './operation.ts';

export const cacheOperations = {
  /** How the cache itself is: writable, short of space, put aside after damage, what retention removed. */
  'cache/read-state': operation(Nothing, CacheState),
  /** Tries to write again now, instead of within 30 seconds. Answers how the cache is afterwards. */
  'cache/retry': operation(Nothing, CacheState),
  /** Deletes removed snapshots for good, at once, and gives the space back to the disk. */
  'cache/reclaim': operation(Nothing, Type.Object({ freedBytes: Type.Integer() })),
};

export const cacheEvents = {
  /** The cache's state is another one. When `startedAtMs` changed, every list and view must be read again. */
  'cache/changed': CacheState,
};
