import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runScript } from './run-script.ts';

const MAX_INSTALL_MS = 120_000;

/** Electron's program, or null. Its package is not imported: that alone would start a download. */
export function findElectron(root: string): string | null {
  const folder = join(root, 'node_modules/electron');
  try {
    const program = join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8').trim());
    return existsSync(program) ? program : null;
  } catch {
    return null;
  }
}

/** The line of the installer's output that names the error, without the stack. */
function findReason(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  return lines.find((line) => /error/iu.test(line)) ?? lines.find((line) => line !== '') ?? 'no reason given';
}

/** Downloads Electron's runtime with its own installer. Returns why that failed, or null when the runtime is there. */
export async function installElectron(root: string, limitMs = MAX_INSTALL_MS): Promise<string | null> {
  const script = join(root, 'node_modules/electron/install.js');
  if (!existsSync(script)) return 'the package is not installed; run "npm ci" first';
  const run = await runScript(root, script, [], limitMs);
  if (run.isLate) return `the download took longer than ${limitMs / 1000} s`;
  return run.isDone && findElectron(root) !== null ? null : findReason(run.errorOutput);
}
