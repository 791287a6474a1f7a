import { randomUUID } from 'node:crypto';
import { AppError } from '../../common/contract/errors.ts';
import type { Emit } from '../../common/contract/index.ts';
import type { ConnectionSigns } from '../../common/model/analysis/deprecation-match.ts';
import type { IncidentNote } from '../../common/model/analysis/incident.ts';
import {
  tidySecrets,
  toFollowOptions,
  toLookBackMs,
  type Connection,
  type ConnectionDraft,
  type ConnectionSecrets,
  type SetAsideConnections,
} from '../../common/model/connections/connection.ts';
import type { ConnectionFamilies } from '../../common/model/connections/family-changes.ts';
import type { OwnTable } from '../../common/model/connections/own-table.ts';
import { type ConnectionPlans, NO_PLANS } from '../../common/model/connections/planned.ts';
import type { ServiceLevel } from '../../common/model/connections/service-level.ts';
import type { ValueName } from '../../common/model/records/body-path.ts';
import { toOrigin } from '../../common/reporting/base-address.ts';
import type { ConnectionOutcomes } from '../../common/reporting/outcome.ts';
import { createWorkQueue } from '../../node/gate.ts';
import type { ReportingClient } from '../client/reporting-client.ts';
import type { Logger } from '../logging/logger.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import {
  checkDraft,
  checkNames,
  type ConnectionFile,
  createSecretWhereabouts,
  findImportedPlace,
  type ImportedPlace,
  requireAgreement,
  requireName,
  type SavedConnection,
  SECRET_NAMES,
  toImportedPlace,
} from './connection-file.ts';

/** Both secrets of a connection. */
export type BothSecrets = Required<ConnectionSecrets>;

/** The saved connections, where their secrets are, and a client for each. */
export interface ConnectionStore {
  list(): Promise<Connection[]>;
  /** The same without asking the keychain where secrets are. */
  listSaved(): readonly SavedConnection[];
  listSetAside(): SetAsideConnections;
  /** Throws `connections.not-found`. */
  get(connectionId: string): SavedConnection;
  /**
   * Id null creates. Secrets are kept without blanks and line ends around them; those left out stay as they are; at another origin both are needed, or it throws
   * `secrets.other-origin`.
   */
  save(
    connectionId: string | null,
    draft: ConnectionDraft,
    secrets: ConnectionSecrets,
    kind?: Connection['kind'],
  ): Promise<Connection>;
  /** Replaces names by what `change` returns. Throws `connections.not-found` and `connections.names-invalid`. */
  saveNames(
    connectionId: string,
    change: (names: readonly ValueName[]) => readonly ValueName[],
  ): Promise<Connection>;
  /** The names of a connection; none for one that is gone. */
  listNames(connectionId: string): readonly ValueName[];
  /** Replaces what counts as failed by what `change` returns. Throws `connections.not-found`. */
  saveOutcomes(
    connectionId: string,
    change: (outcomes: ConnectionOutcomes) => ConnectionOutcomes,
  ): Promise<Connection>;
  /** Replaces what a person made of families by what `change` returns. Throws `connections.not-found`. */
  saveFamilies(
    connectionId: string,
    change: (families: ConnectionFamilies) => ConnectionFamilies,
  ): Promise<Connection>;
  /** Replaces what a person said of incidents by what `change` returns. Throws `connections.not-found`. */
  saveIncidents(
    connectionId: string,
    change: (notes: readonly IncidentNote[]) => readonly IncidentNote[],
  ): Promise<void>;
  /** Replaces planned times and marks by what `change` returns. Throws `connections.not-found`. */
  savePlans(connectionId: string, change: (plans: ConnectionPlans) => ConnectionPlans): Promise<Connection>;
  /** Replaces the tables of one's own by what `change` returns. Throws `connections.not-found`. */
  saveTables(
    connectionId: string,
    change: (tables: readonly OwnTable[]) => readonly OwnTable[],
  ): Promise<Connection>;
  /** Replaces the agreed targets by what `change` returns. Throws `connections.not-found`. */
  saveServiceLevels(
    connectionId: string,
    change: (levels: readonly ServiceLevel[]) => ServiceLevel[],
  ): Promise<Connection>;
  /** Replaces what deprecations are recognised by. Throws `connections.not-found`. */
  saveSigns(connectionId: string, change: (signs: ConnectionSigns) => ConnectionSigns): Promise<Connection>;
  /** Switches following on or off. */
  saveFollowed(connectionId: string, followed: boolean): Promise<void>;
  /** The place for imported records of a tenant and an address; a new one is not kept before `keepImportedPlace`. */
  findImportedPlace(place: ImportedPlace): SavedConnection;
  keepImportedPlace(place: SavedConnection): Promise<void>;
  remove(connectionId: string): Promise<void>;
  findLocal(): SavedConnection | undefined;
  /**
   * The secrets, to be sent to an address; by default the connection's own. Throws `secrets.missing` where one of
   * them is not stored, and `secrets.other-origin` where they were saved for another origin.
   */
  readSecrets(connectionId: string, baseAddress?: string): Promise<BothSecrets>;
  /** Looks again where secrets are, and says it: the keychain is another one, or was opened. */
  lookForSecrets(): Promise<void>;
  /** Notifies a listener each time that a connection was saved, with its id. */
  watchSaved(listener: (connectionId: string) => void): void;
  /** Throws `local-service.not-running` for the built-in service while it is known to be stopped. */
  clientFor(connectionId: string): ReportingClient;
  /** Says whether the built-in service is stopped: only the application itself knows, and need not find it unreachable. */
  setLocalStopped(isStopped: boolean): void;
  /** Lets the next calls be tried at once, whatever failed before them. */
  renewClients(): void;
}

