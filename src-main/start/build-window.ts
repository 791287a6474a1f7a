import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

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
export function build(root: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [join(root, 'node_modules/electron-vite/bin/electron-vite.js'), 'build'],
      { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let output = '';
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-4000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`The build failed.\n${output}`));
    });
  });
}
