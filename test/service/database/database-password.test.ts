import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../support/network/make-certificate.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/service/postgres-server.ts';
import { runService } from '../../support/service/run-service.ts';
import { post, toPeriod, toReportAddress } from '../../support/service/service-calls.ts';

const PASSWORD = 'mellon/7 für@alle';
const WRONG = 'öffne=dich! 100%';
const TENANT = '/api/ServiceReporting/CreateToken';

/** What a password looks like wherever it could be written. */
const FORMS = [PASSWORD, WRONG].flatMap((password) => [
  password,
  encodeURIComponent(password),
  encodeURI(password),
  JSON.stringify(password).slice(1, -1),
  Buffer.from(password).toString('base64').replace(/=+$/, ''),
  Buffer.from(password).toString('hex'),
  // Enough to guess the rest by.
  password.slice(0, 6),
  password.slice(-5),
]);

function findLeak(text: string): string | undefined {
  return FORMS.find((form) => text.includes(form));
}

/** The attack: somebody reads the log, the list of processes or a response, and has the key to the records. */
describe.skipIf(findPostgres() === undefined)('the password of a database', () => {
  let folder: string;
  let server: PostgresServer;
  const children: ReturnType<typeof runService>[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'password-'));
    const certificate = makeCertificate({ name: 'nobody', address: '127.0.0.1' });
    server = await startPostgres({ network: { certificate, password: PASSWORD } });
    await server.migrate('channelscope');
    await server.addTenant('channelscope', 7);
  });
  afterEach(() => {
    for (const { child } of children.splice(0)) child.kill('SIGKILL');
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const toUrl = (password: string, rest = `@127.0.0.1:${server.port}/postgres?sslmode=disable`): string =>
    `postgres://serving:${encodeURIComponent(password)}${rest}`;
  const run = (args: readonly string[], variables: Record<string, string>) => {
    const started = runService(args, variables);
    children.push(started);
    return started;
  };
  const readCommandOf = ({ child }: ReturnType<typeof runService>): string => {
    const path = `/proc/${String(child.pid)}/cmdline`;
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };

  it.each<[string, (port: number) => Record<string, string>, string]>([
    ['it is wrong', () => ({ DATABASE_URL: toUrl(WRONG) }), 'password is not right'],
    [
      'it is wrong, in a variable of its own',
      (port) => ({
        DATABASE_URL: `postgres://serving@127.0.0.1:${port}/postgres?sslmode=disable`,
        PGPASSWORD: WRONG,
      }),
      'password is not right',
    ],
    ['nothing listens', () => ({ DATABASE_URL: toUrl(PASSWORD, '@127.0.0.1:1/postgres') }), 'ECONNREFUSED'],
    [
      'nothing listens at a name',
      () => ({ DATABASE_URL: toUrl(PASSWORD, '@localhost:1/a') }),
      'ECONNREFUSED',
    ],
    [
      'its name is unknown',
      () => ({ DATABASE_URL: toUrl(PASSWORD, '@nowhere.invalid/a') }),
      'nowhere.invalid',
    ],
    [
      'TLS is refused',
      (port) => ({ DATABASE_URL: toUrl(PASSWORD, `@127.0.0.1:${port}/postgres?sslmode=verify-full`) }),
      "authority that isn't trusted",
    ],
    [
      'there is no such database',
      (port) => ({ DATABASE_URL: toUrl(PASSWORD, `@127.0.0.1:${port}/none`) }),
      'none',
    ],
    ['the address is none', () => ({ DATABASE_URL: toUrl(PASSWORD, '@[nonsense') }), 'DATABASE_URL takes'],
    [
      'the address is not encoded',
      (port) => ({ DATABASE_URL: `postgres://serving:${WRONG}@127.0.0.1:${port}/postgres?sslmode=disable` }),
      'password is not right',
    ],
    ['TLS is told nonsense', () => ({ DATABASE_URL: toUrl(PASSWORD, '@127.0.0.1/a?sslmode=x') }), 'sslmode'],
  ])('S33: is not told where %s', async (_name, toVariables, reason) => {
    for (const command of [[], ['tenant', 'list']]) {
      const { code, stdout, stderr } = await run(command, toVariables(server.port)).ended;
      expect(findLeak(stdout + stderr)).toBeUndefined();
      expect(code).not.toBe(0);
      expect(stderr).toContain(reason);
      // Words, and no trace of the program.
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
  });

  it.each([
    [[]],
    [['--migrate']],
    [['tenant', 'list']],
    [['ingest', '--tenant', '7', 'x']],
    [['retain', '--days', '9']],
  ])('S33: is refused in the arguments of %j, which others can read', async (command) => {
    for (const url of [
      toUrl(PASSWORD),
      `postgres://serving@127.0.0.1/a?password=${encodeURIComponent(PASSWORD)}`,
    ]) {
      const { code, stdout, stderr } = await run([...command, '--database', url], {}).ended;
      expect([code, stdout, findLeak(stderr)]).toEqual([2, '', undefined]);
      expect(stderr).toContain('PGPASSWORD or DATABASE_URL');
    }
  });

  it('S33: is in no log, list of processes, figure, response or file of a service that runs, whatever it meets', async () => {
    const args = ['--data', folder, '--tenant', '7', '--no-live', '--records', '0', '--metrics-port', '0'];
    const all = [
      run(['--metrics-port', '0'], { DATABASE_URL: toUrl(PASSWORD) }),
      run(args, {
        DATABASE_URL: `postgres://serving@127.0.0.1:${server.port}/postgres?sslmode=disable`,
        PGPASSWORD: PASSWORD,
      }),
    ];
    const services = await Promise.all(
      all.map(async (started) => {
        await Promise.race([once(started.child.stdout, 'data'), started.ended]);
        const { url } = JSON.parse(started.output.stdout) as { url: string };
        const [first = ''] = started.output.stderr.split('\n').filter((line) => line.includes('"health"'));
        return { url, tenant: 7, health: (JSON.parse(first) as { health: string }).health };
      }),
    );
    const texts: string[] = [];
    const call = async (): Promise<number[]> => {
      const statuses: number[] = [];
      for (const service of services) {
        const period = toPeriod(Date.now() - 86_400_000, Date.now());
        const credentials = { accessToken: 'a', accessTokenSecret: 'b', tenant: 7 };
        const responses = [
          await post(service, toReportAddress(service, 'inbound-detail'), period),
          await post(service, '/api/ServiceReporting/Status/7'),
          await post(service, TENANT, credentials),
          await fetch(`${service.health}/metrics`),
          await fetch(`${service.health}/healthz`),
        ];
        statuses.push(responses[0]!.status);
        for (const response of responses)
          texts.push(JSON.stringify([...response.headers]), await response.text());
      }
      return statuses;
    };
    expect(await call()).toEqual([200, 200]);
    // Gone, and back with another password: each connection is refused.
    const resume = await server.interrupt();
    expect(await call()).toEqual([503, 503]);
    await resume();
    await server.run(`ALTER ROLE serving PASSWORD 'another'`);
    await call();
    const commands = all.map(readCommandOf);
    for (const { child } of all) child.kill('SIGTERM');
    const ends = await Promise.all(all.map(({ ended }) => ended));
    await server.run(`ALTER ROLE serving PASSWORD '${PASSWORD}'`);
    const errors = ends.map(({ stderr }) => stderr).join('\n');
    expect(errors).toMatch(/ECONNREFUSED|terminat/);
    expect(errors).toContain('password authentication failed');
    for (const { stdout, stderr } of ends) texts.push(stdout, stderr);
    for (const name of await readdir(folder)) texts.push(await readFile(join(folder, name), 'utf8'));
    expect(findLeak([...texts, ...commands].join('\n'))).toBeUndefined();
    if (existsSync('/proc/self/cmdline'))
      for (const command of commands) expect(command).toContain('--metrics-port');
  });
});
