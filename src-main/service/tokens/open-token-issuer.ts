import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { DAY_MS } from '../../common/time/durations.ts';
import { makePrivateFolder, PRIVATE_FILE_MODE, writeFileAtomicallySync } from '../../node/files.ts';
import { digestToken, makeSecretToken, matchesDigest } from '../../node/secret-tokens.ts';
import { toStartError } from '../service-options.ts';
import type { RecordStore, SharedState } from '../store/record-store.ts';

const FILE_NAME = 'credentials.json';
/** Property of a store whose credentials only their holder knows. */
const GIVEN = 'credentials_given';

/** The clear credentials of a local instance. */
export interface ClearCredentials {
  readonly accessToken: string;
  readonly accessTokenSecret: string;
}

const CredentialsFile = Type.Object({
  accessToken: Type.String({ minLength: 1 }),
  accessTokenSecret: Type.String({ minLength: 1 }),
});

/** Path of the file that only its owner can read. */
function toCredentialsPath(dataFolder: string): string {
  return join(dataFolder, FILE_NAME);
}

/**
 * True for the right credentials, as the store has them at that moment: a rotation counts at every process at once. Takes
 * the same time whichever part is wrong.
 */
export type CredentialCheck = (given: ClearCredentials) => Promise<boolean>;

type Properties = Awaited<ReturnType<RecordStore['readProperties']>>;

/**
 * Returns the credentials of a data folder. They are made once: salted hashes in the store, the clear ones
 * beside it for the next start to print. Where the file is missing or doesn't fit the hashes, new ones are
 * made, but for a tenant whose credentials were given to somebody: `clear` is null then. Throws AppError `local-service.start-failed` when they can't be kept for their owner only.
 */
export async function prepareCredentials(
  dataFolder: string,
  store: RecordStore,
): Promise<{ readonly clear: ClearCredentials | null; readonly check: CredentialCheck }> {
  const path = toCredentialsPath(dataFolder);
  try {
    const kept = tryReadCredentials(path);
    const check: CredentialCheck = async (given) => fitsHashes(await store.readProperties(), given);
    const properties = await store.readProperties();
    if (properties[GIVEN] !== undefined) return { clear: null, check };
    if (kept !== undefined && fitsHashes(properties, kept)) {
      chmodSync(path, PRIVATE_FILE_MODE);
      return { clear: kept, check };
    }
    const clear = createCredentials();
    await store.writeProperties(hashCredentials(clear));
    // A start that is cut short here leaves credentials that don't fit: the next one makes new ones.
    makePrivateFolder(dataFolder);
    writeFileAtomicallySync(path, `${JSON.stringify(clear, null, 2)}\n`);
    return { clear, check };
  } catch (error) {
    throw toStartError(`The credentials in ${path} can't be kept.`, error);
  }
}

/** Replaces a tenant's credentials. The new ones are given to somebody: only their hashes are kept. */
export async function giveCredentials(store: RecordStore): Promise<ClearCredentials> {
  const clear = createCredentials();
  await store.writeProperties({ ...hashCredentials(clear), [GIVEN]: '1' });
  return clear;
}

function createCredentials(): ClearCredentials {
  return {
    accessToken: randomBytes(16).toString('hex'),
    accessTokenSecret: randomBytes(32).toString('base64url'),
  };
}

function hashCredentials({ accessToken, accessTokenSecret }: ClearCredentials) {
  const salt = randomBytes(16).toString('hex');
  return {
    credential_salt: salt,
    access_token_hash: hashWithSalt(salt, accessToken).toString('hex'),
    access_token_secret_hash: hashWithSalt(salt, accessTokenSecret).toString('hex'),
  };
}

/** True for the credentials whose hashes these properties hold. Takes the same time whichever part is wrong. */
export function fitsHashes(
  properties: Properties,
  { accessToken, accessTokenSecret }: ClearCredentials,
): boolean {
  const salt = properties['credential_salt'] ?? '';
  const token = matchesHash(salt, accessToken, properties['access_token_hash']);
  const secret = matchesHash(salt, accessTokenSecret, properties['access_token_secret_hash']);
  return token && secret;
}

