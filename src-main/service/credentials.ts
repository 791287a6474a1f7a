import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { makePrivateFolder, PRIVATE_FILE_MODE, writeFileAtomicallySync } from '../node/files.ts';
import { toStartError } from './service-options.ts';
import type { RecordStore } from './store/record-store.ts';

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
