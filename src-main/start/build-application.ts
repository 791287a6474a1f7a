import type * as Web from './run-web.ts';
import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findBuiltWorkers } from '../node/worker-scripts.ts';
import { say, type StartOptions } from './read-options.ts';

/** When a file at or below a path last changed, in milliseconds since 1970; 0 when there is none. */
function findNewestMs(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  return found.isDirectory() ? findNewestBelowMs(path) : found.mtimeMs;
}

/** Every start waits for it: a folder says itself which of its entries are folders, and of those nothing else is asked. */
function findNewestBelowMs(folder: string): number {
  let newestMs = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    const changedMs = entry.isDirectory()
      ? findNewestBelowMs(path)
      : (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    newestMs = Math.max(newestMs, changedMs);
  }
  return newestMs;
}

const SOURCES = ['src-renderer', 'src-main', 'resources/guide', 'electron.vite.config.ts', 'package.json'];
/** Of the first and of the last part that a build writes. */
const BUILT = ['out/main/web.mjs', 'out/renderer/index.html'];

/** Whether what is built is missing or older than what it is made of. */
export function needsBuild(root: string): boolean {
  const builtMs = Math.min(...BUILT.map((name) => findNewestMs(join(root, name))));
  return builtMs === 0 || Math.max(...SOURCES.map((name) => findNewestMs(join(root, name)))) > builtMs;
}

/** Builds the application. Rejects with the end of the build's output when it fails. */
async function build(root: string): Promise<void> {
  const script = join(root, 'node_modules/electron-vite/bin/electron-vite.js');
  const run = await runScript(root, script, ['build']);
  if (!run.isDone) throw new Error(`The build failed.\n${(run.output + run.errorOutput).slice(-4000)}`);
}

/** Builds what is out of date, and says so first: it takes half a minute. */
export async function buildWhereNeeded(root: string): Promise<void> {
  if (!needsBuild(root)) return;
  say('Building Channelscope …');
  await build(root);
}

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

interface ScriptRun {
  readonly isDone: boolean;
  readonly output: string;
  readonly errorOutput: string;
}

/** Runs a script with this Node, in the project's folder. Never rejects. */
function runScript(root: string, script: string, args: readonly string[]): Promise<ScriptRun> {
  const options = { cwd: root, maxBuffer: MAX_OUTPUT_BYTES } as const;
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], options, (error, output, errorOutput) => {
      resolve({ isDone: error === null, output, errorOutput });
    });
  });
}

/** Builds what is out of date, and starts what was built in the browser: it starts sooner than its sources would. */
export async function runBuiltWeb(root: string, options: StartOptions): Promise<void> {
  await buildWhereNeeded(root);
  const folder = join(root, 'out/main');
  const built = (await import(pathToFileURL(join(folder, 'web.mjs')).href)) as typeof Web;
  await built.runWeb(root, options, { workers: findBuiltWorkers(folder), developmentServer: null });
}