interface ConnectionsOptions {
  readonly file: ConnectionFile;
  readonly secrets: SecretStore;
  readonly emit: Emit;
  readonly logger: Logger;
  now(): number;
  createClient(connection: SavedConnection, secrets: () => Promise<BothSecrets>): ReportingClient;
}

/** Loads the saved connections. */
export async function createConnections(options: ConnectionsOptions): Promise<ConnectionStore> {
  const { file, secrets, emit, logger } = options;
  let saved = await file.load();
  // Each change builds on the one before, also where the keychain takes its time.
  const inTurn = createWorkQueue();
  const clients = new Map<string, ReportingClient>();
  const listeners = new Set<(connectionId: string) => void>();
  let isLocalStopped = false;

  const toConnection = async (connection: SavedConnection): Promise<Connection> => ({
    ...connection,
    secrets: await whereabouts.find(connection),
  });
  const list = (): Promise<Connection[]> => Promise.all(saved.map(toConnection));
  const announce = async (): Promise<void> => emit('connections/changed', await list());
  const whereabouts = createSecretWhereabouts({ secrets, logger, onFound: () => void announce() });

  const get = (connectionId: string): SavedConnection => {
    const connection = saved.find(({ id }) => id === connectionId);
    if (connection === undefined) throw new AppError('connections.not-found', 'No such connection.');
    return connection;
  };
  const readNow = async (connectionId: string, baseAddress: string): Promise<BothSecrets> => {
    const { secretsOrigin } = get(connectionId);
    if (secretsOrigin !== undefined) requireSameOrigin(secretsOrigin, baseAddress);
    // Without an origin they are in the middle of being replaced.
    const names = secretsOrigin === undefined ? [] : SECRET_NAMES;
    const [accessToken, accessTokenSecret] = await Promise.all(
      names.map((name) => secrets.get(connectionId, name)),
    );
    if (typeof accessToken !== 'string' || typeof accessTokenSecret !== 'string') {
      throw new AppError('secrets.missing', 'The credentials of this connection are not stored.');
    }
    return { accessToken, accessTokenSecret };
  };
  // In turn: while a connection gets another address, its new secrets must not go to the old one.
  const readSecrets = (connectionId: string, baseAddress?: string): Promise<BothSecrets> =>
    inTurn(() => readNow(connectionId, baseAddress ?? get(connectionId).baseAddress));

  const write = async (next: readonly SavedConnection[]): Promise<void> => {
    saved = await file.save(next);
  };
  /** Writes the list with a connection in the place that it had, or as the last one. */
  const keep = (connection: SavedConnection): Promise<void> => {
    const isKnown = saved.some(({ id }) => id === connection.id);
    const next = saved.map((entry) => (entry.id === connection.id ? connection : entry));
    return write(isKnown ? next : [...next, connection]);
  };

  /** Stores what was given; returns the origin that the secrets then belong to, undefined where none is known. */
  const keepSecrets = async (
    id: string,
    known: SavedConnection | undefined,
    baseAddress: string,
    typed: ConnectionSecrets,
  ): Promise<string | undefined> => {
    const given = tidySecrets(typed);
    const values = SECRET_NAMES.map((name) => [name, given[name]] as const);
    const isWhole = values.every(([, value]) => value !== undefined);
    const before = known?.secretsOrigin;
    const origin = toOrigin(baseAddress);
    const isMoving = known !== undefined && before !== origin;
    if (isMoving && !isWhole) {
      if (before !== undefined) requireSameOrigin(before, baseAddress);
      return undefined;
    }
    // Until both are replaced, they belong to no address: the application may end in between.
    if (isMoving) await keep(toUnbound(known) as SavedConnection);
    let stored = 0;
    try {
      for (const [name, value] of values) {
        if (value !== undefined) await secrets.set(id, name, value);
        stored += 1;
      }
    } catch (error) {
      if (isMoving && stored === 0) await keep(known);
      else whereabouts.forget(id);
      throw error;
    }
    return origin;
  };

  return {
    list,
    listSaved: () => saved,
    listSetAside: file.listSetAside,
    get,
    readSecrets,
    findLocal: () => saved.find(({ kind }) => kind === 'local'),
    save: (connectionId, draft, given, kind = 'remote') =>
      inTurn(async () => {
        const known = connectionId === null ? undefined : get(connectionId);
        if (known?.kind === 'imported') {
          // There is no service: nothing but its name is a person's to change.
          requireName(draft);
          await keep({ ...known, name: draft.name.trim() });
          await announce();
          return toConnection(get(known.id));
        }
        const checked = checkDraft(draft);
        const id = known?.id ?? randomUUID();
        // Secrets first: a connection must not appear saved when its credentials could not be kept.
        const secretsOrigin = await keepSecrets(id, known, checked.baseAddress, given);
        const connection: SavedConnection = {
          ...toUnbound(known),
          ...checked,
          id,
          kind: known?.kind ?? kind,
          createdAtMs: known?.createdAtMs ?? options.now(),
          ...(secretsOrigin === undefined ? {} : { secretsOrigin }),
        };
        await keep(withFollowStart(connection, known, options.now()));
        clients.delete(id);
        whereabouts.forget(id);
        await announce();
        for (const tell of listeners) tell(id);
        return toConnection(get(id));
      }),
    async lookForSecrets() {
      whereabouts.forget();
      await announce();
    },
    watchSaved: (listener) => void listeners.add(listener),
    listNames: (connectionId) => saved.find(({ id }) => id === connectionId)?.names ?? [],
    saveNames: (connectionId, change) =>
      inTurn(async () => {
        const known = get(connectionId);
        const connection: SavedConnection = { ...known, names: checkNames(change(known.names ?? [])) };
        await keep(connection);
        await announce();
        return toConnection(connection);
      }),
    saveOutcomes: (connectionId, change) =>
      inTurn(async () => {
        const connection: SavedConnection = { ...get(connectionId) };
        const outcomes = change(connection.outcomes ?? {});
        delete connection.outcomes;
        if (Object.keys(outcomes).length > 0) connection.outcomes = outcomes;
        await keep(connection);
        await announce();
        return toConnection(connection);
      }),
    saveFamilies: (connectionId, change) =>
      inTurn(async () => {
        const known = get(connectionId);
        const connection: SavedConnection = { ...known, families: change(known.families ?? {}) };
        await keep(connection);
        await announce();
        return toConnection(connection);
      }),
    saveIncidents: (connectionId, change) =>
      inTurn(async () => {
        const known = get(connectionId);
        await keep({ ...known, incidents: [...change(known.incidents ?? [])] });
        await announce();
      }),
    savePlans: (connectionId, change) =>
      inTurn(async () => {
        const known = get(connectionId);
        const connection: SavedConnection = { ...known, plans: change(known.plans ?? NO_PLANS) };
        await keep(connection);
        await announce();
        return toConnection(connection);
      }),
    saveTables: (connectionId, change) =>
      inTurn(async () => {
        const known = get(connectionId);
        const connection: SavedConnection = { ...known, tables: [...change(known.tables ?? [])] };
        await keep(connection);
        await announce();
        return toConnection(connection);
      }),
    saveServiceLevels: (connectionId, change) =>
      inTurn(async () => {
        const known = get(connectionId);
        const connection: SavedConnection = { ...known, serviceLevels: change(known.serviceLevels ?? []) };
        await keep(connection);
        await announce();
        return toConnection(connection);
      }),
    saveSigns: (connectionId, change) =>
      inTurn(async () => {
        const known = get(connectionId);
        const connection: SavedConnection = { ...known, signs: change(known.signs ?? {}) };
        await keep(connection);
        await announce();
        return toConnection(connection);
      }),
    saveFollowed: (connectionId, followed) =>
      inTurn(async () => {
        const known = get(connectionId);
        await keep(withFollowStart({ ...known, followed }, known, options.now()));
        await announce();
      }),
    findImportedPlace: (place) =>
      findImportedPlace(saved, place) ?? toImportedPlace(place, saved, options.now()),
    keepImportedPlace: (place) =>
      inTurn(async () => {
        if (saved.some(({ id }) => id === place.id)) return;
        await keep(place);
        await announce();
      }),
    remove: (connectionId) =>
      inTurn(async () => {
        get(connectionId);
        for (const name of SECRET_NAMES) await secrets.delete(connectionId, name);
        await write(saved.filter(({ id }) => id !== connectionId));
        clients.delete(connectionId);
        whereabouts.forget(connectionId);
        await announce();
      }),
    renewClients: () => clients.clear(),
    setLocalStopped: (isStopped) => {
      isLocalStopped = isStopped;
    },
    clientFor: (connectionId) => {
      const connection = get(connectionId);
      if (connection.kind === 'local' && isLocalStopped) {
        throw new AppError('local-service.not-running', 'The local service is stopped.');
      }
      const known = clients.get(connectionId);
      if (known !== undefined) return known;
      // A client that outlives a change of the address keeps asking at the old one, and gets no secrets for it.
      if (connection.kind === 'imported') {
        throw new AppError('connections.imported', 'There is no service behind imported records.');
      }
      const made = options.createClient(connection, async () => {
        requireAgreement(connection);
        return readSecrets(connectionId, connection.baseAddress);
      });
      clients.set(connectionId, made);
      return made;
    },
  };
}

