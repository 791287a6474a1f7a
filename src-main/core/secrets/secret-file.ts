import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../common/contract/errors.ts';
import { findErrorCode } from '../../node/error-text.ts';
import { isTaken, removePatiently } from '../../node/move-and-remove.ts';
import { keepAside, readJsonFile, writeJsonFile } from '../documents/json-file.ts';
import { createSaveQueue } from '../documents/save-queue.ts';
import type { Logger } from '../logging/logger.ts';
import {
  deriveKeys,
  matchPassphrase,
  openEntries,
  readSealed,
  sealEntries,
  type SealedSecrets,
  type SealKeys,
} from './sealed-secrets.ts';
import { checkSecretSize } from './secret-size.ts';
import type { SecretName, SecretStore } from './secret-store.ts';

/** Each wrong passphrase makes the answer to the next one come later. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;

/**
 * The encrypted file that keeps secrets where a Linux has no keychain. One that is damaged is moved aside, and counts as
 * none from then on. Failures are AppErrors: `secrets.file-damaged` once it was moved, `secrets.file-failed` where it can't
 * be read or written.
 */
export interface SecretFile {
  /** Whether there is one. Throws `secrets.file-damaged` for one that isn't whole. */
  find(): Promise<boolean>;
  /** Begins an empty file. */
  create(passphrase: string): Promise<SecretStore>;
  /** Throws `secrets.wrong-passphrase`; the file stays as it is. */
  unlock(passphrase: string): Promise<SecretStore>;
  /** Encrypts the file anew; it is open then. Throws `secrets.wrong-passphrase` for the current one. */
  change(current: string, next: string): Promise<void>;
  remove(): Promise<void>;
}

interface Opened {
  readonly entries: ReadonlyMap<string, string>;
  readonly keys: SealKeys;
}

/** Prepares the file of a data folder; nothing is read yet. */
export function createSecretFile(options: {
  readonly path: string;
  readonly logger: Logger;
  now(): number;
  readonly pause?: (durationMs: number) => Promise<unknown>;
}): SecretFile {
  const { path, logger, now, pause = wait } = options;
  // Each change builds on the one before, also while the passphrase is changed.
  const inTurn = createSaveQueue();
  let opened: Opened | null = null;
  let failures = 0;

  const setAside = async (error: unknown): Promise<never> => {
    const keptAs = await keepAside(path, now());
    logger.error('the secrets file was damaged, or changed; it is kept aside', { keptAs });
    throw new AppError(
      'secrets.file-damaged',
      'The secrets file is damaged, or was changed.',
      { keptAs },
      error,
    );
  };
  const read = async (): Promise<SealedSecrets | null> => {
    let document: unknown;
    try {
      document = await readJsonFile(path);
    } catch (error) {
      // What the system says is no reason to move a file that may be whole.
      if (findErrorCode(error) !== null) throw toFileError(error);
      return setAside(error);
    }
    if (document === undefined) return null;
    try {
      return readSealed(document);
    } catch (error) {
      return setAside(error);
    }
  };
  const match = async (sealed: SealedSecrets, passphrase: string): Promise<SealKeys> => {
    try {
      const keys = await matchPassphrase(sealed, passphrase);
      failures = 0;
      return keys;
    } catch (error) {
      failures += 1;
      await pause(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1)));
      throw error;
    }
  };
  const open = async (passphrase: string): Promise<Opened> => {
    const sealed = await read();
    if (sealed === null) throw new AppError('secrets.no-file', 'There is no secrets file.');
    const keys = await match(sealed, passphrase);
    try {
      return { entries: openEntries(sealed, keys), keys };
    } catch (error) {
      return setAside(error);
    }
  };
  const write = async (next: Opened): Promise<void> => {
    try {
      await writeJsonFile(path, sealEntries(next.entries, next.keys));
    } catch (error) {
      throw toFileError(error);
    }
    // What isn't in the file isn't kept either.
    opened = next;
  };
  const requireOpen = (): Opened => {
    if (opened === null) throw new AppError('secrets.no-file', 'There is no open secrets file.');
    return opened;
  };
  const save = (change: (entries: Map<string, string>) => boolean): Promise<void> =>
    inTurn(async () => {
      const { entries, keys } = requireOpen();
      const next = new Map(entries);
      if (change(next)) await write({ entries: next, keys });
    });
  const store: SecretStore = {
    kind: 'file',
    async get(connectionId, name) {
      await Promise.resolve();
      return requireOpen().entries.get(toAccount(connectionId, name)) ?? null;
    },
    async set(connectionId, name, value) {
      checkSecretSize(value);
      await save((entries) => entries.set(toAccount(connectionId, name), value).size > 0);
    },
    delete: (connectionId, name) => save((entries) => entries.delete(toAccount(connectionId, name))),
    async moveTo(other) {
      const { entries } = await inTurn(() => Promise.resolve(requireOpen()));
      for (const [account, value] of entries) {
        const at = account.lastIndexOf('/');
        await other.set(account.slice(0, at), account.slice(at + 1) as SecretName, value);
      }
    },
  };

  return {
    find: async () => (await read()) !== null,
    create: (passphrase) =>
      inTurn(async () => {
        if (isTaken(path)) throw new AppError('secrets.file-locked', 'There is a secrets file already.');
        await write({ entries: new Map(), keys: await deriveKeys(passphrase) });
        return store;
      }),
    unlock: (passphrase) =>
      inTurn(async () => {
        opened = await open(passphrase);
        return store;
      }),
    change: (current, next) =>
      inTurn(async () => {
        const { entries } = await open(current);
        await write({ entries, keys: await deriveKeys(next) });
      }),
    remove: () =>
      inTurn(async () => {
        try {
          await removePatiently(path);
        } catch (error) {
          throw toFileError(error);
        }
        opened = null;
      }),
  };
}

function toAccount(connectionId: string, name: SecretName): string {
  return `${connectionId}/${name}`;
}

function toFileError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const system = findErrorCode(error) ?? '';
  return new AppError('secrets.file-failed', "The secrets file can't be read or written.", { system }, error);
}
