import { afterAll, beforeAll, describe } from 'vitest';
import {
  openPostgresDatabase,
  openPostgresStore,
  type PostgresDatabase,
} from '../../../src-main/service/store-postgres/open-postgres-store.ts';
import type { RecordStore } from '../../../src-main/service/store/record-store.ts';
import { findPostgres, startPostgres, type PostgresServer } from './postgres-server.ts';

/** Opens a store that is empty, each time; undefined for the one of SQLite in a folder that the service makes. */
export type OpenStore = (() => Promise<RecordStore>) | undefined;

export interface Engine {
  readonly openStore?: NonNullable<OpenStore>;
  /** Opens the database of the store that was opened last: it is served among all of its tenants. */
  readonly openDatabase?: () => Promise<PostgresDatabase>;
}

const surroundings = { now: Date.now, reportError: () => undefined };

/**
 * Describes the same behaviour of a store on each engine, served by a process of its own. PostgreSQL is asked as a role
 * that may only serve.
 */
export function describeOnEngines(name: string, describeBehaviour: (engine: Engine) => void): void {
  describe(`${name}, on SQLite`, () => {
    describeBehaviour({});
  });
  describeOnPostgres(`${name}, on PostgreSQL`, describeBehaviour, (server) => {
    let tenants = 0;
    return {
      openStore: async () => {
        tenants += 1;
        return openTenant(server(), 'engine', tenants);
      },
    };
  });
}

/** The same of everything that is asked over HTTP: also of a process that serves every tenant of a database. */
export function describeOverHttp(name: string, describeBehaviour: (engine: Engine) => void): void {
  describeOnEngines(name, describeBehaviour);
  describeOnPostgres(`${name}, on PostgreSQL for every tenant`, describeBehaviour, (server) => {
    let schemas = 0;
    return {
      openStore: async () => {
        schemas += 1;
        await server().migrate(`every_${schemas}`);
        // Others are there too.
        await server().addTenant(`every_${schemas}`, 7);
        return openTenant(server(), `every_${schemas}`, 1001);
      },
      openDatabase: () =>
        openPostgresDatabase({ url: server().servingUrl, schema: `every_${schemas}` }, surroundings),
    };
  });
}

function describeOnPostgres(
  name: string,
  describeBehaviour: (engine: Engine) => void,
  createEngine: (server: () => PostgresServer) => Engine,
): void {
  describe.skipIf(findPostgres() === undefined)(name, () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgres();
      await server.migrate('engine');
    });
    afterAll(() => server.stop());
    describeBehaviour(createEngine(() => server));
  });
}

async function openTenant(server: PostgresServer, schema: string, tenant: number): Promise<RecordStore> {
  await server.addTenant(schema, tenant);
  return openPostgresStore({ url: server.servingUrl, schema, tenant }, surroundings);
}
