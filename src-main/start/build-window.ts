import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runScript } from './run-script.ts';

/** When a file below these paths last changed, in milliseconds since 1970; 0 when there is none. */
function findNewestMs(paths: readonly string[]): number {
  let newestMs = 0;
  for (const path of paths) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) continue;
    const changedMs = found.isDirectory()
      ? findNewestMs(readdirSync(path).map((name) => join(path, name)))
      : found.mtimeMs;
    newestMs = Math.max(newestMs, changedMs);
  }
  return newestMs;
}

/** The browser shows the built window only; the desktop runs the built main process too. */
const SOURCES = {
  window: ['src-renderer', 'src-main/common', 'electron.vite.config.ts'],
  everything: ['src-renderer', 'src-main', 'electron.vite.config.ts', 'package.json'],
};

/** Whether what is built is missing or older than what it is made of. */
export function needsBuild(root: string, part: keyof typeof SOURCES): boolean {
  const builtMs = findNewestMs([join(root, 'out/renderer/index.html')]);
  return builtMs === 0 || findNewestMs(SOURCES[part].map((name) => join(root, name))) > builtMs;
}

/** Builds the application. Rejects with the end of the build's output when it fails. */
export async function build(root: string): Promise<void> {
  const script = join(root, 'node_modules/electron-vite/bin/electron-vite.js');
  const run = await runScript(root, script, ['build']);
  if (!run.isDone) throw new Error(`The build failed.\n${(run.output + run.errorOutput).slice(-4000)}`);
}
