import {
  createCipheriv,
  createDecipheriv,
  createHash,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { AppError } from '../../common/contract/errors.ts';
import { tidyPassphrase } from '../../common/model/settings/passphrase.ts';

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
export type SealedSecrets = Static<typeof Sealed>;

const validator = Compile(Sealed);

/** What a passphrase and a salt lead to. */
export interface SealKeys {
  readonly salt: Buffer;
  readonly key: Buffer;
  readonly check: Buffer;
}

/** Derives the keys of a passphrase in another thread, with a new salt unless one is given. */
export async function deriveKeys(passphrase: string, salt = randomBytes(SALT_BYTES)): Promise<SealKeys> {
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
export function sealEntries(
  entries: ReadonlyMap<string, string>,
  { salt, key, check }: SealKeys,
): SealedSecrets {
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
export function readSealed(value: unknown): SealedSecrets {
  if (!validator.Check(value)) throw toDamage();
  const { digest, ...body } = value;
  if (digestOf(body) !== digest) throw toDamage();
  return value;
}

/** Throws `secrets.wrong-passphrase` unless the passphrase is that of the file. Returns its keys. */
export async function matchPassphrase(sealed: SealedSecrets, passphrase: string): Promise<SealKeys> {
  const keys = await deriveKeys(passphrase, Buffer.from(sealed.salt, 'base64'));
  const check = Buffer.from(sealed.check, 'base64');
  if (check.length === keys.check.length && timingSafeEqual(check, keys.check)) return keys;
  throw new AppError('secrets.wrong-passphrase', "The passphrase isn't that of the secrets file.");
}

/** Decrypts entries. Throws `secrets.file-damaged` where anything of the file was changed. */
export function openEntries(sealed: SealedSecrets, { key }: SealKeys): Map<string, string> {
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
