import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What hosts start as threads and processes: the name of the built file, and its source below `src-main`. */
export const WORKER_SOURCES = {
  'cache-thread': 'core/cache/threads/cache-thread.ts',
  'service-thread': 'service/service-thread.ts',
  // The engine in a child process of Node, and in a utility process of Electron.
  'engine-process': 'core/analysis/engine/engine-process.ts',
  'engine-utility': 'electron/engine-process.ts',
  'import-thread': 'core/imports/reading/import-thread.ts',
  'rows-thread': 'core/exports/thread/rows-thread.ts',
} as const;

/** The scripts that a host gives to the core. */
export type WorkerScripts = Readonly<Record<'cache' | 'service' | 'engine' | 'imports' | 'rows', URL>>;

function findWorkers(
  find: (name: keyof typeof WORKER_SOURCES) => string,
  engine: 'engine-process' | 'engine-utility',
): WorkerScripts {
  const locate = (name: keyof typeof WORKER_SOURCES): URL => pathToFileURL(find(name));
  return {
    cache: locate('cache-thread'),
    service: locate('service-thread'),
    engine: locate(engine),
    imports: locate('import-thread'),
    rows: locate('rows-thread'),
  };
}

/** Returns the built scripts in a folder. */
export function findBuiltWorkers(
  folder: string,
  engine: 'engine-process' | 'engine-utility' = 'engine-process',
): WorkerScripts {
  return findWorkers((name) => join(folder, `${name}.mjs`), engine);
}

/** Returns the scripts as sources, for what itself runs from source. */
export function findSourceWorkers(): WorkerScripts {
  return findWorkers((name) => join(import.meta.dirname, '..', WORKER_SOURCES[name]), 'engine-process');
}
