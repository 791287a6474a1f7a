import { describe, expect, it, vi } from 'vitest';
import { createInMemorySecretStore } from '../../../../src-main/core/secrets/secret-store.ts';
import {
  createKeytarSecretStore,
  type KeytarLike,
  mayHaveKeychain,
  openSecretStore,
  toKeychainError,
} from '../../../../src-main/core/secrets/open-secret-store.ts';
import { createSilentLogger } from '../../../support/fakes/silent-logger.ts';
import { createSecretSearch } from '../../../../src-main/core/secrets/secret-search.ts';
import { toSecretForms } from '../../../../src-main/core/secrets/secret-forms.ts';

type Entries = Map<string, string>;

function createFakeKeytar(entries: Entries = new Map(), change: Partial<KeytarLike> = {}): KeytarLike {
  return {
    getPassword: (_service, account) => Promise.resolve(entries.get(account) ?? null),
    setPassword(_service, account, password) {
      entries.set(account, password);
      return Promise.resolve();
    },
    deletePassword: (_service, account) => Promise.resolve(entries.delete(account)),
    ...change,
  };
}

function createStore(keytar: KeytarLike, timeoutMs = 1000) {
  return createKeytarSecretStore({ keytar, service: 'test', timeoutMs });
}

const never = <Value>(): Promise<Value> => new Promise<Value>(() => undefined);
const lockedSet = () => Promise.reject(new Error('Cannot create an item in a locked collection'));

describe('secret store over keytar', () => {
  it('does not believe "nothing" from a keychain that can not be written to', async () => {
    const store = createStore(createFakeKeytar(new Map(), { setPassword: lockedSet }));
    await expect(store.get('c', 'accessToken')).rejects.toMatchObject({ code: 'secrets.locked' });
    await expect(store.delete('c', 'accessToken')).rejects.toMatchObject({ code: 'secrets.locked' });
  });

  it('removes a stale entry when a write did not take, and says so', async () => {
    const entries: Entries = new Map([['c/accessToken', 'old']]);
    const store = createStore(createFakeKeytar(entries, { setPassword: () => Promise.resolve() }));
    await expect(store.set('c', 'accessToken', 'new')).rejects.toMatchObject({ code: 'secrets.denied' });
    expect(entries.size).toBe(0);
    await expect(store.set('c', 'accessToken', 'new')).rejects.toMatchObject({ code: 'secrets.missing' });
  });

  it('gives up on a hanging keychain in time, and lets at most one call hang', async () => {
    let calls = 0;
    const getPassword = () => {
      calls += 1;
      return never<string | null>();
    };
    const store = createStore(createFakeKeytar(new Map(), { getPassword }), 30);
    const answers = await Promise.allSettled(
      [1, 2, 3, 4, 5].map((id) => store.get(String(id), 'accessToken')),
    );
    expect(answers.every((answer) => answer.status === 'rejected')).toBe(true);
    await expect(store.get('c', 'accessToken')).rejects.toMatchObject({ code: 'secrets.timeout' });
    expect(calls).toBe(1);
  });

  it('does not write later what was given up on while it waited', async () => {
    const entries: Entries = new Map();
    const { promise: prompt, resolve: answerPrompt } = Promise.withResolvers<string | null>();
    const store = createStore(createFakeKeytar(entries, { getPassword: () => prompt }), 30);
    const first = store.get('c', 'accessToken');
    const second = store.set('c', 'accessToken', 'late');
    await expect(first).rejects.toMatchObject({ code: 'secrets.timeout' });
    await expect(second).rejects.toMatchObject({ code: 'secrets.timeout' });
    answerPrompt('x');
    await new Promise((resolve) => setImmediate(resolve));
    expect(entries.size).toBe(0);
  });

  it('never puts a secret into an error', async () => {
    const refuse = () => Promise.reject(new Error('denied'));
    const store = createStore(createFakeKeytar(new Map(), { setPassword: refuse }));
    const error = await store.set('c', 'accessToken', 'CANARY').catch((reason: unknown) => reason as Error);
    expect(JSON.stringify([error, String(error)])).not.toContain('CANARY');
    const large = await store
      .set('c', 'accessToken', 'CANARY'.repeat(300))
      .catch((reason: unknown) => reason);
    expect(large).toMatchObject({ code: 'secrets.too-large', details: { maxBytes: 1024 } });
  });
});

