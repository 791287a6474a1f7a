import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const start = fileURLToPath(new URL('../../../src-main/start', import.meta.url));
const brought = `node-linux-${process.arch}/bin/node`;
const isLinux = process.platform === 'linux';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'channelscope-node-'));
  await mkdir(join(root, 'node_modules/.bin'), { recursive: true });
  await writeFile(join(root, 'package.json'), '{"type":"module"}');
  await cp(start, join(root, 'src-main/start'), { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));

/** Takes the place of the Node that npm brings. */
async function bring(script: string): Promise<void> {
  const program = join(root, 'node_modules', brought);
  await mkdir(join(program, '..'), { recursive: true });
  await writeFile(program, `#!/bin/sh\n${script}\n`);
  await chmod(program, 0o755);
}

/** Runs the entry with a Node that knows no TypeScript, as those before 22.18 don't. */
const startOld = (agent = 'npm/10.9.9 node/v20.20.2 linux x64'): ChildProcess =>
  spawn(
    process.execPath,
    ['--no-strip-types', join(root, 'src-main/start/enter.js'), 'cli/main.ts', 'status'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, npm_config_user_agent: agent },
    },
  );

async function runOld(agent?: string): Promise<{ code: unknown; out: string; errors: string }> {
  const child = startOld(agent);
  let [out, errors] = ['', ''];
  child.stdout?.on('data', (text) => (out += String(text)));
  child.stderr?.on('data', (text) => (errors += String(text)));
  const [code] = (await once(child, 'close')) as unknown[];
  return { code, out, errors };
}

describe('a Node that is too old', () => {
  it('says in one sentence what to install', async () => {
    const { code, out, errors } = await runOld();
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(errors).toMatch(
      /^Channelscope needs Node 22\.18 or later, and this is [^\n]+ the same command again\.\n$/u,
    );
  });

  it.skipIf(!isLinux)(
    'lets the Node that npm brought do it, also where npm 10 took its link away',
    async () => {
      await bring('echo "$@"; exit 5');
      const { code, out, errors } = await runOld();
      expect({ code, errors }).toEqual({ code: 5, errors: '' });
      expect(out).toMatch(/enter\.js cli\/main\.ts status\n$/u);
      // The next script of npm finds it by itself.
      expect(await readlink(join(root, 'node_modules/.bin/node'))).toBe(`../${brought}`);
    },
  );

  it('under npm is known also where scripts are run by a newer one that it brought', async () => {
    await bring('echo never');
    const { code, out, errors } = await runOld('npm/11.19.1 node/v18.20.8 linux x64 workspaces/false');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(errors).toContain('this is 18.20.8');
  });

  it.skipIf(!isLinux)('passes a request to end on, and ends as the other does', async () => {
    await bring('trap "echo ended; exit 3" TERM; echo ready; while :; do sleep 0.05; done');
    const child = startOld();
    let out = '';
    child.stdout?.on('data', (text) => {
      out += String(text);
      if (String(text).includes('ready')) child.kill('SIGTERM');
    });
    const [code] = (await once(child, 'close')) as unknown[];
    expect({ code, out }).toEqual({ code: 3, out: 'ready\nended\n' });
  });
});
