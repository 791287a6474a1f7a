import { join } from 'node:path';
import type { Emit } from '../../common/contract/index.ts';
import { LOCAL_CONNECTION_NAME } from '../../common/model/connections/connection.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../common/reporting/reports.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Host } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import type { SettingsStore } from '../settings/create-settings.ts';
import type { TaskRegistry } from '../tasks/task-registry.ts';
import { createRecordImports, type RecordImports } from './record-imports.ts';
import { createRestartPolicy, RESTART_DELAYS_MS } from './restart-policy.ts';
import { createServiceRunner, type ServiceRunner } from './service-runner.ts';
import type { ReadyService } from './service-thread-client.ts';
import { MAX_KEPT_REQUESTS } from '../../common/contract/operations/local-service.ts';
import type { ServiceRequest } from '../../common/model/connections/local-service.ts';
import { createThrottle } from '../tasks/throttle.ts';

const TENANT = 1001;
const PAGE_SIZE = 5_000;

export interface LocalServiceOptions {
  readonly host: Pick<Host, 'dataFolder' | 'workers'>;
  readonly connections: ConnectionStore;
  readonly settings: SettingsStore;
  readonly tasks: TaskRegistry;
  readonly emit: Emit;
  readonly logger: Logger;
  now(): number;
  /** After the first, second … crash within five minutes. */
  readonly restartDelaysMs?: readonly number[];
}

export interface LocalService {
  readonly runner: ServiceRunner;
  readonly imports: RecordImports;
  readonly requests: RequestRing;
  /** Folder of its records, which may not exist yet. */
  readonly folder: string;
}

/** The port of the last run; 0 where there was none. */
function findLastPort(connections: ConnectionStore): number {
  return Number(URL.parse(connections.findLocal()?.baseAddress ?? '')?.port ?? 0);
}

/** Runs the bundled service in its own thread and keeps its connection and credentials up to date. */
export function createLocalService(options: LocalServiceOptions): LocalService {
  const { host, connections, settings, emit, now } = options;
  const folder = join(host.dataFolder, 'local-service');
  const requests = createRequestRing((added) => emit('local-service/requests-served', added));
  const imports = createRecordImports({
    tasks: options.tasks,
    tell: (recordImport) => emit('local-service/import-changed', recordImport),
  });

  const saveConnection = async (ready: ReadyService): Promise<void> => {
    const known = connections.findLocal();
    const saved = await connections.save(
      known?.id ?? null,
      {
        name: known?.name ?? LOCAL_CONNECTION_NAME,
        baseAddress: ready.url,
        tenant: ready.tenant,
        serviceZone: known?.serviceZone ?? 'UTC',
        reportIdentifiers: known?.reportIdentifiers ?? { ...SPECIFIED_REPORT_IDENTIFIERS },
        pageSize: known?.pageSize ?? PAGE_SIZE,
        followed: known?.followed ?? settings.get().followLocalService,
      },
      { accessToken: ready.accessToken, accessTokenSecret: ready.accessTokenSecret },
      'local',
    );
    const lastConnectionId = settings.get().lastConnectionId ?? saved.id;
    await settings.update({ startLocalService: true, lastConnectionId });
  };
  const runner = createServiceRunner({
    script: host.workers.service,
    folder,
    tenant: TENANT,
    live: settings.get().localServiceLive,
    port: findLastPort(connections),
    policy: createRestartPolicy(now, options.restartDelaysMs ?? RESTART_DELAYS_MS),
    logger: options.logger,
    now,
    onChanged: (state) => {
      // One that crashed is started again: until then it is away, as any other service may be.
      connections.setLocalStopped(state.state === 'stopped' || state.state === 'failed');
      emit('local-service/changed', state);
    },
    onReady: saveConnection,
    onRequests: (answered) => requests.add(answered.requests),
    onImport: imports.hear,
    onStopping: imports.cancel,
    onGone: imports.abandon,
  });

  connections.setLocalStopped(true);

  return { runner, imports, requests, folder };
}

const EVENT_INTERVAL_MS = 100;

/** The last requests that the service handled. */
interface RequestRing {
  add(requests: readonly ServiceRequest[]): void;
  /** Oldest first. */
  read(): ServiceRequest[];
}

/** Keeps the last 200 requests and emits new ones at most ten times a second, never more than it keeps. */
function createRequestRing(tell: (requests: ServiceRequest[]) => void): RequestRing {
  let kept: readonly ServiceRequest[] = [];
  let untold = 0;
  const announce = createThrottle(EVENT_INTERVAL_MS, () => {
    const fresh = kept.slice(-untold);
    untold = 0;
    tell(fresh);
  });
  return {
    add: (requests) => {
      if (requests.length === 0) return;
      kept = [...kept, ...requests].slice(-MAX_KEPT_REQUESTS);
      untold = Math.min(kept.length, untold + requests.length);
      announce.request();
    },
    read: () => [...kept],
  };
}
