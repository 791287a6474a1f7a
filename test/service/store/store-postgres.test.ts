import { afterAll, beforeAll, describe } from 'vitest';
import { openPostgresStore } from '../../../src-main/service/store-postgres/open-postgres-store.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/service/postgres-server.ts';
import { describeStoreContract, type StoreHome } from './store-contract.ts';

const NOW_MS = Date.UTC(2026, 10, 22);

describe.skipIf(findPostgres() === undefined)('on a PostgreSQL server', () => {
  let server: PostgresServer;
  let tenants = 1000;
  beforeAll(async () => {
    server = await startPostgres();
    await server.migrate('homes');
  });
  afterAll(() => server.stop());

  /** Each home is a tenant of its own. */
  const describeAs = (name: string, role: 'owner' | 'serving', numRuns?: number): void => {
    const createHome = async (): Promise<StoreHome> => {
      tenants += 1;
      const tenant = tenants;
      await server.addTenant('homes', tenant);
      const url = role === 'owner' ? server.url : server.servingUrl;
      const user = role === 'owner' ? 'service' : 'serving';
      const open = () =>
        openPostgresStore(
          { url, schema: 'homes', tenant },
          {
            now: () => NOW_MS,
            reportError: () => undefined,
          },
        );
      return {
        open,
        openFailing: async () => {
          const store = await open();
          await server.run(`ALTER ROLE ${user} CONNECTION LIMIT 0`);
          await server.run(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${user}'`,
          );
          return store;
        },
        remove: () => server.run(`ALTER ROLE ${user} CONNECTION LIMIT -1`),
      };
    };
    describeStoreContract(name, createHome, numRuns);
  };
  describeAs('PostgreSQL, as the owner of its tables', 'owner');
  // The same statements: what they may do shows in a few runs.
  describeAs('PostgreSQL, as a role that may only serve', 'serving', 2);
});
