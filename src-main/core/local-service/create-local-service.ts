import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import type { Emit, Handlers, OperationName } from '../../common/contract/index.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../common/reporting/report-identifiers.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Host } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import type { SettingsStore } from '../settings/create-settings.ts';
import type { TaskRegistry } from '../tasks/task-registry.ts';
import { createRecordImports } from './record-imports.ts';
import { createRequestRing } from './request-ring.ts';
import { createRestartPolicy, RESTART_DELAYS_MS } from './restart-policy.ts';
import { createServiceRunner } from './service-runner.ts';
import type { ReadyService } from './service-thread-client.ts';

const TENANT = 1001;
const PAGE_SIZE = 5_000;

export interface LocalServiceOptions {
  readonly host: Pick<Host, 'dataFolder' | 'workers' | 'copyText' | 'revealFolder' | 'chooseImportFile'>;
  readonly connections: ConnectionStore;
  readonly settings: SettingsStore;
  readonly tasks: TaskRegistry;
  readonly emit: Emit;
  readonly logger: Logger;
  now(): number;
  /** After the first, second … crash within five minutes. */
  readonly restartDelaysMs?: readonly number[];
}

type LocalServiceOperation = Extract<OperationName, `local-service/${string}`>;

export interface LocalService {
  readonly operations: Pick<Handlers, LocalServiceOperation>;
  stop(): Promise<void>;
}

/** The port of the last run; 0 where there was none. */
function findLastPort(connections: ConnectionStore): number {
  return Number(URL.parse(connections.findLocal()?.baseAddress ?? '')?.port ?? 0);
}

/** Runs the bundled service in its own thread and keeps its connection and credentials up to date. */
export function createLocalService(options: LocalServiceOptions): LocalService {
  const { host, connections, settings, emit, now } = options;
  const folder = join(host.dataFolder, 'local-service');
  const ring = createRequestRing((requests) => emit('local-service/requests-answered', requests));
  const imports = createRecordImports({
    tasks: options.tasks,
    tell: (recordImport) => emit('local-service/import-changed', recordImport),
  });

  const saveConnection = async (ready: ReadyService): Promise<void> => {
    const known = connections.findLocal();
    const saved = await connections.save(
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
    const activeConnectionId = settings.get().activeConnectionId ?? saved.id;
    await settings.update({ startLocalService: true, activeConnectionId });
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
    onChanged: (state) => emit('local-service/changed', state),
    onReady: saveConnection,
    onRequests: ({ requests }) => ring.add(requests),
    onImport: imports.hear,
    onStopping: imports.cancel,
    onGone: imports.abandon,
  });

  const refuseSecondImport = (): void => {
    if (imports.current()?.state === 'running') {
      throw new AppError('local-service.import-running', 'An import is running already.');
    }
  };

  return {
    stop: () => runner.stop(),
    operations: {
      'local-service/get-state': () => runner.state,
      'local-service/start': async () => {
        await runner.start();
        // It may have been removed while the service was running.
        if (connections.findLocal() === undefined) await runner.restart();
        const connection = (await connections.list()).find(({ kind }) => kind === 'local');
        if (connection === undefined) throw new AppError('connections.not-found', 'No local connection.');
        return { state: runner.state, connection };
      },
      'local-service/stop': async () => {
        await settings.update({ startLocalService: false });
        await runner.stop();
        return runner.state;
      },
      'local-service/restart': async () => {
        await runner.restart();
        return runner.state;
      },
      'local-service/set-live': async ({ live }) => {
        await settings.update({ localServiceLive: live });
        runner.setLive(live);
        return runner.state;
      },
      'local-service/set-simulation': (simulation) => {
        runner.setSimulation(simulation);
        return runner.state;
      },
      'local-service/set-quirks': async ({ quirks }) => {
        await runner.setQuirks(quirks);
        return runner.state;
      },
      'local-service/read-requests': () => ring.read(),
      'local-service/copy-credential': async ({ name }) => {
        const local = connections.findLocal();
        if (local === undefined) throw new AppError('connections.not-found', 'No local connection.');
        const text = (await connections.readSecrets(local.id))[name];
        // Secrets go one way, also here, wherever the host has a clipboard. A browser's clipboard is the page's own:
        // there, the page is given this one credential because somebody pressed the button for it. It opens nothing
        // but the sample service of this computer, whose every record the same session may read anyway.
        return { text: (await host.copyText(text)) ? null : text };
      },
      'local-service/reveal-folder': async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        return { isShown: await host.revealFolder(folder) };
      },
      'local-service/start-import': async ({ uploadId }) => {
        runner.requireThread();
        refuseSecondImport();
        const file = await host.chooseImportFile(uploadId);
        if (file === null) {
          if (uploadId === null) return null;
          throw new AppError('local-service.upload-gone', 'There is no such upload.');
        }
        try {
          return imports.start(runner.requireThread(), file);
        } catch (error) {
          await file.release();
          throw error;
        }
      },
      'local-service/get-import': () => imports.current(),
    },
  };
}
