import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EventName } from '../../src-main/common/contract/index.ts';
import type { LocalServiceState, RecordImport } from '../../src-main/common/model/local-service.ts';
import { NO_SIMULATION } from '../../src-main/common/model/simulation.ts';
import type { ServiceStartOptions, ToServiceThread } from '../../src-main/common/local-service-messages.ts';
import type { ReportingClient } from '../../src-main/core/client/reporting-client.ts';
import { createConnectionFile } from '../../src-main/core/connections/connection-file.ts';
import { createConnections } from '../../src-main/core/connections/create-connections.ts';
import type { Host } from '../../src-main/core/host.ts';
import { createLocalService } from '../../src-main/core/local-service/create-local-service.ts';
import { createInMemorySecretStore } from '../../src-main/core/secrets/in-memory-secret-store.ts';
import { createLocalServiceHandlers } from '../../src-main/core/local-service/local-service-handlers.ts';
import type { ServiceRunner } from '../../src-main/core/local-service/service-runner.ts';
import { createSettings } from '../../src-main/core/settings/create-settings.ts';
import { createTaskRegistry } from '../../src-main/core/tasks/create-task-registry.ts';
import type { TaskRegistry } from '../../src-main/core/tasks/task-registry.ts';
import { createSilentLogger } from '../support/silent-logger.ts';
import { createTestHost } from '../support/test-host.ts';

interface Running {
  readonly service: ReturnType<typeof createLocalServiceHandlers>;
  readonly runner: ServiceRunner;
  readonly tasks: TaskRegistry;
  readonly events: { name: EventName; payload: unknown }[];
  readonly folder: string;
  readonly state: () => LocalServiceState;
}

const stops: (() => Promise<void>)[] = [];
let errors: string[] = [];

async function open(change: Partial<Host> = {}, restartDelaysMs = [100, 150]): Promise<Running> {
  const { host, remove } = await createTestHost({
    workers: {
      cache: new URL('about:blank'),
      service: new URL('../support/service/scripted-service-thread.ts', import.meta.url),
    },
    ...change,
  });
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
  stops.push(async () => {
    await tasks.stop();
    await localService.runner.stop();
    await remove();
  });
  const state = (): LocalServiceState => service['local-service/get-state'](null) as LocalServiceState;
  return { service, runner: localService.runner, tasks, events, folder: host.dataFolder, state };
}

