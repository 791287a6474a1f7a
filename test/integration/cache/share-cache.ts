import { afterEach, beforeAll } from 'vitest';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import type { ChildProcess } from '../../../src-main/node/fork-process.ts';
import { createFolder, openTestCache, openTestEngine } from './cache-fixture.ts';

/** A cache and the engine over it. */
export interface SharedCache {
  readonly cache: Cache;
  readonly engine: Engine;
  readonly file: string;
  /** The engine's, the one that runs last. */
  readonly processes: ChildProcess[];
}

/**
 * Opens one for all tests of a file: that takes longer than most of them. What a test stored for the connections "one"
 * and "two" is deleted after it.
 */
export function shareCache(onOpen: (shared: SharedCache) => void): void {
  let cache: Cache;
  beforeAll(async () => {
    const place = await createFolder();
    cache = await openTestCache(place.file);
    const processes: ChildProcess[] = [];
    const engine = openTestEngine(place.file, processes);
    onOpen({ cache, engine, file: place.file, processes });
    return async () => {
      await engine.close();
      await cache.close();
      await place.remove();
    };
  });
  afterEach(async () => {
    for (const connectionId of ['one', 'two']) await cache.removeConnection(connectionId);
  });
}
