import type { Handlers } from '../../common/contract/index.ts';
import type { Cache } from '../cache/cache.ts';
import type { ReportingClient } from '../client/reporting-client.ts';
import type { SettingsStore } from '../settings/create-settings.ts';
import { isActive, type TaskRegistry } from '../tasks/task-registry.ts';
import { checkDraft } from './check-draft.ts';
import type { SavedConnection } from './connection-file.ts';
import type { BothSecrets, ConnectionStore } from './create-connections.ts';
import { testConnection } from './test-connection.ts';

export interface ConnectionOperationsOptions {
  readonly connections: ConnectionStore;
  readonly cache: Pick<Cache, 'removeConnection'>;
  readonly settings: SettingsStore;
  readonly tasks: TaskRegistry;
  now(): number;
  createClient(connection: SavedConnection, secrets: () => Promise<BothSecrets>): ReportingClient;
  reach(address: string, signal: AbortSignal): Promise<number>;
}

/** What the window may ask about connections. */
export function createConnectionOperations(
  options: ConnectionOperationsOptions,
): Pick<Handlers, 'connections/list' | 'connections/save' | 'connections/remove' | 'connections/start-test'> {
  const { connections, cache, settings, tasks, now } = options;
  return {
    'connections/list': () => connections.list(),
    'connections/save': async ({ connectionId, draft, secrets }) => {
      const connection = await connections.save(connectionId, draft, secrets);
      if (settings.get().activeConnectionId === null) {
        await settings.update({ activeConnectionId: connection.id });
      }
      return connection;
    },
    'connections/remove': async ({ connectionId }) => {
      connections.get(connectionId);
      const running = tasks.list().filter((task) => task.connectionId === connectionId && isActive(task));
      for (const task of running) tasks.cancel(task.id);
      await Promise.all(running.map((task) => tasks.whenEnded(task.id)));
      await connections.remove(connectionId);
      await cache.removeConnection(connectionId);
      if (settings.get().activeConnectionId === connectionId) {
        const [next] = await connections.list();
        await settings.update({ activeConnectionId: next?.id ?? null });
      }
      return null;
    },
    'connections/start-test': ({ connectionId, draft, secrets }) => {
      const checked = checkDraft(draft);
      const about: SavedConnection = {
        ...checked,
        id: connectionId ?? 'draft',
        kind: 'remote',
        createdAtMs: now(),
      };
      const readSecrets = async (): Promise<BothSecrets> => {
        const { accessToken, accessTokenSecret } = secrets;
        if (accessToken !== undefined && accessTokenSecret !== undefined) {
          return { accessToken, accessTokenSecret };
        }
        return { ...(await connections.readSecrets(about.id)), ...secrets };
      };
      const client = options.createClient(about, readSecrets);
      const reach = (signal: AbortSignal): Promise<number> => options.reach(checked.baseAddress, signal);
      const task = tasks.start(
        { kind: 'connection-test', connectionId, snapshotId: null, total: 7 },
        (handle) => testConnection({ draft: checked, client, now, reach }, handle),
      );
      return { taskId: task.id };
    },
  };
}
