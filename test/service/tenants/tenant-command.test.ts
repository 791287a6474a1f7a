import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClearCredentials } from '../../../src-main/service/tokens/open-token-issuer.ts';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { openPostgresStore } from '../../../src-main/service/store-postgres/open-postgres-store.ts';
import { findTenantFolder } from '../../../src-main/service/tenants/served-tenant.ts';
import { callTenantCommand } from '../../support/service/every-tenant.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/service/postgres-server.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { authorise, post } from '../../support/service/service-calls.ts';

type Credentials = ClearCredentials & { readonly tenant: number };

/** Where tenants are kept: what the command needs to find them, and a service of one of them. */
interface Place {
  readonly args: readonly string[];
  start(tenant: number): Promise<RunningService>;
}

const runIn =
  ({ args }: Place) =>
  (...words: string[]): Promise<unknown[]> =>
    callTenantCommand([...words, ...args]);

const createToken = ({ url }: RunningService, credentials: Credentials): Promise<number> =>
  post({ url, tenant: credentials.tenant }, '/api/ServiceReporting/CreateToken', credentials).then(
    ({ status }) => status,
  );

function describeTenants(name: string, getPlace: () => Place): void {
  describe(`the tenants of ${name}`, () => {
    it('are added without records, listed, given new credentials and removed', async () => {
      const run = runIn(getPlace());
      const [first] = (await run('add', '7')) as [Credentials];
      expect(Object.keys(first)).toEqual(['tenant', 'accessToken', 'accessTokenSecret']);
      await run('add', '1234567');
      await expect(run('add', '7')).rejects.toThrow('is there already');
      const empty = { inboundRecords: 0, outboundRecords: 0, newestInbound: null };
      expect(await run('list')).toEqual([
        { tenant: 7, ...empty },
        { tenant: 1_234_567, ...empty },
      ]);
      const [rotated] = (await run('rotate', '7')) as [Credentials];
      expect(rotated.accessToken).not.toBe(first.accessToken);
      await run('remove', '1234567', '--forget-records');
      expect(await run('list')).toEqual([{ tenant: 7, ...empty }]);
      for (const action of ['rotate', 'remove'])
        await expect(run(action, '1234567', '--forget-records')).rejects.toThrow('no tenant 1234567');
      await expect(run('remove', '7')).rejects.toThrow('--forget-records');
      await run('remove', '7', '--forget-records');
      expect(await run('list')).toEqual([]);
    });

    it('are served with their own credentials only, and get no sample', async () => {
      const place = getPlace();
      const run = runIn(place);
      const [first] = (await run('add', '8')) as [Credentials];
      const [other] = (await run('add', '9')) as [Credentials];
      const service = await place.start(8);
      try {
        expect([service.accessToken, (await service.readSize()).inboundRecords]).toEqual(['', 0]);
        const { authorization = '' } = await authorise({ ...service, ...first });
        const status = '/api/ServiceReporting/Status/8';
        expect((await post(service, status, undefined, { authorization })).status).toBe(200);
        for (const wrong of [other, { ...other, tenant: 8 }, { ...first, accessTokenSecret: 'x' }])
          expect(await createToken(service, wrong)).toBe(401);
      } finally {
        await service.stop();
      }
    });
  });
}

describe('npm run service -- tenant', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tenants-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  describeTenants('a data folder', () => ({
    args: ['--data', folder],
    start: (tenant) => startTestService({ tenant, live: true, dataFolder: findTenantFolder(folder, tenant) }),
  }));

  it('sees the tenant of the folder itself, and leaves what else is there', async () => {
    const own = join(folder, 'own');
    await startTestService({ dataFolder: own, records: 10 }).then((service) => service.stop());
    const run = runIn({ args: ['--data', own], start: () => Promise.reject(new Error()) });
    await run('add', '5');
    expect(await run('list')).toMatchObject([
      { tenant: 5 },
      { tenant: 1001, inboundRecords: 10, newestInbound: expect.stringMatching(/Z$/) as string },
    ]);
    await run('remove', '1001', '--forget-records');
    expect(await run('list')).toMatchObject([{ tenant: 5 }]);
  });

  it.each([[[]], [['add']], [['add', 'x']], [['add', '1', '2']], [['drop', '1']]])(
    'refuses %o',
    async (words) => {
      const run = runIn({ args: ['--data', folder], start: () => Promise.reject(new Error()) });
      await expect(run(...words)).rejects.toMatchObject({ name: 'OptionError' });
    },
  );

  describe.skipIf(findPostgres() === undefined)('on PostgreSQL', () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgres();
      await server.migrate('channelscope');
    });
    afterAll(() => server.stop());
    const open = (tenant: number) => () =>
      openPostgresStore(
        { url: server.servingUrl, schema: 'channelscope', tenant },
        { now: Date.now, reportError: () => undefined },
      );

    describeTenants('a database', () => ({
      args: ['--database', server.url],
      start: (tenant) => startTestService({ tenant, live: true, openStore: open(tenant) }),
    }));

    it('counts a rotation at a service that runs', async () => {
      const run = runIn({ args: ['--database', server.url], start: () => Promise.reject(new Error()) });
      const [first] = (await run('add', '10')) as [Credentials];
      const service = await startTestService({ tenant: 10, openStore: open(10) });
      try {
        expect(await createToken(service, first)).toBe(200);
        const [second] = (await run('rotate', '10')) as [Credentials];
        expect(await createToken(service, first)).toBe(401);
        expect(await createToken(service, second)).toBe(200);
      } finally {
        await service.stop();
      }
    });

    it('is refused to a role that may only serve', async () => {
      const run = runIn({
        args: ['--database', server.servingUrl],
        start: () => Promise.reject(new Error()),
      });
      await expect(run('add', '11')).rejects.toMatchObject({ code: 'local-service.start-failed' });
      await expect(run('remove', '8', '--forget-records')).rejects.toMatchObject({
        code: 'local-service.start-failed',
      });
    });
  });
});
