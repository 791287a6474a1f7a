import { join } from 'node:path';
import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit, Handlers } from '../../common/contract/index.ts';
import type { Connection } from '../../common/model/connection.ts';
import type { LocalServiceState } from '../../common/model/local-service.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../common/reporting/report-identifiers.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Logger } from '../logging/logger.ts';
import type { SettingsStore } from '../settings/create-settings.ts';
import { startServiceThread, type ReadyService, type ServiceThread } from './service-thread-client.ts';

const TENANT = 1001;
const PAGE_SIZE = 5_000;

export interface LocalServiceOptions {
  readonly dataFolder: string;
  readonly script: URL;
  readonly connections: ConnectionStore;
  readonly settings: SettingsStore;
  readonly emit: Emit;
  readonly logger: Logger;
  now(): number;
}

type LocalServiceOperation = Extract<keyof Handlers, `local-service/${string}`>;

export interface LocalService {
  readonly operations: Pick<Handlers, LocalServiceOperation>;
  stop(): Promise<void>;
}

/** Runs the bundled service in its own thread and keeps its connection and credentials up to date. */
export function createLocalService(options: LocalServiceOptions): LocalService {
  const { connections, settings, emit, logger, now } = options;
  let thread: ServiceThread | null = null;
  let starting: Promise<{ state: LocalServiceState; connection: Connection }> | null = null;
  let state: LocalServiceState = {
    state: 'stopped',
    url: null,
    tenant: TENANT,
    inboundRecords: null,
    outboundRecords: null,
    storeBytes: null,
    startedAtMs: null,
    live: settings.get().localServiceLive,
    error: null,
  };
  const change = (next: Partial<LocalServiceState>): LocalServiceState => {
    state = { ...state, ...next };
    emit('local-service/changed', state);
    return state;
  };

  const saveConnection = (ready: ReadyService): Promise<Connection> => {
    const known = connections.findLocal();
    return connections.save(
      known?.id ?? null,
      {
        name: known?.name ?? 'Local service',
        baseAddress: ready.url,
        tenant: ready.tenant,
        serviceZone: known?.serviceZone ?? 'UTC',
        reportIdentifiers: known?.reportIdentifiers ?? { ...SPECIFIED_REPORT_IDENTIFIERS },
        pageSize: known?.pageSize ?? PAGE_SIZE,
      },
      { accessToken: ready.accessToken, accessTokenSecret: ready.accessTokenSecret },
      'local',
    );
  };

  const start = async (): Promise<{ state: LocalServiceState; connection: Connection }> => {
    change({ state: 'starting', error: null });
    const started = startServiceThread({
      script: options.script,
      workerData: {
        dataFolder: join(options.dataFolder, 'local-service'),
        tenant: TENANT,
        live: state.live,
        port: 0,
      },
      onStats: (stats) => change(stats),
      onEnded: (expected) => {
        thread = null;
        if (expected) return;
        logger.error('local service crashed', {});
        const error = new AppError('local-service.crashed', 'The local service ended unexpectedly.');
        change({ state: 'failed', url: null, startedAtMs: null, error: toErrorInfo(error) });
      },
    });
    thread = started;
    try {
      const ready = await started.ready;
      const connection = await saveConnection(ready);
      const active = settings.get().activeConnectionId ?? connection.id;
      await settings.update({ startLocalService: true, activeConnectionId: active });
      const running = change({
        state: 'running',
        url: ready.url,
        tenant: ready.tenant,
        startedAtMs: now(),
      });
      return { state: running, connection };
    } catch (error) {
      logger.error('local service did not start', { error });
      await started.stop();
      const info = toErrorInfo(error);
      change({ state: 'failed', url: null, error: info });
      throw error;
    }
  };

  const stop = async (): Promise<void> => {
    await starting?.catch(() => undefined);
    if (thread === null) return;
    change({ state: 'stopping' });
    await thread.stop();
    change({ state: 'stopped', url: null, startedAtMs: null });
  };

  return {
    stop,
    operations: {
      'local-service/get-state': () => state,
      'local-service/start': async () => {
        const local = connections.findLocal();
        if (state.state === 'running' && local !== undefined) {
          const connection = (await connections.list()).find(({ id }) => id === local.id);
          if (connection !== undefined) return { state, connection };
        }
        starting ??= start().finally(() => {
          starting = null;
        });
        return starting;
      },
      'local-service/stop': async () => {
        await settings.update({ startLocalService: false });
        await stop();
        return state;
      },
      'local-service/set-live': async ({ live }) => {
        await settings.update({ localServiceLive: live });
        thread?.setLive(live);
        return change({ live });
      },
    },
  };
}
