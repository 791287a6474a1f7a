import { type Static, Type } from 'typebox';
import { Task } from '../../model/cache/task.ts';
import { Nullable } from '../../model/nullable.ts';
import {
  MAX_AUTHORITIES,
  MAX_CERTIFICATE_CHARACTERS,
  SetAsideSettings,
  Settings,
  SettingsChange,
} from '../../model/settings/settings.ts';
import { Nothing, operation, TaskId } from '../operation.ts';

/** Where secrets are kept. */
export const Keychain = Type.Object({
  /** The system's keychain, the encrypted file while it is open, or memory until the application ends. */
  kind: Type.Union([Type.Literal('keychain'), Type.Literal('file'), Type.Literal('session')]),
  /** The error code that keeps the system's, or the file, from being used. */
  failure: Nullable(Type.String()),
  /** A call to the system's keychain takes long: it is probably asking the person something. */
  isWaiting: Type.Boolean(),
  /**
   * The encrypted file: `none` where there is none and none is needed, `offered` where it can take the place of a keychain
   * that isn't there, `locked` until its passphrase is entered; beside a keychain it waits to be moved into that.
   */
  file: Type.Union([
    Type.Literal('none'),
    Type.Literal('offered'),
    Type.Literal('locked'),
    Type.Literal('open'),
  ]),
});
export type Keychain = Static<typeof Keychain>;

const AppInfo = Type.Object({
  version: Type.String(),
  platform: Type.Union([Type.Literal('macos'), Type.Literal('windows'), Type.Literal('linux')]),
  host: Type.Union([Type.Literal('desktop'), Type.Literal('web'), Type.Literal('cli')]),
  dataFolder: Type.String(),
  /** Other users of the computer may be able to read the data folder: no mode of it closes it. */
  mayBeReadByOthers: Type.Boolean(),
  keychain: Keychain,
  /** Languages that the person reads, as the system or the browser lists them (BCP 47, the preferred one first). */
  systemLanguages: Type.Array(Type.String()),
  nowMs: Type.Integer(),
  /** Started with `--safe`: nothing is done by itself. */
  isSafe: Type.Boolean(),
});

/** A proxy of the network asks who is calling; nobody has told it yet, or what was told was refused. */
export const ProxyChallenge = Type.Object({
  /** Host and port. */
  proxy: Type.String(),
  /** What the proxy calls itself; may be empty. */
  realm: Type.String(),
  wasRefused: Type.Boolean(),
});
export type ProxyChallenge = Static<typeof ProxyChallenge>;

const Challenge = Nullable(ProxyChallenge);

/** What a person enters. The user name is kept as a secret too. */
const ProxySignIn = Type.Object({
  proxy: Type.String({ maxLength: 300 }),
  userName: Type.String({ minLength: 1, maxLength: 1024 }),
  password: Type.String({ maxLength: 1024 }),
});
export type ProxySignIn = Static<typeof ProxySignIn>;

export const appOperations = {
  'app/get-info': operation(Nothing, AppInfo),
  /** Tries the system's keychain once more, where secrets are kept in memory. */
  'app/retry-keychain': operation(Nothing, Keychain),
  /** Shows the data folder; false where the system has no program for that. */
  'app/reveal-data-folder': operation(Nothing, Type.Object({ isShown: Type.Boolean() })),
  /** Opens one more window at a place of the router; false where the host has none to open. */
  'app/open-window': operation(
    Type.Object({ place: Type.String({ maxLength: 20_000, pattern: '^/' }) }),
    Type.Object({ isOpened: Type.Boolean() }),
  ),
  /** Leads back to the application that runs: to its window, or to an address for a browser, which works once. */
  'app/come-back': operation(
    Nothing,
    Nullable(
      Type.Union([
        Type.Object({ kind: Type.Literal('window') }),
        Type.Object({ kind: Type.Literal('address'), url: Type.String(), isolatedUrl: Type.String() }),
      ]),
    ),
  ),
  /** Ends an application that was started safely, and starts it as usual; false where only the person can. */
  'app/start-normally': operation(Nothing, Type.Object({ isStarting: Type.Boolean() })),
  /** The proxy that waits for a login; null where none does. */
  'app/read-proxy-challenge': operation(Nothing, Challenge),
  /** Keeps a login where secrets are kept, and requests the status of the active connection with it. */
  'app/sign-in-to-proxy': operation(ProxySignIn, Nothing),
};

