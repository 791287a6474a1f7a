import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateDatabase } from '../../../src-main/service/store-postgres/administer.ts';
import { administerTenants, startEveryTenant } from '../../support/service/every-tenant.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/service/postgres-server.ts';
import { post } from '../../support/service/service-calls.ts';

const SCHEMA = 'older';

describe.skipIf(findPostgres() === undefined)('a database of version 3', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
    await server.migrate(SCHEMA);
    for (const statement of [
      `ALTER TABLE ${SCHEMA}.refused_address DROP CONSTRAINT refused_address_pkey`,
      `ALTER TABLE ${SCHEMA}.refused_address DROP COLUMN tenant`,
      `ALTER TABLE ${SCHEMA}.refused_address ADD PRIMARY KEY (address)`,
      `INSERT INTO ${SCHEMA}.refused_address VALUES ('127.0.0.1', '[1]', 1)`,
      `UPDATE ${SCHEMA}.schema_version SET version = 3`,
    ]) {
      await server.run(statement);
    }
  });
  afterAll(() => server.stop());

  it('counts refusals by tenant once it is brought up to date, and keeps the rights of the role that serves', async () => {
    await expect(startEveryTenant(server, SCHEMA)).rejects.toThrow('is of schema 3');
    // Without naming the role again.
    const { url } = server;
    expect(await migrateDatabase({ url, schema: SCHEMA })).toEqual({ fromVersion: 3, toVersion: 4 });
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