/** Returns the key that authenticates page cursors; made once for each store, whichever process is first. */
export async function prepareCursorKey(store: RecordStore): Promise<Buffer> {
  const make = (): string => randomBytes(32).toString('hex');
  const { cursor_key: kept } = await store.readProperties();
  if (kept !== undefined) return Buffer.from(kept, 'hex');
  if (store.shared !== null) {
    return Buffer.from(await store.shared.changeProperty('cursor_key', (value) => value ?? make()), 'hex');
  }
  const key = make();
  await store.writeProperties({ cursor_key: key });
  return Buffer.from(key, 'hex');
}

function matchesHash(salt: string, value: string, expectedHex: string | undefined): boolean {
  const actual = hashWithSalt(salt, value);
  const expected = expectedHex === undefined ? Buffer.alloc(actual.length) : Buffer.from(expectedHex, 'hex');
  return expected.length === actual.length && timingSafeEqual(actual, expected);
}

// The values are 128 and 256 random bits, so a fast hash is enough: there is nothing to guess.
function hashWithSalt(salt: string, value: string): Buffer {
  return createHmac('sha256', salt).update(createHash('sha256').update(value).digest()).digest();
}

function tryReadCredentials(path: string): ClearCredentials | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Value.Check(CredentialsFile, content) ? content : undefined;
  } catch {
    return undefined;
  }
}

interface TokenSurroundings {
  readonly tenant: number;
  readonly lifetimeMs: number;
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsedMs: () => number;
}

/** Tokens of a tenant: of every process on the store's database, or of this one where it has the store to itself. */
export async function openTokenIssuer(
  { readProperties, shared }: Pick<RecordStore, 'readProperties' | 'shared'>,
  { tenant, lifetimeMs, now, elapsedMs }: TokenSurroundings,
): Promise<TokenIssuer> {
  if (shared === null) return createOwnTokenIssuer({ now, elapsedMs, lifetimeMs });
  const { changeProperty } = shared;
  const keys = await openTokenKeys({ readProperties, changeProperty, now, elapsedMs, lifetimeMs });
  return createSharedTokenIssuer({ tenant, keys, now, lifetimeMs });
}

const MAX_TOKENS = 10_000;
/** Word and version, public part, secret, check digits. */
const TOKEN_FORM = /^cst1_([\w-]{8})([\w-]{43})([0-9a-f]{8})$/;

interface IssuedToken {
  readonly secretDigest: Buffer;
  readonly expiresAtMs: number;
  readonly expiresElapsedMs: number;
}

/**
 * Tokens that this process alone recognises; they are lost when it stops, as a client must expect anyway. The oldest
 * is dropped when there are more than 10,000. `elapsedMs` is a clock that never goes back: a token expires by whichever
 * clock says so first.
 */
export function createOwnTokenIssuer(options: {
  readonly now: () => number;
  readonly elapsedMs: () => number;
  readonly lifetimeMs: number;
}): TokenIssuer {
  const { now, elapsedMs, lifetimeMs } = options;
  const issued = new Map<string, IssuedToken>();
  const isCurrent = (token: IssuedToken): boolean =>
    token.expiresAtMs > now() && token.expiresElapsedMs > elapsedMs();
  const isIssued = (text: string): boolean => {
    const [, id = '', secret = '', digits = ''] = TOKEN_FORM.exec(text) ?? [];
    if (digits !== toCheckDigits(id + secret)) return false;
    const token = issued.get(id);
    // An unknown token takes as long as a known one.
    const isSame = matchesDigest(secret, token?.secretDigest ?? digestToken(secret));
    return isSame && token !== undefined && isCurrent(token);
  };
  return {
    issue: () => {
      const id = randomBytes(6).toString('base64url');
      const secret = makeSecretToken();
      issued.set(id, {
        secretDigest: digestToken(secret),
        expiresAtMs: now() + lifetimeMs,
        expiresElapsedMs: elapsedMs() + lifetimeMs,
      });
      for (const [known, token] of issued) {
        if (issued.size <= MAX_TOKENS && isCurrent(token)) break;
        issued.delete(known);
      }
      return Promise.resolve(`cst1_${id}${secret}${toCheckDigits(id + secret)}`);
    },
    isValid: (text) => Promise.resolve(isIssued(text)),
  };
}

