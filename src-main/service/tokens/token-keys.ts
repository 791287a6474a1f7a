import { randomBytes } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { RecordStore, SharedState } from '../store/record-store.ts';
import { DAY_MS } from '../../common/time/durations.ts';

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

export interface TokenKey {
  /** Four bytes in hexadecimal. */
  readonly id: string;
  readonly key: Buffer;
}

/** The keys that a tenant's tokens are signed with, the same at every process. */
export interface TokenKeys {
  /** The newest that counts by now. */
  readCurrent(): Promise<TokenKey>;
  /** Undefined for one that no process knows. */
  find(id: string): Promise<TokenKey | undefined>;
}

export interface TokenKeyParts {
  readonly readProperties: RecordStore['readProperties'];
  readonly changeProperty: SharedState['changeProperty'];
  readonly now: () => number;
  readonly elapsedMs: () => number;
  /** The longest that a token lives after its key was replaced. */
  readonly lifetimeMs: number;
}

/** Reads the keys, makes the first, and replaces one that is used after seven days. They are read again while in use. */
export async function openTokenKeys(parts: TokenKeyParts): Promise<TokenKeys> {
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