describe('toKeychainError', () => {
  it.each([
    ['The name org.freedesktop.secrets was not provided by any .service files', 'secrets.no-keychain'],
    ['Objekt existiert nicht am Pfad "/org/freedesktop/secrets/collection/login"', 'secrets.no-keychain'],
    ['Cannot create an item in a locked collection', 'secrets.denied'],
    ['Der Zugriff wurde verweigert.', 'secrets.denied'],
    ['Access is denied: not locked, not missing, no keychain', 'secrets.denied'],
    ['ユーザーによって操作がキャンセルされました。', 'secrets.denied'],
  ])('A7: takes no word of a system for a reason: %s', (text, code) =>
    expect(toKeychainError(new Error(text)).code).toBe(code),
  );
});

it('A7: a Linux without a session bus has no keychain, whatever its language', () => {
  expect(mayHaveKeychain('linux', {})).toBe(false);
  expect(mayHaveKeychain('linux', { XDG_RUNTIME_DIR: '/nowhere' })).toBe(false);
  const at = (address: string) => mayHaveKeychain('linux', { DBUS_SESSION_BUS_ADDRESS: address });
  expect([at('unix:path=/'), at('unix:abstract=/a'), at('unix:guid=1,path=/gone;tcp:host=a')]).toEqual([
    true,
    true,
    true,
  ]);
  // A session that is over leaves its address in what goes on.
  expect([at('unix:path=/gone'), at('unix:path=/gone,guid=1;unix:guid=2,path=/go%6e')]).toEqual([
    false,
    false,
  ]);
  expect([mayHaveKeychain('win32', {}), mayHaveKeychain('darwin', {})]).toEqual([true, true]);
});

describe('openSecretStore', () => {
  const logger = createSilentLogger();

  it('uses the keychain that passes the probe and leaves nothing in it', async () => {
    const entries: Entries = new Map();
    const { store, failure } = await openSecretStore({
      load: () => Promise.resolve(createFakeKeytar(entries)),
      logger,
    });
    expect([store.kind, failure, entries.size]).toEqual(['keychain', null, 0]);
  });

  it('falls back to the session where keytar can not be loaded', async () => {
    const load = () => Promise.reject(new Error('Failed to load keytar native addon'));
    const { store, failure } = await openSecretStore({ load, logger });
    expect([store.kind, failure?.code]).toEqual(['session', 'secrets.no-keychain']);
    await store.set('c', 'accessToken', 'x');
    expect(await store.get('c', 'accessToken')).toBe('x');
    expect(await store.get('d', 'accessToken')).toBeNull();
  });

  it('does not call a secret absent that a locked keychain may hold', async () => {
    const load = () => Promise.resolve(createFakeKeytar(new Map(), { setPassword: lockedSet }));
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/');
    const { store, failure } = await openSecretStore({ load, logger });
    vi.unstubAllEnvs();
    expect([store.kind, failure?.code]).toEqual(['session', 'secrets.denied']);
    await expect(store.get('c', 'accessToken')).rejects.toMatchObject({ code: 'secrets.denied' });
    await store.set('c', 'accessToken', 'new');
    expect(await store.get('c', 'accessToken')).toBe('new');
    await store.delete('c', 'accessToken');
    expect(await store.get('c', 'accessToken')).toBeNull();
  });

  it('falls back when the keychain hangs', async () => {
    const load = () => Promise.resolve(createFakeKeytar(new Map(), { setPassword: never }));
    const { failure } = await openSecretStore({ load, timeoutMs: 20, logger });
    expect(failure?.code).toBe('secrets.timeout');
  });
});

describe('in-memory secret store', () => {
  it('has the same limit as the keychain', async () => {
    const store = createInMemorySecretStore();
    await store.set('c', 'accessToken', 'x'.repeat(1024));
    await expect(store.set('c', 'accessToken', 'x'.repeat(1025))).rejects.toMatchObject({
      code: 'secrets.too-large',
    });
    await expect(store.set('c', 'accessToken', '')).rejects.toMatchObject({ code: 'app.invalid-input' });
  });
});

it('a page that names addresses is not searched in full for a secret with digits in a row', () => {
  const page = new Uint8Array(Buffer.from('{"Error":"Timed out after 97 ms at 10.0.49.7"}')).buffer;
  for (const secret of ['00488d6e4641d3efaa304c2d97724b81', 'a1b2c00497e14641d3efaa304c2d9772']) {
    const search = createSecretSearch();
    search.add(toSecretForms(secret));
    expect(search.mayBytesHold(page), secret).toBe(false);
    const listed = Buffer.from(Array.from(secret).join('.'));
    expect(search.mayBytesHold(new Uint8Array(listed).buffer), secret).toBe(true);
    expect(search.clean(listed.toString()).text).not.toContain('6.4.1.d.3');
  }
});
