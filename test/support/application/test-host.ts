import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Host } from '../../../src-main/core/host.ts';
import { forkProcess } from '../../../src-main/node/fork-process.ts';
import { bundledScript } from '../programs/bundled-script.ts';

/**
 * A host for tests of the core: a folder of its own, Node's fetch, exports into that folder. The built-in service isn't
 * followed by itself: what is cached is what a test downloads.
 */
export async function createTestHost(
  change: Partial<Host> = {},
): Promise<{ host: Host; remove(): Promise<void> }> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'channelscope-core-'));
  await writeFile(join(dataFolder, 'settings.json'), JSON.stringify({ followLocalService: false }));
  const host: Host = {
    kind: 'web',
    platform: 'linux',
    version: '0.0.0-test',
    dataFolder,
    location: {
      folder: change.dataFolder ?? dataFolder,
      defaultFolder: change.dataFolder ?? dataFolder,
      chosenBy: 'start',
      missingFolder: null,
    },
    listLanguages: () => ['en'],
    fetch: globalThis.fetch,
    fetchFor: () => change.fetch ?? globalThis.fetch,
    useProxyLogins: () => undefined,
    useNetwork: () => Promise.resolve(),
    workers: {
      cache: bundledScript('cache-thread'),
      service: bundledScript('service-thread'),
      engine: bundledScript('engine-process'),
      imports: bundledScript('import-thread'),
      rows: bundledScript('rows-thread'),
    },
    startProcess: forkProcess,
    chooseExportTarget: (name) => Promise.resolve(join(dataFolder, name)),
    printPdf: () => Promise.reject(new Error('This host prints nothing.')),
    chooseFolder: (name) => Promise.resolve(join(dataFolder, name)),
    revealExport: (path) => Promise.resolve(path),
    revealFolder: () => Promise.resolve(true),
    copyText: () => Promise.resolve(false),
    showNote: () => 'page',
    showBadge: () => undefined,
    chooseImportFile: () => Promise.resolve(null),
    takeOpenedFile: () => Promise.resolve(null),
    openWindow: () => false,
    comeBack: () => null,
    startNormally: () => false,
    startAgain: () => false,
    updates: 'no-package',
    ...change,
  };
  return { host, remove: () => rm(dataFolder, { recursive: true, force: true, maxRetries: 5 }) };
}
