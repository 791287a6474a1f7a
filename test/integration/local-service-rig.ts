import { expect, onTestFinished } from 'vitest';
import type { EventName } from '../../src-main/common/contract/index.ts';
import type { LocalServiceState } from '../../src-main/common/model/connections/local-service.ts';
import type { ReportingClient } from '../../src-main/core/client/reporting-client.ts';
import { createConnectionFile } from '../../src-main/core/connections/connection-file.ts';
import {
  createConnections,
  type ConnectionStore,
} from '../../src-main/core/connections/create-connections.ts';
import type { Host } from '../../src-main/core/host.ts';
import {
  createLocalService,
  createLocalServiceHandlers,
} from '../../src-main/core/local-service/create-local-service.ts';
import { createInMemorySecretStore } from '../../src-main/core/secrets/secret-store.ts';
import type { ServiceRunner } from '../../src-main/core/local-service/service-runner.ts';
import { createSettings } from '../../src-main/core/settings/create-settings.ts';
import { createTaskRegistry, type TaskRegistry } from '../../src-main/core/tasks/task-registry.ts';
import { createSilentLogger } from '../support/fakes/silent-logger.ts';
import { createTestHost } from '../support/application/test-host.ts';

/** The local service over a scripted thread, with what it writes and sends. */
export interface Running {
  readonly service: ReturnType<typeof createLocalServiceHandlers>;
  readonly runner: ServiceRunner;
  readonly connections: ConnectionStore;
  readonly tasks: TaskRegistry;
  readonly events: { name: EventName; payload: unknown }[];
  readonly folder: string;
  /** Messages that were logged as errors. */
  readonly errors: string[];
  readonly state: () => LocalServiceState;
}

/** Opens one for a test, and ends it with the test. */
export async function openLocalService(
  change: Partial<Host> = {},
  restartDelaysMs = [100, 150],
): Promise<Running> {
  const { host, remove } = await createTestHost({
    workers: {
      cache: new URL('about:blank'),
      engine: new URL('about:blank'),
      imports: new URL('about:blank'),
      rows: new URL('about:blank'),
      service: new URL('../support/service/scripted-service-thread.ts', import.meta.url),
    },
    ...change,
  });
  const errors: string[] = [];
  const logger = {
    ...createSilentLogger(),
    error: (message: string) => {
      errors.push(message);
    },
  };
  const now = Date.now;
  const events: Running['events'] = [];
  const emit = (name: EventName, payload: unknown): void => {
    events.push({ name, payload });
  };
  const tasks = createTaskRegistry({ now, emit, logger: createSilentLogger() });
  const settings = await createSettings({ folder: host.dataFolder, now, emit, logger });
  const connections = await createConnections({
    file: createConnectionFile(host.dataFolder, now, logger),
    secrets: createInMemorySecretStore(),
    emit,
    logger,
    now,
    createClient: () => ({}) as ReportingClient,
  });
  const localService = createLocalService({
    host,
    tasks,
    settings,
    connections,
    emit,
    logger,
    now,
    restartDelaysMs,
  });
  const service = createLocalServiceHandlers({ host, settings, connections, localService });
  onTestFinished(async () => {
    await tasks.stop();
    await localService.runner.stop();
    await remove();
  });
  const state = (): LocalServiceState => service['local-service/get-state'](null) as LocalServiceState;
  const { runner } = localService;
  return { service, runner, connections, tasks, events, folder: host.dataFolder, errors, state };
}

export const start = ({ service }: Running) => service['local-service/start'](null);
export const ask = async <Value>(running: Running, path: string): Promise<Value> =>
  (await (await fetch(`${running.state().url!}${path}`)).json()) as Value;
export const crash = async (running: Running): Promise<void> => {
  await fetch(`${running.state().url!}/crash`).catch(() => undefined);
  await expect.poll(() => running.state().state, { interval: 1 }).not.toBe('running');
};
export const whenState = (running: Running, wanted: LocalServiceState['state']): Promise<void> =>
  expect.poll(() => running.state().state, { timeout: 10_000, interval: 5 }).toBe(wanted);
