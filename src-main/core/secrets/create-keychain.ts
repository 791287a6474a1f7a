import { setTimeout as delay } from 'node:timers/promises';
import type { Keychain as KeychainState } from '../../common/contract/operations/app.ts';
import { toErrorInfo, type ErrorInfo } from '../../common/contract/errors.ts';
import type { Emit } from '../../common/contract/index.ts';
import type { Host } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import type { SecretStore } from './secret-store.ts';

/**
 * How long one call may take. After an update macOS asks for the password, entry by entry; elsewhere a call that takes
 * long has lost its keychain.
 */
const LIMITS_MS: Readonly<Record<Host['platform'], number>> = { macos: 120_000, windows: 5000, linux: 5000 };
/** A prompt of the system must not keep the window from opening. */
const START_WAIT_MS = 5000;

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
  /** Tries the system's keychain once more; what was kept in memory moves into it. Never rejects. */
  retry(): Promise<KeychainState>;
}

/** Begins to open the keychain, and waits for it for 5 s at most. */
export async function createKeychain(options: {
  readonly open: OpenSecretStore;
  readonly platform: Host['platform'];
  readonly emit: Emit;
  readonly logger: Logger;
  readonly startWaitMs?: number;
}): Promise<Keychain> {
  const { open, platform, emit, logger, startWaitMs = START_WAIT_MS } = options;
  let opened: OpenedSecretStore | null = null;
  let isWaiting = false;
  let retrying: Promise<void> | null = null;

  const read = (): KeychainState => ({
    kind: opened?.store.kind ?? 'keychain',
    failure: opened?.failure?.code ?? null,
    isWaiting,
  });
  const announce = (): void => emit('app/keychain-changed', read());
  const openOnce = (): Promise<OpenedSecretStore> =>
    open({
      logger,
      timeoutMs: LIMITS_MS[platform],
      onWaiting: (isSlow) => {
        isWaiting = isSlow;
        announce();
      },
    });
  const replace = async (before: OpenedSecretStore): Promise<OpenedSecretStore> => {
    const next = await openOnce();
    if (next.store.kind === 'session') return { store: before.store, failure: next.failure };
    try {
      await before.store.moveTo?.(next.store);
      return next;
    } catch (error) {
      logger.warn('secrets not moved to the keychain', { error });
      return { store: before.store, failure: toErrorInfo(error) };
    }
  };

  let opening = openOnce();
  const first = opening.then((result) => void (opened = result));
  await Promise.race([first, delay(startWaitMs, undefined, { ref: false })]);
  if (read().isWaiting) void first.then(announce);

  const retry = async (): Promise<void> => {
    const before = await opening;
    if (before.store.kind === 'keychain') return;
    opening = replace(before);
    opened = await opening;
    announce();
  };
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
      retrying ??= retry().finally(() => (retrying = null));
      await retrying;
      return read();
    },
  };
}