/** Word and version, 63 bytes, check digits. */
const SHARED_TOKEN_FORM = /^cst3_([\w-]{84})([0-9a-f]{8})$/;
const TENANT_BYTES = 8;
const KEY_ID_BYTES = 4;
const EXPIRY_BYTES = 6;
const RANDOM_BYTES = 13;
const EXPIRY_AT = TENANT_BYTES + KEY_ID_BYTES;
const SIGNED_BYTES = EXPIRY_AT + EXPIRY_BYTES + RANDOM_BYTES;
const NO_KEY = Buffer.alloc(32);

interface SharedTokenParts {
  readonly tenant: number;
  readonly keys: TokenKeys;
  readonly now: () => number;
  readonly lifetimeMs: number;
}

/**
 * Tokens that every process recognises, and that outlive it: their tenant, their key's number, when they expire, random
 * bytes, and a signature over these by a key of the tenant. Nothing is kept of a token.
 */
function createSharedTokenIssuer({ tenant, keys, now, lifetimeMs }: SharedTokenParts): TokenIssuer {
  const sign = (key: Buffer, content: Buffer): Buffer =>
    createHmac('sha256', key).update('token|').update(content).digest();
  return {
    issue: async () => {
      const { id, key } = await keys.readCurrent();
      const head = Buffer.alloc(EXPIRY_AT + EXPIRY_BYTES);
      head.writeBigUInt64BE(BigInt(tenant));
      head.write(id, TENANT_BYTES, 'hex');
      head.writeUIntBE(now() + lifetimeMs, EXPIRY_AT, EXPIRY_BYTES);
      const content = Buffer.concat([head, randomBytes(RANDOM_BYTES)]);
      const text = Buffer.concat([content, sign(key, content)]).toString('base64url');
      return `cst3_${text}${toCheckDigits(text)}`;
    },
    isValid: async (given) => {
      const [, text = '', digits = ''] = SHARED_TOKEN_FORM.exec(given) ?? [];
      if (text === '' || digits !== toCheckDigits(text)) return false;
      const bytes = Buffer.from(text, 'base64url');
      const content = bytes.subarray(0, SIGNED_BYTES);
      if (content.readBigUInt64BE() !== BigInt(tenant)) return false;
      const known = await keys.find(content.toString('hex', TENANT_BYTES, EXPIRY_AT));
      // A token of an unknown key takes as long as one with another signature.
      const isSame = timingSafeEqual(bytes.subarray(SIGNED_BYTES), sign(known?.key ?? NO_KEY, content));
      return isSame && known !== undefined && content.readUIntBE(EXPIRY_AT, EXPIRY_BYTES) > now();
    },
  };
}

