import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../support/network/make-certificate.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/service/postgres-server.ts';
import { runService, type ServiceRun } from '../../support/service/run-service.ts';

const PASSWORD = 'mellon';
const DAY_MS = 86_400_000;

/**
 * The attack: somebody between the service and its database answers in the database's place, or reads along. The
 * database has to prove its name with a certificate of an authority that is trusted, before anything is said to it.
 */
describe.skipIf(findPostgres() === undefined)('a database that is reached over TLS', () => {
  let folder: string;
  let server: PostgresServer;
  const authority = makeCertificate({ name: 'authority', isAuthority: true });
  const stranger = makeCertificate({ name: 'stranger', isAuthority: true });
  const certificate = makeCertificate({ name: 'database', issuer: authority, address: '127.0.0.1' });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tls-'));
    await writeFile(join(folder, 'authority.pem'), authority.cert);
    await writeFile(join(folder, 'stranger.pem'), stranger.cert);
    await writeFile(join(folder, 'nonsense.pem'), 'nonsense');
    server = await startPostgres({ network: { certificate, requiresTls: true, password: PASSWORD } });
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const toPath = (name: string): string => encodeURIComponent(join(folder, `${name}.pem`));
  const migrate = (
    query: string,
    { host = '127.0.0.1', at = server }: { readonly host?: string; readonly at?: PostgresServer } = {},
    variables: Record<string, string> = {},
  ): Promise<ServiceRun> =>
    runService(['--migrate'], {
      DATABASE_URL: `postgres://service@${host}:${at.port}/postgres?${query}`,
      PGPASSWORD: PASSWORD,
      ...variables,
    }).ended;
  const accepted = {
    code: 0,
    stdout: expect.stringMatching(/The schema channelscope/) as string,
    stderr: '',
  };
  /** One line in words, and the exit code of a start that failed. */
  const expectRefused = ({ code, stdout, stderr }: ServiceRun, reason: string, exitCode = 1): void => {
    expect([code, stdout]).toEqual([exitCode, '']);
    expect(stderr).toContain(reason);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  };

  it.each(['verify-full', 'verify-ca', 'require', 'prefer'])(
    'is used where its authority and its name are right, with sslmode=%s',
    async (mode) => {
      expect(await migrate(`sslmode=${mode}&sslrootcert=${toPath('authority')}`)).toEqual(accepted);
    },
  );

  it('is used by an authority alone, and by the variables that psql takes', async () => {
    expect(await migrate(`sslrootcert=${toPath('authority')}`)).toEqual(accepted);
    const variables = { PGSSLMODE: 'verify-full', PGSSLROOTCERT: join(folder, 'authority.pem') };
    expect(await migrate('', {}, variables)).toEqual(accepted);
  });

  it.each(['verify-full', 'verify-ca', 'require'])(
    'S34: is refused with another authority, or none of its own, with sslmode=%s',
    async (mode) => {
      for (const query of [`sslmode=${mode}&sslrootcert=${toPath('stranger')}`, `sslmode=${mode}`])
        expectRefused(await migrate(query), "its certificate is of an authority that isn't trusted");
    },
  );

  it('S34: is refused by another name than its certificate has', async () => {
    const query = `sslmode=verify-full&sslrootcert=${toPath('authority')}`;
    const run = await migrate(query, { host: 'localhost' });
    expectRefused(run, 'its certificate is for another name than the one in the address');
  });

  it.each([
    ['has expired', { fromMs: Date.now() - 3 * DAY_MS, toMs: Date.now() - DAY_MS }, 'has expired'],
    ['is not valid yet', { fromMs: Date.now() + DAY_MS, toMs: Date.now() + 3 * DAY_MS }, 'not valid yet'],
  ])('is refused where its certificate %s', async (_name, dates, reason) => {
    const late = makeCertificate({ name: 'late', issuer: authority, address: '127.0.0.1', ...dates });
    const other = await startPostgres({ network: { certificate: late, password: PASSWORD } });
    try {
      const query = `sslmode=verify-full&sslrootcert=${toPath('authority')}`;
      expectRefused(await migrate(query, { at: other }), reason);
    } finally {
      await other.stop();
    }
  });

  it('is refused where it speaks no TLS', async () => {
    const other = await startPostgres({ network: { certificate: null, password: PASSWORD } });
    try {
      expectRefused(await migrate('sslmode=verify-full', { at: other }), "it doesn't speak TLS");
      expect(await migrate('sslmode=disable', { at: other })).toEqual(accepted);
    } finally {
      await other.stop();
    }
  });

  it('lets nobody in without TLS, and anybody who gives up on proof', async () => {
    expectRefused(await migrate('sslmode=disable'), 'it lets nobody in that way');
    expect(await migrate('sslmode=no-verify')).toEqual(accepted);
  });

  it.each([
    ['sslmode=verify', 'sslmode of a database takes one of'],
    ['sslmode=verify-full&sslrootcert=/nowhere/at/all.pem', 'sslrootcert of a database takes a file'],
  ])('is not looked for with %s', async (query, reason) => {
    expectRefused(await migrate(query), reason, 2);
  });

  it('is not looked for with an authority that is none', async () => {
    expectRefused(await migrate(`sslrootcert=${toPath('nonsense')}`), 'sslrootcert of a database', 2);
  });
});
