import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QUIRK_NAMES } from '../../src-main/common/model/connections/local-service.ts';
import { readCommandLine } from '../../src-main/service/run-command.ts';
import { bundledScript } from '../support/programs/bundled-script.ts';
import { findPostgres, startPostgres } from '../support/service/postgres-server.ts';
import { toPeriod, walkReport } from '../support/service/service-calls.ts';
import { itOnPosix } from '../support/skips/posix.ts';

const MAIN = fileURLToPath(bundledScript('service-main'));
const WEEK = toPeriod(Date.now() - 7 * 86_400_000, Date.now() + 86_400_000);
const DATABASE = 'reporting-service.sqlite';

interface Ready {
  readonly url: string;
  readonly tenant: number;
  readonly accessToken: string;
  readonly accessTokenSecret: string;
}

describe('npm run service', () => {
  let folder: string;
  const children: ChildProcess[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'command-'));
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    variables = {};
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Variables of the environment for the next process. */
  let variables: Record<string, string> = {};
  const run = (...args: string[]) => {
    const env = { ...process.env, ...variables };
    const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (text: Buffer) => (output.stdout += text.toString()));
    child.stderr.on('data', (text: Buffer) => (output.stderr += text.toString()));
    return { child, output, closed: once(child, 'close') };
  };
  const startHere = async (...args: string[]) => {
    const started = run('--port', '0', '--data', folder, '--records', '500', '--days', '3', ...args);
    await Promise.race([once(started.child.stdout, 'data'), started.closed]);
    return { ...started, ready: JSON.parse(started.output.stdout) as Ready };
  };
  const runToEnd = async (...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> => {
    const { output, closed } = run(...args);
    const [code] = (await closed) as [unknown];
    return { code, ...output };
  };

  itOnPosix.each(['SIGTERM', 'SIGINT'] as const)(
    'prints one line of JSON once it listens, and ends cleanly on %s',
    async (signal) => {
      const { child, output, closed, ready } = await startHere();
      expect(Object.keys(ready)).toEqual(['url', 'tenant', 'accessToken', 'accessTokenSecret']);
      expect((await fetch(`${ready.url}/api/ServiceReporting/Status/1001`, { method: 'POST' })).status).toBe(
        200,
      );
      child.kill(signal);
      expect(await closed).toEqual([0, null]);
      expect(output.stdout).toBe(`${JSON.stringify(ready)}\n`);
      const [entry] = output.stderr.trim().split('\n');
      expect(JSON.parse(entry!)).toMatchObject({
        method: 'POST',
        route: '/api/ServiceReporting/Status/:tenant',
        status: 200,
      });
      for (const secret of [ready.accessToken, ready.accessTokenSecret])
        expect(output.stderr).not.toContain(secret);
    },
  );

  itOnPosix('gives the same credentials and records on a second start', async () => {
    const period = toPeriod(Date.now() - 4 * 86_400_000, Date.now());
    const seen: unknown[] = [];
    for (let start = 0; start < 2; start += 1) {
      const { child, closed, ready } = await startHere('--no-live');
      const { accessToken, accessTokenSecret } = ready;
      seen.push({
        accessToken,
        accessTokenSecret,
        records: await walkReport(ready, 'inbound-detail', period, 1000),
      });
      child.kill('SIGTERM');
      expect(await closed).toEqual([0, null]);
    }
    expect(seen[1]).toEqual(seen[0]);
    expect((await stat(join(folder, 'credentials.json'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, DATABASE))).mode & 0o777).toBe(0o600);
  });

  itOnPosix('keeps the clear credentials out of the database', async () => {
    const { child, closed, ready } = await startHere('--no-live');
    child.kill('SIGTERM');
    await closed;
    const bytes = await readFile(join(folder, DATABASE), 'latin1');
    expect(bytes).not.toContain(ready.accessToken);
    expect(bytes).not.toContain(ready.accessTokenSecret);
  });

  describe.skipIf(findPostgres() === undefined)('on PostgreSQL', () => {
    it('keeps its records there and its credentials in the folder, and finds both again', async () => {
      const server = await startPostgres();
      try {
        variables = { DATABASE_URL: server.url };
        const early = await runToEnd('--database-schema', 'kept');
        expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('--migrate')]);
        const migrated = await runToEnd(
          '--migrate',
          '--database-schema',
          'kept',
          '--serving-role',
          'serving',
        );
        expect(migrated).toMatchObject({ code: 0, stdout: expect.stringContaining('to 1') as string });
        const one = ['--no-live', '--tenant', '1001', '--database-schema', 'kept'];
        const first = await startHere(...one);
        const before = await walkReport(first.ready, 'inbound-detail', WEEK, 1_000);
        expect(before).toHaveLength(500);
        first.child.kill('SIGTERM');
        await first.closed;
        variables = {};
        const second = await startHere(...one, '--database', server.url);
        expect(second.ready.accessToken).toBe(first.ready.accessToken);
        expect(await walkReport(second.ready, 'inbound-detail', WEEK, 1_000)).toEqual(before);
        expect(await readdir(folder)).toEqual(['credentials.json']);
        second.child.kill('SIGTERM');
        await second.closed;
      } finally {
        await server.stop();
      }
    });

    it('says what is wrong where nothing answers at the address', async () => {
      const { code, stderr } = await runToEnd('--database', 'postgres://nobody@127.0.0.1:1/none');
      expect(code).toBe(1);
      expect(stderr).toMatch(/^The database can't be used: .*ECONNREFUSED/);
    });
  });

  it.each([
    [['--porto', '1'], '--porto'],
    [['--data', 'x', '--database', 'mysql://user@host/name'], '--database'],
    [['--data', 'x', '--database', 'postgres://user:word@host/name'], 'PGPASSWORD'],
    [['--data', 'x', '--database', 'postgres://user@host/name?password=word'], 'PGPASSWORD'],
    [['--migrate'], 'DATABASE_URL'],
    [['--database', 'postgres://user@host/name', '--import', 'a.csv'], '--tenant'],
    [['--database', 'postgres://user@host/name', '--records', '10'], '--tenant'],
    [['--database', 'postgres://user@host/name', '--data', 'x'], '--tenant'],
    [['--database', 'postgres://user@host/name', '--tenant', '7'], '--data'],
    [
      ['--data', 'x', '--database', 'postgres://user@host/name', '--database-schema', 'a; b'],
      '--database-schema',
    ],
    [['--data', 'x', '--port', '70000'], '--port'],
    [['--data', 'x', '--days', '0'], '--days'],
    [['--data', 'x', '--host', '0.0.0.0'], '--require-token'],
    [[], '--data'],
  ])('refuses %o with exit code 2', async (args, word) => {
    const { code, stdout, stderr } = await runToEnd(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(word);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it.each([
    ['--time-zone', 'Mars/Olympus'],
    ['--outbound-summary-id', 'nothing'],
    ['--outbound-summary-id', '69fd4e08-7bd1-45b3-9370-1ef0dc774eb5'],
    ['--token-minutes', '-1'],
    ['--seed', '1.5'],
    ['--host', 'two words'],
  ])('knows that %s %s makes no sense', (...args) => {
    expect(() => readCommandLine(['--data', 'x', ...args])).toThrow(args[0]);
  });

  it('explains every option with --help', async () => {
    const { code, stdout } = await runToEnd('--help');
    expect(code).toBe(0);
    const source = await readFile(new URL('../../src-main/service/run-command.ts', import.meta.url), 'utf8');
    const options = [...source.matchAll(/^ {2}'?([a-z-]+)'?: \{ type: /gm)].map(([, name]) => name!);
    expect(options.length).toBeGreaterThan(15);
    for (const option of options) expect(stdout).toMatch(new RegExp(`^  --${option}( |$)`, 'm'));
    for (const quirk of QUIRK_NAMES) expect(stdout).toContain(`  ${quirk}\n`);
  });

  itOnPosix(
    'says so when it can not keep its credentials, and makes new ones where they are damaged',
    async () => {
      const path = join(folder, 'credentials.json');
      await mkdir(path);
      const { code, stderr } = await runToEnd('--data', folder, '--records', '10', '--days', '1');
      expect(code).toBe(1);
      expect(stderr).toContain(path);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      await rm(path, { recursive: true });
      await writeFile(path, '{"accessToken":"half', { mode: 0o644 });
      const { child, closed, ready } = await startHere('--no-live');
      expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
        accessToken: ready.accessToken,
        accessTokenSecret: ready.accessTokenSecret,
      });
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      child.kill('SIGTERM');
      await closed;
    },
  );

  itOnPosix('refuses the folder of another tenant', async () => {
    const { child, closed } = await startHere('--no-live');
    child.kill('SIGTERM');
    await closed;
    const { code, stderr } = await runToEnd('--data', folder, '--tenant', '5');
    expect(code).toBe(1);
    expect(stderr).toContain('tenant 1001');
  });

  it('refuses a folder that another service uses', async () => {
    await startHere('--no-live');
    const { code, stderr } = await runToEnd('--data', folder);
    expect(code).toBe(1);
    expect(stderr).toContain('in use');
  });

  itOnPosix(
    'refuses a file that is no database, is another program’s, or is newer, and leaves it as it is',
    async () => {
      const path = join(folder, DATABASE);
      await writeFile(path, 'Dear diary, today was quiet.');
      expect((await runToEnd('--data', folder)).stderr).toContain('not a database of the reporting service');
      expect(await readFile(path, 'utf8')).toContain('Dear diary');
      await rm(path);
      const foreign = new Database(path);
      foreign.exec('CREATE TABLE notes (text TEXT)');
      foreign.close();
      expect((await runToEnd('--data', folder)).stderr).toContain('not a database of the reporting service');
      await rm(path);
      const { child, closed } = await startHere('--no-live');
      child.kill('SIGTERM');
      await closed;
      const newer = new Database(path);
      newer.pragma('user_version = 99');
      newer.close();
      expect((await runToEnd('--data', folder)).stderr).toContain('newer version');
      await chmod(path, 0o600);
    },
  );
});
