/*
 * In JavaScript that every Node since 14 runs: one that is too old would end with a stack trace at the first file of
 * TypeScript, and crashes in the module of the database.
 */
import { spawn } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { versions, features, stderr, platform, arch, argv, execArgv, execPath, env } = process;
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
/** Of the Node that npm brings under Linux. */
const brought = `node-linux-${arch}/bin/node`;

/** What npm runs in, which may be older than the Node that it brought, and runs the scripts. */
const agent = /node\/v(\d+\.\d+\.\d+)/.exec(env['npm_config_user_agent'] || '');
const installing = agent === null ? versions.node : String(agent[1]);
const [major = 0, minor = 0] = installing.split('.').map(Number);
/** Under an older one npm leaves parts out, such as the compiler, and what it installed isn't whole. */
const hasWholeInstall = major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19);

/** Whether this Node runs Channelscope; where it doesn't, another does it, or what to install has been said. */
export const isNodeNewEnough = Boolean(features.typescript) && hasWholeInstall;

if (!isNodeNewEnough) {
  process.exitCode = 1;
  const program = join(modules, brought);
  // One that says so of itself would start itself for ever.
  if (platform === 'linux' && hasWholeInstall && existsSync(program) && execPath !== program)
    runWith(program);
  else {
    stderr.write(
      `Channelscope needs Node 22.18 or later, and this is ${installing}: install the LTS version from https://nodejs.org, then enter "npm ci" and the same command again.\n`,
    );
  }
}

/**
 * npm 10 takes `node_modules/.bin/node` away again with the packages of other systems, whose program has the same name.
 * Whoever starts it is answered by the program itself, and scripts of npm find it from the next one on.
 * @param {string} program
 */
function runWith(program) {
  try {
    symlinkSync(`../${brought}`, join(modules, '.bin/node'));
  } catch {
    // It is there already, or the folder can't be written to, and this is done at each start.
  }
  // Before there is a child: it would be left behind by a signal that comes as soon as it runs. Ctrl+C reaches it by itself.
  process.on('SIGINT', () => undefined);
  for (const name of ['SIGTERM', 'SIGHUP']) process.on(name, (signal) => child.kill(signal));
  const child = spawn(program, [...execArgv, ...argv.slice(1)], { stdio: 'inherit' });
  child.once('error', (error) => stderr.write(`${program} can't be run: ${error.message}\n`));
  child.once('exit', (code) => {
    process.exitCode = code === null ? 1 : code;
  });
}
