/**
 * What `npm run check` and `npm run lint` do: each of the scripts named in its arguments, two at a time, the longest
 * first. A script's output is shown as a whole once it has ended. All of them run, and the command fails where one of
 * them did.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Each takes one core and up to three gigabytes. */
const LANES = 2;

const waiting = process.argv.slice(2);
const npm = process.env['npm_execpath'];
if (npm === undefined) throw new Error('Start this by npm run check or npm run lint.');

async function runNext(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const startedAtMs = performance.now();
    // Npm's own script in this process's Node: the same on every system, without a shell.
    const child = spawn(process.execPath, [npm!, 'run', '--silent', name], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => output.push(data));
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) process.exitCode = 1;
    process.stdout.write(Buffer.concat(output));
    const seconds = Math.round((performance.now() - startedAtMs) / 1000);
    process.stdout.write(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)\n`);
  }
}

await Promise.all(Array.from({ length: LANES }, runNext));
