import {
  createCipheriv,
  createDecipheriv,
  createHash,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { AppError } from '../../common/contract/errors.ts';
import { tidyPassphrase } from '../../common/model/settings/passphrase.ts';
import { findErrorCode } from '../../node/error-text.ts';
import { isTaken, removePatiently } from '../../node/files.ts';
import { createWorkQueue } from '../../node/gate.ts';
import { keepAside, readJsonFile, writeJsonFile } from '../documents/json-file.ts';
import type { Logger } from '../logging/logger.ts';
import { checkSecretSize, type SecretName, type SecretStore } from './secret-store.ts';

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
  const inTurn = createWorkQueue();
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

/**
 * What makes a guess dear: 128 MiB and about half a second for each. Every Node has scrypt; Argon2id came with 24.7, and
 * ChaCha20 isn't in the library that Electron is built with.
 */
const COST = { n: 2 ** 17, r: 8, p: 1 } as const;
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const Base64 = Type.String({ pattern: '^[A-Za-z0-9+/]+={0,2}$', maxLength: 4 * 1024 * 1024 });
const Sealed = Type.Object(
  {
    version: Type.Literal(1),
    kdf: Type.Literal('scrypt'),
    n: Type.Literal(COST.n),
    r: Type.Literal(COST.r),
    p: Type.Literal(COST.p),
    cipher: Type.Literal('aes-256-gcm'),
    salt: Base64,
    /** Tells a wrong passphrase from a file that was changed. */
    check: Base64,
    nonce: Base64,
    sealed: Base64,
    /** Of everything before: what was cut or garbled is known without the passphrase. */
    digest: Base64,
  },
  { additionalProperties: false },
);

/** The secrets file as it is written. */
type SealedSecrets = Static<typeof Sealed>;

const validator = Compile(Sealed);

/** What a passphrase and a salt lead to. */
interface SealKeys {
  readonly salt: Buffer;
  readonly key: Buffer;
  readonly check: Buffer;
}

/** Derives the keys of a passphrase in another thread, with a new salt unless one is given. */
async function deriveKeys(passphrase: string, salt = randomBytes(SALT_BYTES)): Promise<SealKeys> {
  const derived = await new Promise<Buffer>((resolve, reject) => {
    const cost = { N: COST.n, r: COST.r, p: COST.p, maxmem: MAX_MEMORY_BYTES };
    scrypt(tidyPassphrase(passphrase), salt, 2 * KEY_BYTES, cost, (error, bytes) => {
      if (error === null) resolve(bytes);
      else reject(error);
    });
  });
  const check = createHash('sha256').update(derived.subarray(KEY_BYTES)).digest();
  return { salt, key: derived.subarray(0, KEY_BYTES), check };
}

/** Encrypts entries. Everything else in the file is authenticated with them. */
function sealEntries(entries: ReadonlyMap<string, string>, { salt, key, check }: SealKeys): SealedSecrets {
  const nonce = randomBytes(NONCE_BYTES);
  const head = {
    version: 1,
    kdf: 'scrypt',
    ...COST,
    cipher: 'aes-256-gcm',
    salt: salt.toString('base64'),
    check: check.toString('base64'),
  } as const;
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(toHeadBytes(head));
  const text = JSON.stringify(Object.fromEntries(entries));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  const body = { ...head, nonce: nonce.toString('base64'), sealed: sealed.toString('base64') };
  return { ...body, digest: digestOf(body) };
}

/** Takes a document for a secrets file. Throws `secrets.file-damaged` for one that is cut, garbled or something else. */
function readSealed(value: unknown): SealedSecrets {
  if (!validator.Check(value)) throw toDamage();
  const { digest, ...body } = value;
  if (digestOf(body) !== digest) throw toDamage();
  return value;
}

/** Throws `secrets.wrong-passphrase` unless the passphrase is that of the file. Returns its keys. */
async function matchPassphrase(sealed: SealedSecrets, passphrase: string): Promise<SealKeys> {
  const keys = await deriveKeys(passphrase, Buffer.from(sealed.salt, 'base64'));
  const check = Buffer.from(sealed.check, 'base64');
  if (check.length === keys.check.length && timingSafeEqual(check, keys.check)) return keys;
  throw new AppError('secrets.wrong-passphrase', "The passphrase isn't that of the secrets file.");
}

/** Decrypts entries. Throws `secrets.file-damaged` where anything of the file was changed. */
function openEntries(sealed: SealedSecrets, { key }: SealKeys): Map<string, string> {
  try {
    const bytes = Buffer.from(sealed.sealed, 'base64');
    const nonce = Buffer.from(sealed.nonce, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(toHeadBytes(sealed))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    const text = Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
    return new Map(Object.entries(JSON.parse(text.toString('utf8')) as Record<string, string>));
  } catch (error) {
    throw toDamage(error);
  }
}

function toHeadBytes(head: Omit<SealedSecrets, 'nonce' | 'sealed' | 'digest'>): Buffer {
  const { version, kdf, n, r, p, cipher, salt, check } = head;
  return Buffer.from(JSON.stringify([version, kdf, n, r, p, cipher, salt, check]));
}

function digestOf({ nonce, sealed, ...head }: Omit<SealedSecrets, 'digest'>): string {
  return createHash('sha256').update(toHeadBytes(head)).update(`${nonce} ${sealed}`).digest('base64');
}

function toDamage(cause?: unknown): AppError {
  return new AppError('secrets.file-damaged', 'The secrets file is damaged, or was changed.', {}, cause);
}
