import { AppError } from '../../common/contract/errors.ts';
import type { HandlersOf, Input } from '../../common/contract/index.ts';
import { detectZone, testConnection } from './test-connection.ts';
import type { Cache } from '../cache/cache.ts';
import { tidySecrets, type ConnectionDraft } from '../../common/model/connections/connection.ts';
import { reachAddress } from '../client/map-network-error.ts';
import type { ReportingClient } from '../client/reporting-client.ts';
import { createGate } from '../../node/gate.ts';
import type { Host } from '../host.ts';
import type { SettingsStore } from '../settings/create-settings.ts';
import { isActive, type TaskRegistry } from '../tasks/task-registry.ts';
import { checkDraft, type SavedConnection } from './connection-file.ts';
import type { BothSecrets, ConnectionStore } from './create-connections.ts';

/** A test keeps a connection, a client and its responses: a few at a time, the others wait. */
const MAX_TESTS = 3;

/** The handlers of `connections/…`. */
export function createConnectionsHandlers(parts: {
  readonly connections: ConnectionStore;
  readonly cache: Pick<Cache, 'removeConnection'>;
  readonly settings: SettingsStore;
  readonly tasks: TaskRegistry;
  now(): number;
  createClient(connection: SavedConnection, secrets: () => Promise<BothSecrets>): ReportingClient;
  readonly host: Pick<Host, 'fetch'>;
}): HandlersOf<'connections'> {
  const { connections, cache, settings, tasks, host, now } = parts;
  const enterTest = createGate(MAX_TESTS);

  /** A client for a draft as typed; secrets left out are those of the saved connection. */
  const createDraftClient = (
    draft: ConnectionDraft,
    { connectionId, secrets: typed }: Input<'connections/start-test'>,
  ): ReportingClient => {
    const id = connectionId ?? 'draft';
    const secrets = tidySecrets(typed);
    return parts.createClient({ ...draft, id, kind: 'remote', createdAtMs: now() }, async () => {
      const { accessToken, accessTokenSecret } = secrets;
      if (accessToken !== undefined && accessTokenSecret !== undefined) {
        return { accessToken, accessTokenSecret };
      }
      if (connectionId === null) throw new AppError('secrets.missing', 'Both credentials are needed.');
      return { ...(await connections.readSecrets(connectionId, draft.baseAddress)), ...secrets };
    });
  };
  return {
    'connections/list': () => connections.list(),
    'connections/list-set-aside': () => connections.listSetAside(),
    'connections/save': async ({ connectionId, draft, secrets }) => {
      const connection = await connections.save(connectionId, draft, secrets);
      if (settings.get().lastConnectionId === null) {
        await settings.update({ lastConnectionId: connection.id });
      }
      return connection;
    },
    'connections/save-names': ({ connectionId, names }) => connections.saveNames(connectionId, () => names),
    'connections/remove': async ({ connectionId }) => {
      connections.get(connectionId);
      const running = tasks.list().filter((task) => task.connectionId === connectionId && isActive(task));
      for (const task of running) tasks.cancel(task.id);
      await Promise.all(running.map((task) => tasks.whenEnded(task.id)));
      await connections.remove(connectionId);
      await cache.removeConnection(connectionId);
      if (settings.get().lastConnectionId === connectionId) {
        const [next] = await connections.list();
        await settings.update({ lastConnectionId: next?.id ?? null });
      }
      return null;
    },
    'connections/start-zone-check': (input) => {
      const checked = checkDraft(input.draft);
      const { connectionId } = input;
      const client = createDraftClient(checked, input);
      const zone = checked.serviceZone;
      const task = tasks.start({ kind: 'zone-check', connectionId }, async ({ signal, update }) => {
        update({ zoneFinding: await detectZone({ client, zone, signal, now }) });
      });
      return { taskId: task.id };
    },
    'connections/start-test': (input) => {
      const checked = checkDraft(input.draft);
      const { connectionId } = input;
      const client = createDraftClient(checked, input);
      const reach = (signal: AbortSignal): Promise<number> =>
        reachAddress(host.fetch, checked.baseAddress, signal);
      const task = tasks.start({ kind: 'connection-test', connectionId, isQueued: true }, (handle) =>
        enterTest(() => {
          handle.begin();
          return testConnection({ draft: checked, client, now, reach }, handle);
        }, handle.signal),
      );
      return { taskId: task.id };
    },
  };
}
