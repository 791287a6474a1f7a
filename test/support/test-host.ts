import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Host } from '../../src-main/core/host.ts';
import { forkProcess } from '../../src-main/node/fork-process.ts';

/** A host for tests of the core: a folder of its own, Node's fetch, exports into that folder. */
export async function createTestHost(
  change: Partial<Host> = {},
): Promise<{ host: Host; remove(): Promise<void> }> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'channelscope-core-'));
  const host: Host = {
    kind: 'web',
    platform: 'linux',
    version: '0.0.0-test',
    dataFolder,
    fetch: globalThis.fetch,
    workers: {
      cache: new URL('../../src-main/core/cache/threads/cache-thread.ts', import.meta.url),
      service: new URL('../../src-main/service/service-thread.ts', import.meta.url),
      engine: new URL('../../src-main/core/analysis/engine/engine-process.ts', import.meta.url),
    },
    startProcess: forkProcess,
    chooseExportTarget: (name) => Promise.resolve(join(dataFolder, name)),
    revealExport: (path) => Promise.resolve(path),
    revealFolder: () => Promise.resolve(true),
    copyText: () => Promise.resolve(false),
    chooseImportFile: () => Promise.resolve(null),
    ...change,
  };
  return { host, remove: () => rm(dataFolder, { recursive: true, force: true }) };
}
