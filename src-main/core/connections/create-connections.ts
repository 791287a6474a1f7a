import { randomUUID } from 'node:crypto';
import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit } from '../../common/contract/index.ts';
import type { Connection, ConnectionDraft, ConnectionSecrets } from '../../common/model/connection.ts';
import type { ValueName } from '../../common/model/value-name.ts';
import type { ReportingClient } from '../client/reporting-client.ts';
import type { Logger } from '../logging/logger.ts';
import type { SecretName, SecretStore } from '../secrets/secret-store.ts';
import type { ConnectionFile, SavedConnection } from './connection-file.ts';
import { checkDraft, checkNames } from './check-draft.ts';

/** Both secrets of a connection. */
export type BothSecrets = Required<ConnectionSecrets>;

/** The saved connections, where their secrets are, and a client for each. */
export interface ConnectionStore {
  list(): Promise<Connection[]>;
  /** Throws `connections.not-found`. */
  get(connectionId: string): SavedConnection;
  /** Id null creates. Secrets left out stay as they are. */
  save(
    connectionId: string | null,
    draft: ConnectionDraft,
    secrets: ConnectionSecrets,
    kind?: Connection['kind'],
  ): Promise<Connection>;
  /** Throws `connections.not-found` and `connections.names-invalid`. */
  saveNames(connectionId: string, names: readonly ValueName[]): Promise<Connection>;
  /** The names of a connection; none for one that is gone. */
  listNames(connectionId: string): readonly ValueName[];
  remove(connectionId: string): Promise<void>;
  findLocal(): SavedConnection | undefined;
  /** Throws `secrets.missing` where one of them is not stored. */
  readSecrets(connectionId: string): Promise<BothSecrets>;
  clientFor(connectionId: string): ReportingClient;
}

export interface ConnectionsOptions {
  readonly file: ConnectionFile;
  readonly secrets: SecretStore;
  readonly emit: Emit;
  readonly logger: Logger;
  now(): number;
  createClient(connection: SavedConnection, secrets: () => Promise<BothSecrets>): ReportingClient;
}

const SECRET_NAMES: readonly SecretName[] = ['accessToken', 'accessTokenSecret'];

/** Loads the saved connections. */
export async function createConnections(options: ConnectionsOptions): Promise<ConnectionStore> {
  const { file, secrets, emit, logger } = options;
  let saved = await file.load();
  const clients = new Map<string, ReportingClient>();
  const whereabouts = new Map<string, Connection['secrets']>();

  const findWhereabouts = async (connectionId: string): Promise<Connection['secrets']> => {
    const known = whereabouts.get(connectionId);
    if (known !== undefined) return known;
    try {
      const values = await Promise.all(SECRET_NAMES.map((name) => secrets.get(connectionId, name)));
      const found = values.every((value) => value !== null) ? secrets.kind : 'missing';
      whereabouts.set(connectionId, found);
      return found;
    } catch (error) {
      // A locked keychain may be unlocked a moment later, so this result isn't remembered.
      logger.warn('secrets unreadable', { connectionId, code: toErrorInfo(error).code });
      return 'unreadable';
    }
  };
  const toConnection = async (connection: SavedConnection): Promise<Connection> => ({
    ...connection,
    secrets: await findWhereabouts(connection.id),
  });
  const list = (): Promise<Connection[]> => Promise.all(saved.map(toConnection));
  const announce = async (): Promise<void> => emit('connections/changed', await list());

  const get = (connectionId: string): SavedConnection => {
    const connection = saved.find(({ id }) => id === connectionId);
    if (connection === undefined) throw new AppError('connections.not-found', 'No such connection.');
    return connection;
  };
  const readSecrets = async (connectionId: string): Promise<BothSecrets> => {
    const [accessToken, accessTokenSecret] = await Promise.all(
      SECRET_NAMES.map((name) => secrets.get(connectionId, name)),
    );
    if (typeof accessToken !== 'string' || typeof accessTokenSecret !== 'string') {
      throw new AppError('secrets.missing', 'The credentials of this connection are not stored.');
    }
    return { accessToken, accessTokenSecret };
  };

  return {
    list,
    get,
    readSecrets,
    findLocal: () => saved.find(({ kind }) => kind === 'local'),
    save: async (connectionId, draft, given, kind = 'remote') => {
      const checked = checkDraft(draft);
      const known = connectionId === null ? undefined : get(connectionId);
      const id = known?.id ?? randomUUID();
      // Secrets first: a connection must not appear saved when its credentials could not be kept.
      for (const name of SECRET_NAMES) {
        const value = given[name];
        if (value !== undefined) await secrets.set(id, name, value);
      }
      const connection: SavedConnection = {
        ...checked,
        id,
        kind: known?.kind ?? kind,
        createdAtMs: known?.createdAtMs ?? options.now(),
        ...(known?.names === undefined ? {} : { names: known.names }),
      };
      const next =
        known === undefined
          ? [...saved, connection]
          : saved.map((entry) => (entry.id === id ? connection : entry));
      await file.save(next);
      saved = next;
      clients.delete(id);
      whereabouts.delete(id);
      await announce();
      return toConnection(connection);
    },
    listNames: (connectionId) => saved.find(({ id }) => id === connectionId)?.names ?? [],
    saveNames: async (connectionId, names) => {
      const connection: SavedConnection = { ...get(connectionId), names: checkNames(names) };
      const next = saved.map((entry) => (entry.id === connectionId ? connection : entry));
      await file.save(next);
      saved = next;
      await announce();
      return toConnection(connection);
    },
    remove: async (connectionId) => {
      get(connectionId);
      const next = saved.filter(({ id }) => id !== connectionId);
      for (const name of SECRET_NAMES) await secrets.delete(connectionId, name);
      await file.save(next);
      saved = next;
      clients.delete(connectionId);
      whereabouts.delete(connectionId);
      await announce();
    },
    clientFor: (connectionId) => {
      const known = clients.get(connectionId);
      if (known !== undefined) return known;
      const made = options.createClient(get(connectionId), () => readSecrets(connectionId));
      clients.set(connectionId, made);
      return made;
    },
  };
}