/** A connection that was not followed for a time begins anew: nothing older is fetched unless somebody asks for it. */
function withFollowStart(
  connection: SavedConnection,
  known: SavedConnection | undefined,
  nowMs: number,
): SavedConnection {
  if (toFollowOptions(connection).followed) {
    return { ...connection, followedSinceMs: known?.followedSinceMs ?? nowMs };
  }
  const copy = { ...connection };
  delete copy.followedSinceMs;
  return copy;
}

/** Throws `secrets.other-origin` where secrets that were saved for one origin would go to another. */
function requireSameOrigin(savedFor: string, baseAddress: string): void {
  if (savedFor === toOrigin(baseAddress)) return;
  throw new AppError('secrets.other-origin', 'The stored credentials are for another address.', {
    savedFor,
    address: toOrigin(baseAddress),
  });
}

/** Returns a connection whose secrets belong to no address. */
function toUnbound(known: SavedConnection | undefined): Partial<SavedConnection> {
  const copy = { ...known };
  delete copy.secretsOrigin;
  return copy;
}

/** The look-back of a saved connection, in milliseconds; the default for one that is gone. */
export function findLookBackMs(connections: Pick<ConnectionStore, 'get'>, connectionId: string): number {
  try {
    return toLookBackMs(connections.get(connectionId));
  } catch {
    return toLookBackMs();
  }
}
