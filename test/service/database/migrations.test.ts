import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateDatabase } from '../../../src-main/service/store-postgres/tenants.ts';
import { administerTenants, startEveryTenant } from '../../support/service/every-tenant.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/service/postgres-server.ts';
import { post } from '../../support/service/service-calls.ts';

const SCHEMA = 'migrated';

describe.skipIf(findPostgres() === undefined)('a database that was not migrated', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  it('is refused, and served from once it is; a second time changes nothing, not the rights of the role that serves either', async () => {
    await expect(startEveryTenant(server, SCHEMA)).rejects.toThrow('has no tables of this service');
    await server.migrate(SCHEMA);
    // Without naming the role again.
    const { url } = server;
    expect(await migrateDatabase({ url, schema: SCHEMA })).toEqual({ fromVersion: 1, toVersion: 1 });
    const [credentials] = (await administerTenants(server, SCHEMA, 'add', '7')) as [object];
    const serving = await startEveryTenant(server, SCHEMA);
    try {
      const create = async (given: object): Promise<number> =>
        (await post({ url: serving.url, tenant: 7 }, '/api/ServiceReporting/CreateToken', given)).status;
      expect(await create({ ...credentials, accessToken: 'wrong' })).toBe(401);
      expect(await create(credentials)).toBe(200);
      expect(await server.read(`SELECT address, tenant FROM ${SCHEMA}.refused_address`)).toBe('127.0.0.1 7');
    } finally {
      await serving.stop();
    }
  });
});
