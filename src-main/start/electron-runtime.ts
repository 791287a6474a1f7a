import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const INSTALL_MS = 120_000;

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
export function installElectron(root: string, limitMs = INSTALL_MS): Promise<string | null> {
  const script = join(root, 'node_modules/electron/install.js');
  if (!existsSync(script)) return Promise.resolve('the package is not installed; run "npm ci" first');
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, limitMs);
    child.stderr.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(0, 4000);
    });
    child.once('error', (error) => {
      clearTimeout(timer);
      resolve(error.message);
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      if (isLate) resolve(`the download took longer than ${limitMs / 1000} s`);
      else resolve(code === 0 && findElectron(root) !== null ? null : findReason(output));
    });
  });
}
