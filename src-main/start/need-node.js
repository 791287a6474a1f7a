/*
 * In JavaScript that every Node since 14 runs: one that is too old would end with a stack trace at the first file of
 * TypeScript, and crashes in the module of the database.
 */
import { spawn } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { versions, features, stderr, platform, arch, argv, execArgv, execPath } = process;
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
/** Of the Node that npm brings under Linux. */
const brought = `node-linux-${arch}/bin/node`;

/** Whether this Node runs Channelscope; where it doesn't, another does it, or what to install has been said. */
export const isNodeNewEnough = Boolean(features.typescript);

if (!isNodeNewEnough) {
  process.exitCode = 1;
  const program = join(modules, brought);
  // One that says so of itself would start itself for ever.
  if (platform === 'linux' && existsSync(program) && execPath !== program) runWith(program);
  else {
    stderr.write(
      `Channelscope needs Node 22.18 or later, and this is ${versions.node}: install the LTS version from https://nodejs.org, then enter "npm ci" and the same command again.\n`,
    );
  }
}

/**
 * npm 10 takes `node_modules/.bin/node` away again with the packages of other systems, whose program has the same name.
 * Whoever starts it is answered by the program itself, and scripts of npm find it from the next one on.
 */
function runWith(program) {
  try {
    symlinkSync(`../${brought}`, join(modules, '.bin/node'));
  } catch {
    // It is there already, or the folder can't be written to, and this is done at each start.
  }
  const child = spawn(program, [...execArgv, ...argv.slice(1)], { stdio: 'inherit' });
  // Ctrl+C reaches it by itself.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => stderr.write(`${program} can't be run: ${error.message}\n`));
  child.once('exit', (code) => {
    process.exitCode = code === null ? 1 : code;
  });
}
