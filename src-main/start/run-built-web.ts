import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findBuiltWorkers } from '../node/worker-scripts.ts';
import { buildWhereNeeded } from './build-application.ts';
import type { StartOptions } from './read-options.ts';
import type * as Web from './run-web.ts';

/** Builds what is out of date, and starts what was built in the browser: it starts sooner than its sources would. */
export async function runBuiltWeb(root: string, options: StartOptions): Promise<void> {
  await buildWhereNeeded(root);
  const folder = join(root, 'out/main');
  const built = (await import(pathToFileURL(join(folder, 'web.mjs')).href)) as typeof Web;
  await built.runWeb(root, options, { workers: findBuiltWorkers(folder), developmentServer: null });
}
