import { afterAll, beforeAll, describe } from 'vitest';
import { openPostgresStore } from '../../../src-main/service/store-postgres/open-postgres-store.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/service/postgres-server.ts';
import { describeStoreContract } from './store-contract.ts';

const NOW_MS = Date.UTC(2026, 10, 22);

describe.skipIf(findPostgres() === undefined)('on a PostgreSQL server', () => {
  let server: PostgresServer;
  let homes = 0;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  describeStoreContract('PostgreSQL', () => {
    homes += 1;
    const schema = `home_${homes}`;
    const open = () =>
      openPostgresStore(
        { url: server.url, schema, tenant: 1001 },
        { now: () => NOW_MS, reportError: () => undefined },
      );
    return Promise.resolve({
      open,
      openFailing: async () => {
        const store = await open();
        await server.run('ALTER ROLE service CONNECTION LIMIT 0');
        await server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'service'");
        return store;
      },
      remove: async () => {
        await server.run('ALTER ROLE service CONNECTION LIMIT -1');
        await server.run(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      },
    });
  });
});
