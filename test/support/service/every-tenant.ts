import { DEFAULT_SERVICE_OPTIONS, type ServiceOptions } from '../../../src-main/service/service-options.ts';
import { serveTenants, type ServingTenants } from '../../../src-main/service/tenants/serve-every-tenant.ts';
import { runTenantCommand } from '../../../src-main/service/commands/tenant-command.ts';
import type { ServiceSurroundings } from '../../../src-main/service/start-service.ts';
import type { ClearCredentials } from '../../../src-main/service/tokens/open-token-issuer.ts';
import {
  openPostgresDatabase,
  openPostgresStore,
} from '../../../src-main/service/store-postgres/open-postgres-store.ts';
import type { PostgresServer } from './postgres-server.ts';
import { startTestService } from './running-service.ts';

export type TenantCredentials = ClearCredentials & { readonly tenant: number };

export interface EveryTenantOptions extends Partial<ServiceOptions>, Pick<ServiceSurroundings, 'health'> {
  readonly now?: () => number;
  readonly elapsedMs?: () => number;
}

/** Serves all tenants of a schema in this process, as a role that may only serve, and requires tokens. */
export async function startEveryTenant(
  server: PostgresServer,
  schema: string,
  { now = Date.now, elapsedMs = () => performance.now(), health, ...options }: EveryTenantOptions = {},
): Promise<ServingTenants> {
  const errors: unknown[] = [];
  const reportError = (error: unknown): void => void errors.push(error);
  const serving = await serveTenants(
    { ...DEFAULT_SERVICE_OPTIONS, dataFolder: '', requireToken: true, ...options },
    {
      now,
      elapsedMs,
      ...(health === undefined ? {} : { health }),
      reportError,
      openDatabase: () => openPostgresDatabase({ url: server.servingUrl, schema }, { now, reportError }),
    },
  );
  return {
    url: serving.url,
    stop: async () => {
      await serving.stop();
      if (errors.length > 0) throw new AggregateError(errors, 'The service met errors');
    },
  };
}

/** Makes a tenant with a sample of its own, and returns its credentials. */
export async function addSampleTenant(
  server: PostgresServer,
  schema: string,
  { tenant, records, now }: { readonly tenant: number; readonly records: number; readonly now: () => number },
): Promise<TenantCredentials> {
  const openStore = () =>
    openPostgresStore({ url: server.url, schema, tenant }, { now, reportError: () => undefined });
  const service = await startTestService({ tenant, seed: tenant, records, now, openStore });
  await service.stop();
  const { accessToken, accessTokenSecret } = service;
  return { tenant, accessToken, accessTokenSecret };
}

/** Runs `tenant …` as the owner of the tables; returns the lines that it printed. */
export function administerTenants(
  server: PostgresServer,
  schema: string,
  ...words: string[]
): Promise<unknown[]> {
  return callTenantCommand([...words, '--database', server.url, '--database-schema', schema]);
}

/** Runs `tenant …` with all of its words; returns the lines that it printed. */
export async function callTenantCommand(words: readonly string[]): Promise<unknown[]> {
  const lines: unknown[] = [];
  await runTenantCommand(words, {
    environment: {},
    write: (text) => lines.push(JSON.parse(text)),
    warn: () => undefined,
    now: Date.now,
    reportError: () => undefined,
  });
  return lines;
}
