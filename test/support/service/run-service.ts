import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { bundledScript } from '../programs/bundled-script.ts';

const MAIN = fileURLToPath(bundledScript('service-main'));

export interface ServiceRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command of the service with these arguments, and these variables in place of the database's in the environment. */
export function runService(args: readonly string[], variables: Record<string, string>) {
  const own = Object.entries(process.env).filter(([name]) => !/^(PG|DATABASE_URL)/.test(name));
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...Object.fromEntries(own), ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (bytes: Buffer) => (output.stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (output.stderr += bytes.toString()));
  const ended = once(child, 'close').then(([code]): ServiceRun => ({
    code: code as number | null,
    ...output,
  }));
  return { child, output, ended };
}