export const appEvents = {
  'app/keychain-changed': Keychain,
  'app/proxy-challenge-changed': Challenge,
  /** A link was opened that leads to a place in the window. Only the desktop sends it. */
  'app/place-opened': Type.Object({ place: Type.String() }),
};

/** What a certificate says of itself. */
export const CertificateDescription = Type.Object({
  /** The certificate alone, as PEM. */
  pem: Type.String(),
  /** The common name, or else the whole subject in one line. */
  name: Type.String(),
  validFromMs: Type.Integer(),
  validToMs: Type.Integer(),
  /** SHA-256 over its bytes, in hexadecimal with colons. */
  fingerprint: Type.String(),
  /** It may sign other certificates. */
  isAuthority: Type.Boolean(),
});

export const settingsOperations = {
  'settings/get': operation(Nothing, Settings),
  'settings/update': operation(SettingsChange, Settings),
  /** What was saved and can't be used. */
  'settings/list-set-aside': operation(Nothing, SetAsideSettings),
  /** Reads what the certificates of a PEM file say; rejects with `settings.no-certificate` where it holds none. */
  'settings/read-certificates': operation(
    Type.Object({ pem: Type.String({ maxLength: MAX_AUTHORITIES * MAX_CERTIFICATE_CHARACTERS }) }),
    Type.Array(CertificateDescription),
  ),
};

export const settingsEvents = { 'settings/changed': Settings };

export type CertificateDescription = Static<typeof CertificateDescription>;

/** Why no newer version can be had here. */
export const UpdateObstacle = Type.Union([
  /** The browser's host and the command line run what was fetched and built by hand. */
  Type.Literal('no-package'),
  /** The package was built without an address to ask. */
  Type.Literal('no-address'),
  /** The portable program of Windows, and an AppImage that was unpacked: there is no place to install to. */
  Type.Literal('not-installed'),
]);
export type UpdateObstacle = Static<typeof UpdateObstacle>;

const FoundUpdate = Type.Object({
  version: Type.String(),
  /** What is new, as plain text; null when the release says nothing. */
  notes: Type.Union([Type.String(), Type.Null()]),
  releasedAtMs: Type.Union([Type.Integer(), Type.Null()]),
  sizeBytes: Type.Union([Type.Integer(), Type.Null()]),
});
export type FoundUpdate = Static<typeof FoundUpdate>;

const UpdateState = Type.Object({
  obstacle: Type.Union([UpdateObstacle, Type.Null()]),
  phase: Type.Union([
    /** Nobody has asked yet, or the last question failed. */
    Type.Literal('unknown'),
    Type.Literal('checking'),
    Type.Literal('current'),
    Type.Literal('found'),
    Type.Literal('downloading'),
    /** Downloaded and checked; it is installed when the application is restarted for it. */
    Type.Literal('ready'),
  ]),
  /** The newer version, from `found` on. */
  found: Type.Union([FoundUpdate, Type.Null()]),
  /** What was downloaded of it. */
  doneBytes: Type.Integer(),
  totalBytes: Type.Union([Type.Integer(), Type.Null()]),
  /** When the last question was answered. */
  checkedAtMs: Type.Union([Type.Integer(), Type.Null()]),
});
export type UpdateState = Static<typeof UpdateState>;

export const updatesOperations = {
  'updates/get-state': operation(Nothing, UpdateState),
  /** Asks whether there is a newer version; nothing is downloaded. */
  'updates/check': operation(Nothing, UpdateState),
  /** Downloads the version that was found, and checks it. Resolves once it is ready, or was cancelled. */
  'updates/download': operation(Nothing, UpdateState),
  'updates/cancel-download': operation(Nothing, Nothing),
  /** Ends the application in order, installs the downloaded version, and starts it. */
  'updates/install': operation(Nothing, Nothing),
};

export const updatesEvents = { 'updates/changed': UpdateState };

export const tasksOperations = {
  'tasks/list': operation(Nothing, Type.Array(Task)),
  'tasks/cancel': operation(TaskId, Nothing),
  /** Resolves once the task has ended, however it ended. */
  'tasks/wait': operation(TaskId, Task),
};

export const tasksEvents = { 'tasks/changed': Task };
