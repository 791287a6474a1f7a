import { setTimeout as delay } from 'node:timers/promises';
import type { Keychain as KeychainState } from '../../common/contract/operations/app.ts';
import { AppError, toErrorInfo, type ErrorInfo } from '../../common/contract/errors.ts';
import type { Emit } from '../../common/contract/index.ts';
import { createWorkQueue } from '../../node/gate.ts';
import type { Host } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import { createInMemorySecretStore, type SecretStore } from './secret-store.ts';
import type { SecretFile } from './secret-file.ts';

/**
 * How long one call may take. After an update macOS asks for the password, entry by entry; elsewhere a call that takes
 * long has lost its keychain.
 */
const LIMITS_MS: Readonly<Record<Host['platform'], number>> = { macos: 120_000, windows: 5000, linux: 5000 };
/** A prompt of the system must not keep the window from opening. */
const START_WAIT_MS = 5000;

/** Without a keychain: as the system says, or as was found before the file was damaged. */
const NO_KEYCHAIN: ReadonlySet<string> = new Set(['secrets.no-keychain', 'secrets.file-damaged']);

/** The system's keychain, or memory, with the reason why. */
export interface OpenedSecretStore {
  readonly store: SecretStore;
  readonly failure: ErrorInfo | null;
}

/** Opens the system's keychain. Never rejects. */
export type OpenSecretStore = (options: {
  readonly logger: Logger;
  readonly timeoutMs: number;
  readonly onWaiting: (isWaiting: boolean) => void;
}) => Promise<OpenedSecretStore>;

/** The keychain, or what stands in for it, whichever it is at the moment. */
export interface Keychain {
  /** Its calls wait until the keychain is open. */
  readonly store: SecretStore;
  read(): KeychainState;
  /** Tries the system's keychain once more; what was kept elsewhere moves into it. Never rejects. */
  retry(): Promise<KeychainState>;
  /** Begins the encrypted file. Throws `secrets.has-keychain` where none is offered. */
  createFile(passphrase: string): Promise<KeychainState>;
  /** Opens the file; where there is a keychain, what is in it moves there. Throws `secrets.wrong-passphrase`. */
  unlockFile(passphrase: string): Promise<KeychainState>;
  /** Throws `secrets.wrong-passphrase`. */
  changePassphrase(current: string, next: string): Promise<KeychainState>;
  /** Deletes the file. What was read of it is kept in memory. */
  deleteFile(): Promise<KeychainState>;
}