/** The last eight characters of a token: a scanner for leaked secrets recognises the form by them. */
function toCheckDigits(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

/** Issues and recognises the tokens of operation 1: random and opaque, with a lifetime (decision 14). */
export interface TokenIssuer {
  issue(): Promise<string>;
  /** True for a token that was issued for this tenant and has not expired. */
  isValid(token: string): Promise<boolean>;
}

/** The property that the processes of a tenant keep their keys in; without it, new ones are made. */
const PROPERTY = 'token_keys';
const REPLACE_AFTER_MS = 7 * DAY_MS;
/** A new key is known to every process before the first token is signed with it. */
const KNOWN_AHEAD_MS = 300_000;
/** Keys that were removed sign nothing for longer than this. */
const READ_EVERY_MS = 5_000;
/** Tokens that name an unknown key make a process read the keys at most this often. */
const READ_AGAIN_AFTER_MS = 1_000;

const StoredKeys = Type.Array(
  Type.Object({
    id: Type.String({ pattern: '^[0-9a-f]{8}$' }),
    key: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    sinceMs: Type.Number(),
  }),
);
type StoredKey = Static<typeof StoredKeys>[number];

interface TokenKey {
  /** Four bytes in hexadecimal. */
  readonly id: string;
  readonly key: Buffer;
}

/** The keys that a tenant's tokens are signed with, the same at every process. */
interface TokenKeys {
  /** The newest that counts by now. */
  readCurrent(): Promise<TokenKey>;
  /** Undefined for one that no process knows. */
  find(id: string): Promise<TokenKey | undefined>;
}

interface TokenKeyParts {
  readonly readProperties: RecordStore['readProperties'];
  readonly changeProperty: SharedState['changeProperty'];
  readonly now: () => number;
  readonly elapsedMs: () => number;
  /** The longest that a token lives after its key was replaced. */
  readonly lifetimeMs: number;
}

/** Reads the keys, makes the first, and replaces one that is used after seven days. They are read again while in use. */
async function openTokenKeys(parts: TokenKeyParts): Promise<TokenKeys> {
  const { now, elapsedMs } = parts;
  let keys: readonly StoredKey[] = [];
  let readAtMs = -Infinity;
  const read = async (): Promise<void> => {
    readAtMs = elapsedMs();
    const { [PROPERTY]: text } = await parts.readProperties();
    const kept = readKeys(text);
    const isDue = toKeys(kept, now(), parts.lifetimeMs) !== kept;
    keys = isDue
      ? readKeys(
          await parts.changeProperty(PROPERTY, (value) =>
            JSON.stringify(toKeys(readKeys(value), now(), parts.lifetimeMs)),
          ),
        )
      : kept;
  };
  let reading: Promise<void> | null = null;
  const readOnce = (): Promise<void> =>
    (reading ??= read().finally(() => {
      reading = null;
    }));
  await readOnce();
  const isOlderThan = (ageMs: number): boolean => reading !== null || elapsedMs() - readAtMs >= ageMs;
  const tryFind = (id: string): TokenKey | undefined => {
    const found = keys.find((each) => each.id === id);
    return found === undefined ? undefined : { id, key: Buffer.from(found.key, 'hex') };
  };
  return {
    readCurrent: async () => {
      if (isOlderThan(READ_EVERY_MS)) await readOnce();
      const current = keys.findLast(({ sinceMs }) => sinceMs <= now()) ?? keys[0];
      if (current === undefined) throw new Error('There is no key to sign tokens with.');
      return { id: current.id, key: Buffer.from(current.key, 'hex') };
    },
    find: async (id) => {
      if (isOlderThan(tryFind(id) === undefined ? READ_AGAIN_AFTER_MS : READ_EVERY_MS)) await readOnce();
      return tryFind(id);
    },
  };
}

function readKeys(text: string | undefined): readonly StoredKey[] {
  if (text === undefined) return [];
  const value: unknown = JSON.parse(text);
  return Value.Check(StoredKeys, value) ? value : [];
}

/** The keys to have at this moment, oldest first; the given list itself where nothing is due. */
function toKeys(keys: readonly StoredKey[], nowMs: number, lifetimeMs: number): readonly StoredKey[] {
  const newest = keys.at(-1);
  const isNewDue = newest === undefined || newest.sinceMs + REPLACE_AFTER_MS - KNOWN_AHEAD_MS <= nowMs;
  // A key stays until the last token that it signed has expired.
  const needed = keys.filter((_key, place) => {
    const next = keys[place + 1];
    return next === undefined || next.sinceMs + lifetimeMs + KNOWN_AHEAD_MS > nowMs;
  });
  if (isNewDue) return [...needed, createKey(newest === undefined ? nowMs : nowMs + KNOWN_AHEAD_MS)];
  return needed.length === keys.length ? keys : needed;
}

function createKey(sinceMs: number): StoredKey {
  return { id: randomBytes(4).toString('hex'), key: randomBytes(32).toString('hex'), sinceMs };
}
