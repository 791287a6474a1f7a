import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { PRIVATE_FILE_MODE } from '../node/private-files.ts';
import { writeFileAtomicallySync } from '../node/write-file-atomically.ts';
import { toStartError } from './store/open-database.ts';
import type { StoreProperties } from './store/properties.ts';

const FILE_NAME = 'credentials.json';

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
 * The credentials of a data folder. They are made once: salted hashes in the store, the clear ones beside
 * it for the next start to print. Where the file is missing or doesn't fit the hashes, new ones are made.
 * Throws AppError `local-service.start-failed` when they can't be kept for their owner only.
 */
export function prepareCredentials(dataFolder: string, properties: StoreProperties): ClearCredentials {
  const path = toCredentialsPath(dataFolder);
  try {
    return keepOrMakeCredentials(path, properties);
  } catch (error) {
    throw toStartError(`The credentials in ${path} can't be kept.`, error);
  }
}

function keepOrMakeCredentials(path: string, properties: StoreProperties): ClearCredentials {
  const kept = tryReadCredentials(path);
  if (kept !== undefined && matchesCredentials(properties, kept)) {
    chmodSync(path, PRIVATE_FILE_MODE);
    return kept;
  }
  const credentials = {
    accessToken: randomBytes(16).toString('hex'),
    accessTokenSecret: randomBytes(32).toString('base64url'),
  };
  const salt = randomBytes(16).toString('hex');
  properties.set('credential_salt', salt);
  properties.set('access_token_hash', hashWithSalt(salt, credentials.accessToken).toString('hex'));
  properties.set(
    'access_token_secret_hash',
    hashWithSalt(salt, credentials.accessTokenSecret).toString('hex'),
  );
  // A start that is cut short here leaves credentials that don't fit: the next one makes new ones.
  writeFileAtomicallySync(path, `${JSON.stringify(credentials, null, 2)}\n`);
  return credentials;
}

/** Compares with the hashes of the store; takes the same time whichever part is wrong. */
export function matchesCredentials(properties: StoreProperties, given: ClearCredentials): boolean {
  const salt = properties.tryGet('credential_salt') ?? '';
  const token = matchesHash(salt, given.accessToken, properties.tryGet('access_token_hash'));
  const secret = matchesHash(salt, given.accessTokenSecret, properties.tryGet('access_token_secret_hash'));
  return token && secret;
}

/** The key that authenticates page cursors; made once for each store. */
export function prepareCursorKey(properties: StoreProperties): Buffer {
  let key = properties.tryGet('cursor_key');
  if (key === undefined) {
    key = randomBytes(32).toString('hex');
    properties.set('cursor_key', key);
  }
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