beforeEach(() => {
  errors = [];
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const start = ({ service }: Running) => service['local-service/start'](null);
const ask = async <Value>(running: Running, path: string): Promise<Value> =>
  (await (await fetch(`${running.state().url!}${path}`)).json()) as Value;
const crash = async (running: Running): Promise<void> => {
  await fetch(`${running.state().url!}/crash`).catch(() => undefined);
  await vi.waitFor(() => expect(running.state().state).not.toBe('running'), { interval: 1 });
};
const whenState = (running: Running, wanted: LocalServiceState['state']): Promise<void> =>
  vi.waitFor(() => expect(running.state().state).toBe(wanted), { timeout: 10_000, interval: 5 });

describe('the local service', () => {
  it('tells what it holds, and keeps its connection and address over a restart', async () => {
    const running = await open();
    const { connection, state } = await start(running);
    expect(state).toMatchObject({ state: 'running', tenant: 1001, quirks: [], simulation: NO_SIMULATION });
    expect(state.dataFolder).toBe(join(running.folder, 'local-service'));
    await vi.waitFor(() =>
      expect(running.state()).toMatchObject({ inboundRecords: 10, outboundRecords: 20, storeBytes: 4096 }),
    );
    await running.service['local-service/restart'](null);
    expect(running.state()).toMatchObject({ state: 'running', url: state.url });
    expect((await start(running)).connection).toEqual(connection);
    await running.service['local-service/stop'](null);
    expect(running.state()).toMatchObject({ state: 'stopped', url: null, error: null });
  });

  it('comes back at the same address when the application is started again', async () => {
    const first = await open();
    const { state } = await start(first);
    await first.runner.stop();
    const second = await open({ dataFolder: first.folder });
    expect((await start(second)).state.url).toBe(state.url);
  });

  it('takes another port when its own is taken meanwhile, and its connection follows', async () => {
    const running = await open();
    const first = await start(running);
    await running.service['local-service/stop'](null);
    const other = createServer();
    other.listen(Number(new URL(first.state.url!).port), '127.0.0.1');
    await once(other, 'listening');
    try {
      const { state, connection } = await start(running);
      expect(state.url).not.toBe(first.state.url);
      expect(connection).toMatchObject({ id: first.connection.id, baseAddress: state.url });
    } finally {
      other.close();
    }
  });

  it('starts again with new quirks on the same port, and keeps the simulation', async () => {
    const running = await open();
    const { state } = await start(running);
    const simulation = { ...NO_SIMULATION, platformDown: true, latencyFactor: 5 };
    await running.service['local-service/set-simulation'](simulation);
    await running.service['local-service/set-live']({ live: false });
    expect(await ask<ToServiceThread[]>(running, '/heard')).toEqual([
      { kind: 'set-simulation', simulation },
      { kind: 'set-live', live: false },
    ]);
    const quirks = ['slow', 'stalls'] as const;
    await running.service['local-service/set-quirks']({ quirks: [...quirks] });
    expect(running.state()).toMatchObject({ state: 'running', url: state.url, quirks, simulation });
    expect(await ask<ServiceStartOptions>(running, '/options')).toMatchObject({
      quirks,
      simulation,
      live: false,
    });
  });

  it('keeps quirks that are chosen while it is stopped for its next start', async () => {
    const running = await open();
    await running.service['local-service/set-quirks']({ quirks: ['slow'] });
    expect(running.state()).toMatchObject({ state: 'stopped', quirks: ['slow'] });
    await start(running);
    expect(await ask<ServiceStartOptions>(running, '/options')).toMatchObject({ quirks: ['slow'] });
  });

  it('keeps the last 200 requests and tells of them in at most ten events a second', async () => {
    const running = await open();
    await start(running);
    const startedAtMs = performance.now();
    for (let index = 0; index < 30; index += 1) await fetch(`${running.state().url!}/requests/9`);
    await vi.waitFor(async () =>
      expect(await running.service['local-service/read-requests'](null)).toHaveLength(200),
    );
    const events = running.events.filter(({ name }) => name === 'local-service/requests-answered');
    expect(events.length).toBeLessThanOrEqual(1 + (performance.now() - startedAtMs) / 100);
    const sizes = events.map(({ payload }) => (payload as unknown[]).length);
    expect(Math.max(...sizes)).toBeGreaterThan(0);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(200);
  });
});

describe('a crash of the local service', () => {
  it('is told, logged, and followed by a start on the same port', async () => {
    const running = await open();
    const { state } = await start(running);
    await running.service['local-service/set-quirks']({ quirks: ['slow'] });
    await crash(running);
    await whenState(running, 'running');
    expect(running.state()).toMatchObject({
      url: state.url,
      quirks: ['slow'],
      error: null,
      restartAtMs: null,
    });
    const told = running.events
      .filter(({ name }) => name === 'local-service/changed')
      .map(({ payload }) => payload as LocalServiceState);
    const crashed = told.find((one) => one.state === 'crashed');
    expect(crashed).toMatchObject({ url: null, error: { code: 'local-service.crashed' } });
    expect(crashed!.restartAtMs).toBeGreaterThan(0);
    expect(errors).toContain('local service crashed');
  });

  it('is the last one when it is the third within five minutes, until the person starts it', async () => {
    const running = await open();
    await start(running);
    for (let crashes = 1; crashes <= 2; crashes += 1) {
      await crash(running);
      await whenState(running, 'running');
    }
    await crash(running);
    await whenState(running, 'failed');
    expect(running.state()).toMatchObject({
      error: { code: 'local-service.keeps-crashing' },
      restartAtMs: null,
    });
    await start(running);
    expect(running.state()).toMatchObject({ state: 'running', error: null });
    await crash(running);
    await whenState(running, 'running');
  });

  it('is not followed by a start when the person stops it first', async () => {
    const running = await open({}, [60_000]);
    await start(running);
    await crash(running);
    await whenState(running, 'crashed');
    await running.service['local-service/stop'](null);
    expect(running.state()).toMatchObject({ state: 'stopped', restartAtMs: null, error: null });
  });
});

describe('credentials', () => {
  it('go to the clipboard of the host, not to the window', async () => {
    const copied: string[] = [];
    const running = await open({
      copyText: (text) => {
        copied.push(text);
        return Promise.resolve(true);
      },
    });
    await start(running);
    const copy = running.service['local-service/copy-credential'];
    expect(await copy({ name: 'accessTokenSecret' })).toEqual({ text: null });
    expect(copied).toEqual(['secret-of-the-service']);
  });

  it('are answered one at a time where only the page has a clipboard', async () => {
    const running = await open();
    const copy = running.service['local-service/copy-credential'];
    await expect(copy({ name: 'accessToken' })).rejects.toMatchObject({ code: 'connections.not-found' });
    await start(running);
    expect(await copy({ name: 'accessToken' })).toEqual({ text: 'token-of-the-service' });
    expect(JSON.stringify(running.events)).not.toMatch(/-of-the-service/u);
  });
});

describe('an import', () => {
  const released: string[] = [];
  const openWithFile = async (text: string): Promise<Running> => {
    const running: Running = await open({
      chooseImportFile: () => {
        const path = join(running.folder, 'records.csv');
        return Promise.resolve({
          path,
          name: 'records.csv',
          release: () => {
            released.push(path);
            return Promise.resolve();
          },
        });
      },
    });
    released.length = 0;
    await writeFile(join(running.folder, 'records.csv'), text);
    await start(running);
    return running;
  };
  const begin = async (running: Running): Promise<RecordImport> =>
    (await running.service['local-service/start-import']({ uploadId: null }))!;
  const current = (running: Running) => running.service['local-service/get-import'](null) as RecordImport;

  it('ends with what was added, known and rejected, and lets the file go', async () => {
    const running = await openWithFile('good\nbad\nknown\ngood\n');
    const { taskId } = await begin(running);
    expect(await running.tasks.whenEnded(taskId)).toMatchObject({ kind: 'import', state: 'done' });
    const report = {
      lines: 4,
      added: 2,
      known: 1,
      rejected: 1,
      problems: [{ line: 2, reason: 'Not a record.' }],
    };
    expect(current(running)).toMatchObject({ fileName: 'records.csv', state: 'done', report, error: null });
    expect(running.events.filter(({ name }) => name === 'local-service/import-changed').at(-1)).toEqual({
      name: 'local-service/import-changed',
      payload: current(running),
    });
    expect(released).toHaveLength(1);
  });

  it('is cancelled as a task, and keeps its report', async () => {
    const running = await openWithFile('bad\ngood\nwait\n');
    const { taskId } = await begin(running);
    await vi.waitFor(() => expect(current(running).report.lines).toBe(3));
    expect(current(running).report).toMatchObject({ rejected: 1, problems: [] });
    await expect(begin(running)).rejects.toMatchObject({ code: 'local-service.import-running' });
    running.tasks.cancel(taskId);
    expect(await running.tasks.whenEnded(taskId)).toMatchObject({ state: 'cancelled' });
    expect(current(running)).toMatchObject({ state: 'cancelled', report: { added: 1, rejected: 1 } });
    expect(current(running).report.problems).toHaveLength(1);
    expect(released).toHaveLength(1);
  });

  it('says why a file could not be read on, and keeps what came before', async () => {
    const running = await openWithFile('good\nbroken\n');
    const { taskId } = await begin(running);
    expect(await running.tasks.whenEnded(taskId)).toMatchObject({ state: 'failed' });
    expect(current(running)).toMatchObject({
      state: 'failed',
      report: { added: 1 },
      error: { code: 'local-service.import-failed', details: { reason: expect.stringContaining('quoted') } },
    });
  });

  it.each([
    ['a crash', 'crash', 'failed'],
    ['a stop', 'wait', 'cancelled'],
  ])('ends with %s of the service', async (_what, text, state) => {
    const running = await openWithFile(text);
    const { taskId } = await begin(running);
    if (state === 'cancelled') {
      await vi.waitFor(() => expect(current(running).report.lines).toBe(1));
      await running.service['local-service/stop'](null);
    }
    expect(await running.tasks.whenEnded(taskId)).toMatchObject({ state });
    expect(current(running).state).toBe(state);
    expect(released).toHaveLength(1);
  });

  it('needs a running service, and a file', async () => {
    const running = await open();
    const importFile = running.service['local-service/start-import'];
    await expect(importFile({ uploadId: null })).rejects.toMatchObject({ code: 'local-service.not-running' });
    await start(running);
    expect(await importFile({ uploadId: null })).toBeNull();
    await expect(importFile({ uploadId: 'gone' })).rejects.toMatchObject({
      code: 'local-service.upload-gone',
    });
  });
});
