import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_SERVICE_OPTIONS, type ServiceOptions } from '../../../src-main/service/service-options.ts';
import {
  startService,
  type RunningService,
  type ServiceSurroundings,
} from '../../../src-main/service/start-service.ts';

/** Options of the service, and its clocks. `dataFolder` is a new folder, removed on stop, unless given. */
export type TestServiceOptions = Partial<ServiceOptions> &
  Partial<Pick<ServiceSurroundings, 'now' | 'elapsedMs' | 'logRequest' | 'logStatus' | 'openStore'>>;

/** The bundled service in this process on a free port: 2,000 inbound records of 7 days, no live traffic. */
export async function startTestService(given: TestServiceOptions = {}): Promise<RunningService> {
  const {
    now = Date.now,
    elapsedMs = () => performance.now(),
    logRequest,
    logStatus,
    openStore,
    ...options
  } = given;
  const ownFolder = options.dataFolder === undefined;
  const dataFolder = options.dataFolder ?? (await mkdtemp(join(tmpdir(), 'service-')));
  const errors: unknown[] = [];
  const service = await startService(
    { ...DEFAULT_SERVICE_OPTIONS, records: 2000, days: 7, live: false, ...options, dataFolder },
    {
      now,
      elapsedMs,
      ...(logRequest === undefined ? {} : { logRequest }),
      ...(logStatus === undefined ? {} : { logStatus }),
      ...(openStore === undefined ? {} : { openStore }),
      reportError: (error) => errors.push(error),
    },
  );
  return {
    ...service,
    stop: async () => {
      await service.stop();
      if (ownFolder) await rm(dataFolder, { recursive: true, force: true, maxRetries: 5 });
      if (errors.length > 0) throw new AggregateError(errors, 'The service met errors');
    },
  };
}
