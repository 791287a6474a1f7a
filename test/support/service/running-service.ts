import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DEFAULT_SERVICE_OPTIONS,
  applyOptionQuirks,
  type ServiceOptions,
} from '../../../src-main/service/service-options.ts';
import { serveTenants } from '../../../src-main/service/tenants/serve-every-tenant.ts';
import {
  startService,
  type RunningService,
  type ServiceSurroundings,
} from '../../../src-main/service/start-service.ts';
import type { Engine } from './engines.ts';

/**
 * Options of the service, and its clocks. `dataFolder` is a new folder, removed on stop, unless given. With
 * `openDatabase`, requests go to a process that serves every tenant of the database, beside the one of the tenant.
 */
export type TestServiceOptions = Partial<ServiceOptions> &
  Pick<Engine, 'openDatabase'> &
  Partial<Pick<ServiceSurroundings, 'now' | 'elapsedMs' | 'logRequest' | 'logStatus' | 'openStore'>>;

/** The bundled service in this process on a free port: 2,000 inbound records of 7 days, no live traffic. */
export async function startTestService(given: TestServiceOptions = {}): Promise<RunningService> {
  const {
    now = Date.now,
    elapsedMs = () => performance.now(),
    logRequest,
    logStatus,
    openStore,
    openDatabase,
    ...options
  } = given;
  const ownFolder = options.dataFolder === undefined;
  const dataFolder = options.dataFolder ?? (await mkdtemp(join(tmpdir(), 'service-')));
  const errors: unknown[] = [];
  const all = { ...DEFAULT_SERVICE_OPTIONS, records: 2000, days: 7, live: false, ...options, dataFolder };
  const surroundings = {
    now,
    elapsedMs,
    ...(logRequest === undefined ? {} : { logRequest }),
    ...(logStatus === undefined ? {} : { logStatus }),
    reportError: (error: unknown) => void errors.push(error),
  };
  const own = await startService(all, {
    ...surroundings,
    ...(openStore === undefined ? {} : { openStore }),
  });
  const shared =
    openDatabase === undefined
      ? null
      : await serveTenants(applyOptionQuirks(all), { ...surroundings, openDatabase });
  return {
    ...own,
    ...(shared === null ? {} : { url: shared.url }),
    stop: async () => {
      await shared?.stop();
      await own.stop();
      if (ownFolder) await rm(dataFolder, { recursive: true, force: true, maxRetries: 5 });
      if (errors.length > 0) throw new AggregateError(errors, 'The service met errors');
    },
  };
}