/** Begins to open the keychain, and waits for it for 5 s at most. */
export async function createKeychain(options: {
  readonly open: OpenSecretStore;
  readonly platform: Host['platform'];
  readonly emit: Emit;
  readonly logger: Logger;
  readonly startWaitMs?: number;
  /** Used under Linux only. */
  readonly file: SecretFile;
  /** Of the file, where it was given at the start. */
  readonly passphrase?: string | null;
}): Promise<Keychain> {
  const { open, platform, emit, logger, startWaitMs = START_WAIT_MS, file, passphrase = null } = options;
  const inTurn = createWorkQueue();
  let opened: OpenedSecretStore | null = null;
  let isWaiting = false;
  let hasFile = false;
  let retrying: Promise<void> | null = null;

  const readFileState = (): KeychainState['file'] => {
    if (opened?.store.kind === 'file') return 'open';
    if (hasFile) return 'locked';
    if (platform !== 'linux' || opened?.store.kind !== 'session') return 'none';
    // A keychain that is there and refuses may be unlocked.
    return opened.failure === null || NO_KEYCHAIN.has(opened.failure.code) ? 'offered' : 'none';
  };
  const read = (): KeychainState => ({
    kind: opened?.store.kind ?? 'keychain',
    failure: opened?.failure?.code ?? null,
    isWaiting,
    file: readFileState(),
  });
  const isOpening = (): boolean => opened === null;
  const announce = (): void => emit('app/keychain-changed', read());
  const openSystem = (): Promise<OpenedSecretStore> =>
    open({
      logger,
      timeoutMs: LIMITS_MS[platform],
      onWaiting: (isSlow) => {
        isWaiting = isSlow;
        announce();
      },
    });
  /** What stands in for a keychain that isn't there: the file, or memory that says that it is locked. */
  const openFile = async (system: OpenedSecretStore): Promise<OpenedSecretStore> => {
    if (platform !== 'linux') return system;
    try {
      hasFile = await file.find();
      if (!hasFile || system.store.kind === 'keychain') return system;
      if (passphrase !== null) return { store: await file.unlock(passphrase), failure: null };
      throw new AppError('secrets.file-locked', 'The secrets file is locked.');
    } catch (error) {
      const failure = toErrorInfo(error);
      if (failure.code === 'secrets.file-damaged') hasFile = false;
      else if (failure.code !== 'secrets.file-locked')
        logger.warn('the secrets file stays locked', { ...failure });
      if (system.store.kind === 'keychain') return system;
      return { store: createInMemorySecretStore(failure), failure };
    }
  };
  const replace = async (before: OpenedSecretStore): Promise<OpenedSecretStore> => {
    const next = await openSystem();
    if (next.store.kind === 'session') {
      return { store: before.store, failure: hasFile ? before.failure : next.failure };
    }
    try {
      await before.store.moveTo?.(next.store);
      if (before.store.kind === 'file') await removeFile();
      return next;
    } catch (error) {
      logger.warn('secrets not moved to the keychain', { error });
      return { store: before.store, failure: toErrorInfo(error) };
    }
  };
  const removeFile = async (): Promise<void> => {
    await file.remove();
    hasFile = false;
  };
  /** A file that was moved aside is none any more: what is entered anew is kept in memory. */
  const fallBack = async (before: OpenedSecretStore, failure: ErrorInfo): Promise<OpenedSecretStore> => {
    if (failure.code !== 'secrets.file-damaged') return before;
    hasFile = false;
    if (before.store.kind !== 'session') return before;
    const store = createInMemorySecretStore();
    await before.store.moveTo?.(store);
    return { store, failure };
  };
  /** Goes on with another store once it is there; calls wait meanwhile. Throws what kept it from being there. */
  const change = (next: (before: OpenedSecretStore) => Promise<OpenedSecretStore>): Promise<KeychainState> =>
    inTurn(async () => {
      const before = await opening;
      const made = next(before);
      opening = made.catch((error: unknown) => fallBack(before, toErrorInfo(error)));
      opened = await opening;
      await made.finally(announce);
      return read();
    });

  let opening = openSystem().then(openFile);
  const first = opening.then((result) => void (opened = result));
  await Promise.race([first, delay(startWaitMs, undefined, { ref: false })]);
  if (isOpening()) void first.then(announce);

  return {
    store: {
      get kind() {
        return read().kind;
      },
      get: async (...entry) => (await opening).store.get(...entry),
      set: async (...entry) => (await opening).store.set(...entry),
      delete: async (...entry) => (await opening).store.delete(...entry),
    },
    read,
    async retry() {
      const retryOnce = async (): Promise<void> => {
        if ((await opening).store.kind !== 'keychain') await change(replace);
      };
      retrying ??= retryOnce().finally(() => (retrying = null));
      await retrying;
      return read();
    },
    createFile: (chosen) =>
      change(async (before) => {
        const state = readFileState();
        if (state === 'locked' || state === 'open') {
          throw new AppError('secrets.file-locked', 'There is a secrets file already.');
        }
        if (state !== 'offered') {
          throw new AppError(
            'secrets.has-keychain',
            read().kind === 'keychain'
              ? 'Secrets are kept in the keychain of the system.'
              : "There is a keychain of the system, which can't be used now.",
          );
        }
        const store = await file.create(chosen);
        try {
          await before.store.moveTo?.(store);
        } catch (error) {
          await file.remove().catch(() => undefined);
          throw error;
        }
        hasFile = true;
        return { store, failure: null };
      }),
    unlockFile: (given) =>
      change(async (before) => {
        const store = await file.unlock(given);
        if (before.store.kind !== 'keychain') {
          if (before.store.kind === 'session') await before.store.moveTo?.(store);
          return { store, failure: null };
        }
        await store.moveTo?.(before.store);
        await removeFile();
        return before;
      }),
    changePassphrase: (current, next) =>
      change(async (before) => {
        await file.change(current, next);
        return before;
      }),
    deleteFile: () =>
      change(async (before) => {
        if (before.store.kind === 'keychain') {
          await removeFile();
          return before;
        }
        const store = createInMemorySecretStore();
        await before.store.moveTo?.(store);
        await removeFile();
        return {
          store,
          failure: { code: 'secrets.no-keychain', message: 'The file was deleted.', details: {} },
        };
      }),
  };
}
