import { Type } from 'typebox';
import {
  Connection,
  ConnectionDraft,
  ConnectionSecrets,
  SetAsideConnections,
} from '../../model/connections/connection.ts';
import {
  LocalServiceState,
  QUIRK_NAMES,
  QuirkName,
  RecordImport,
  ServiceRequest,
  Simulation,
} from '../../model/connections/local-service.ts';
import { Nullable } from '../../model/nullable.ts';
import { ValueNames } from '../../model/records/body-path.ts';
import { MAX_PASSPHRASE_CHARACTERS, MIN_PASSPHRASE_CHARACTERS } from '../../model/settings/passphrase.ts';
import { ConnectionId, Nothing, operation, TaskId } from '../operation.ts';
import { Keychain } from './app.ts';

/** A connection as typed; secrets that are left out are those of the saved connection. */
const DraftInput = Type.Object({
  connectionId: Nullable(Type.String()),
  draft: ConnectionDraft,
  secrets: ConnectionSecrets,
});

export const connectionsOperations = {
  'connections/list': operation(Nothing, Type.Array(Connection)),
  /** What was saved and can't be used by this version; it is kept. */
  'connections/list-set-aside': operation(Nothing, SetAsideConnections),
  /** Creates a connection (id null) or changes one. */
  'connections/save': operation(DraftInput, Connection),
  /** Replaces a connection's names of channels, services and actions. */
  'connections/save-names': operation(
    Type.Object({ ...ConnectionId.properties, names: ValueNames }),
    Connection,
  ),
  /** Removes a connection, its secrets and its cached snapshots. */
  'connections/remove': operation(ConnectionId, Nothing),
  /** Starts a task of kind `connection-test`, whose `steps` are the result. */
  'connections/start-test': operation(DraftInput, TaskId),
  /**
   * Starts a task of kind `zone-check`: it looks for the newest record of the draft's service and judges the service
   * time zone by it. The result is the task's `zoneFinding`; the task fails as a page does.
   */
  'connections/start-zone-check': operation(DraftInput, TaskId),
};

export const connectionsEvents = {
  'connections/changed': Type.Array(Connection),
};

/** Larger files of records are refused before they are uploaded to the loopback host. */
export const MAX_IMPORT_BYTES = 2 * 1024 ** 3;
/** How many of the last requests are kept. */
export const MAX_KEPT_REQUESTS = 200;

export const localServiceOperations = {
  'local-service/get-state': operation(Nothing, LocalServiceState),
  /** Starts the bundled service, creates or updates its connection, and returns once it accepts requests. */
  'local-service/start': operation(
    Nothing,
    Type.Object({ state: LocalServiceState, connection: Connection }),
  ),
  'local-service/stop': operation(Nothing, LocalServiceState),
  /** Stops it and starts it again with the same port and records. */
  'local-service/restart': operation(Nothing, LocalServiceState),
  'local-service/set-live': operation(Type.Object({ live: Type.Boolean() }), LocalServiceState),
  'local-service/set-simulation': operation(Simulation, LocalServiceState),
  /** A running service is restarted with them, on the same port. */
  'local-service/set-quirks': operation(
    Type.Object({
      quirks: Type.Array(QuirkName, { maxItems: QUIRK_NAMES.length, uniqueItems: true }),
    }),
    LocalServiceState,
  ),
  /** The last requests that it served, oldest first. */
  'local-service/read-requests': operation(Nothing, Type.Array(ServiceRequest)),
  /** Copies one part of the credentials to the clipboard. Returns the text only where the host has no clipboard. */
  'local-service/copy-credential': operation(
    Type.Object({ name: Type.Union([Type.Literal('accessToken'), Type.Literal('accessTokenSecret')]) }),
    Type.Object({ text: Nullable(Type.String()) }),
  ),
  /** Shows the folder with its records. `isShown` is false where the system has no program for that. */
  'local-service/reveal-folder': operation(Nothing, Type.Object({ isShown: Type.Boolean() })),
  /**
   * Starts a task of kind `import` for a file of records: an uploaded one, or (id null) one that the host lets the
   * user choose. Returns null when nothing was chosen.
   */
  'local-service/start-import': operation(
    Type.Object({ uploadId: Nullable(Type.String({ maxLength: 100 })) }),
    Nullable(RecordImport),
  ),
  'local-service/get-import': operation(Nothing, Nullable(RecordImport)),
};

export const localServiceEvents = {
  'local-service/changed': LocalServiceState,
  /** The requests since the last event, oldest first; at most ten events a second. */
  'local-service/requests-served': Type.Array(ServiceRequest),
  'local-service/import-changed': RecordImport,
};

const Passphrase = Type.String({ minLength: 1, maxLength: MAX_PASSPHRASE_CHARACTERS });
const NewPassphrase = Type.String({
  minLength: MIN_PASSPHRASE_CHARACTERS,
  maxLength: MAX_PASSPHRASE_CHARACTERS,
});

/** The encrypted file that keeps secrets where a Linux has no keychain. A passphrase goes in, and never comes out. */
export const secretsOperations = {
  /** Begins the file; the secrets of this session move into it. Fails with `secrets.has-keychain` where there is one. */
  'secrets/create-file': operation(Type.Object({ passphrase: NewPassphrase }), Keychain),
  /** Opens the file, and moves it into the keychain where there is one. Fails with `secrets.wrong-passphrase`. */
  'secrets/unlock-file': operation(Type.Object({ passphrase: Passphrase }), Keychain),
  'secrets/change-passphrase': operation(
    Type.Object({ passphrase: Passphrase, next: NewPassphrase }),
    Keychain,
  ),
  /** Deletes the file. What was read from it is kept until the application ends; locked secrets are gone. */
  'secrets/delete-file': operation(Nothing, Keychain),
};
