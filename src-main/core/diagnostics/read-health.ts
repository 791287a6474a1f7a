import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Health } from '../../common/contract/operations/diagnostics.ts';
import { ENGINE_LIMITS } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import type { Host } from '../host.ts';
import { pickTroubles, readLogTail } from './read-log-tail.ts';

const MAX_TROUBLES = 20;
const MAX_FILES = 8;
const MEGABYTE = 1024 * 1024;
const RUNTIMES = ['electron', 'chrome', 'node', 'v8', 'openssl'];

/** The size of a file, or of everything in a folder. What goes away meanwhile counts as nothing. */
async function measure(path: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  if (found === null) return 0;
  if (!found.isDirectory()) return found.size;
  const names = await readdir(path).catch(() => []);
  const sizes = await Promise.all(names.map((name) => measure(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function listLargest(folder: string): Promise<Health['files']> {
  const names = await readdir(folder);
  const files = await Promise.all(
    names.map(async (name) => ({ name, bytes: await measure(join(folder, name)) })),
  );
  return files.toSorted((a, b) => b.bytes - a.bytes).slice(0, MAX_FILES);
}

/** Reads how the application is. Nothing is started for it, and nothing tried. */
export async function readHealth(parts: {
  readonly host: Pick<Host, 'dataFolder' | 'version'>;
  readonly cache: Pick<Cache, 'readState'>;
  readonly isSafe: boolean;
  readonly startedAtMs: number;
  readFreeBytes(): number | null;
}): Promise<Health> {
  const { host, cache, isSafe, startedAtMs } = parts;
  const runtimes = RUNTIMES.flatMap((name) => {
    const version = process.versions[name];
    return version === undefined ? [] : [{ name, version }];
  });
  const lines = await readLogTail(join(host.dataFolder, 'logs')).catch(() => []);
  return {
    startedAtMs,
    isSafe,
    versions: [{ name: 'channelscope', version: host.version }, ...runtimes],
    memoryBytes: process.memoryUsage.rss(),
    cacheMode: cache.readState().mode,
    engineThreads: ENGINE_LIMITS.threads,
    engineMemoryBytes: ENGINE_LIMITS.memoryLimitMb * MEGABYTE,
    files: await listLargest(host.dataFolder),
    freeBytes: parts.readFreeBytes(),
    troubles: pickTroubles(lines, MAX_TROUBLES),
  };
}
