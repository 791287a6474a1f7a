import { afterAll, beforeAll, describe } from 'vitest';
import { openPostgresStore } from '../../../src-main/service/store-postgres/open-postgres-store.ts';
import type { RecordStore } from '../../../src-main/service/store/record-store.ts';
import { findPostgres, startPostgres, type PostgresServer } from './postgres-server.ts';

/** Opens a store that is empty, each time; undefined for the one of SQLite in a folder that the service makes. */
export type OpenStore = (() => Promise<RecordStore>) | undefined;

/** Describes the same behaviour on each engine. PostgreSQL is asked as a role that may only serve. */
export function describeOnEngines(
  name: string,
  describeBehaviour: (engine: { readonly openStore?: NonNullable<OpenStore> }) => void,
): void {
  describe(`${name}, on SQLite`, () => {
    describeBehaviour({});
  });
  describe.skipIf(findPostgres() === undefined)(`${name}, on PostgreSQL`, () => {
    let server: PostgresServer;
    let tenants = 0;
    beforeAll(async () => {
      server = await startPostgres();
      await server.migrate('engine');
    });
    afterAll(() => server.stop());
    describeBehaviour({
      openStore: async () => {
        tenants += 1;
        await server.addTenant('engine', tenants);
        return openPostgresStore(
          { url: server.servingUrl, schema: 'engine', tenant: tenants },
          { now: Date.now, reportError: () => undefined },
        );
      },
    });
  });
}
