import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { WORKER_SOURCES } from '../../../src-main/node/worker-scripts.ts';

/**
 * What tests start as threads and processes, hundreds of times: bundled once, each starts in a fifth of the time that
 * its many sources take. The end-to-end tests start what is built, as people do.
 *
 * Each of the first is one file: what they share in files of its own would cost each start a third more.
 */
export const ALONE = {
  'cache-thread': `src-main/${WORKER_SOURCES['cache-thread']}`,
  'engine-process': `src-main/${WORKER_SOURCES['engine-process']}`,
  'import-thread': `src-main/${WORKER_SOURCES['import-thread']}`,
  'rows-thread': `src-main/${WORKER_SOURCES['rows-thread']}`,
  'service-thread': `src-main/${WORKER_SOURCES['service-thread']}`,
  'service-main': 'src-main/service/main.ts',
} as const;
export const TOGETHER = {
  'run-web': 'src-main/start/run-web.ts',
  'run-cli': 'test/support/programs/run-cli.ts',
  'start-with-root': 'test/integration/start/start-with-root.ts',
  'hold-folder': 'test/support/programs/hold-folder.ts',
  'hold-lock': 'test/faults/cache/hold-lock.ts',
  'open-and-close': 'test/faults/cache/open-and-close.ts',
  'import-until-killed': 'test/faults/cache/import-until-killed.ts',
  'read-pages-again': 'test/faults/cache/read-pages-again.ts',
  'write-pages': 'test/faults/cache/write-pages.ts',
  'write-until-killed': 'test/integration/cache/write-until-killed.ts',
  'download-until-killed': 'test/integration/downloads/download-until-killed.ts',
  'feed-until-killed': 'test/integration/analysis/feed-until-killed.ts',
  'move-until-killed': 'test/integration/data-folder/move-until-killed.ts',
  'export-until-killed': 'test/faults/exports/export-until-killed.ts',
} as const;
const SOURCES = { ...ALONE, ...TOGETHER };

/** The bundle of a script, in the folder that `BUNDLED_SCRIPTS` names; its source where it names none. */
export function bundledScript(name: keyof typeof SOURCES): URL {
  const folder = process.env['BUNDLED_SCRIPTS'];
  const source = join(import.meta.dirname, '../../..', SOURCES[name]);
  return pathToFileURL(folder === undefined ? source : join(folder, `${name}.mjs`));
}
