import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cache } from '../../src-main/core/cache/cache.ts';
import { createFolder, openTestCache } from '../integration/cache/cache-fixture.ts';
import { fillCache } from './fill-cache.ts';

type Rest<List extends readonly unknown[]> = List extends readonly [unknown, unknown, ...infer Others]
  ? Others
  : never;

/** A cache that holds one snapshot of sample records. */
export interface FilledCache {
  readonly cache: Cache;
  readonly file: string;
  close(): Promise<void>;
}

/**
 * Fills a cache in a folder of its own, which `close` removes; in `folder` it is kept, and found filled the next time.
 * `sample` says of which time the records are, and creates them.
 */
export async function openFilledCache(
  size: number,
  folder?: string,
  ...sample: Rest<Parameters<typeof fillCache>>
): Promise<FilledCache> {
  const place = folder === undefined ? await createFolder() : await openFolder(folder);
  const cache = await openTestCache(place.file);
  const close = async (): Promise<void> => {
    await cache.close();
    await place.remove();
  };
  try {
    const [kept] = await cache.listSnapshots('one');
    if (kept === undefined) await fillCache(cache, size, ...sample);
    else if (kept.recordCount !== size || kept.state !== 'complete')
      throw new Error(`The cache in ${folder} was filled with ${kept.recordCount} records.`);
  } catch (error) {
    await close();
    throw error;
  }
  return { cache, file: place.file, close };
}

async function openFolder(folder: string): Promise<{ file: string; remove(): Promise<void> }> {
  await mkdir(folder, { recursive: true });
  return { file: join(folder, 'cache.sqlite'), remove: () => Promise.resolve() };
}
