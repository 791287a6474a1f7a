import { Type } from 'typebox';
import { CacheState } from '../../model/cache/cache-state.ts';
import { Nothing, operation } from '../operation.ts';

export const cacheOperations = {
  /** The state of the cache itself: writable, short of space, put aside after damage; what retention removed. */
  'cache/read-state': operation(Nothing, CacheState),
  /** Tries to write again now, instead of within 30 seconds. Returns the state afterwards. */
  'cache/retry': operation(Nothing, CacheState),
  /** Deletes removed snapshots for good, at once, and frees their space on the disk. */
  'cache/reclaim': operation(Nothing, Type.Object({ freedBytes: Type.Integer() })),
};

export const cacheEvents = {
  /** The state changed. With another `startedAtMs`, every list and view must be read again. */
  'cache/changed': CacheState,
};
