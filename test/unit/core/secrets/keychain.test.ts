import { describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { Connection } from '../../../../src-main/common/model/connections/connection.ts';
import {
  createSecretWhereabouts,
  type SavedConnection,
} from '../../../../src-main/core/connections/connection-file.ts';
import {
  createKeychain,
  type OpenedSecretStore,
  type OpenSecretStore,
} from '../../../../src-main/core/secrets/create-keychain.ts';
import {
  createInMemorySecretStore,
  type SecretStore,
} from '../../../../src-main/core/secrets/secret-store.ts';
import { createKeychainQueue } from '../../../../src-main/core/secrets/open-secret-store.ts';
import { createSecretFile } from '../../../../src-main/core/secrets/secret-file.ts';
import { createSilentLogger } from '../../../support/fakes/silent-logger.ts';

const logger = createSilentLogger();
const noFile = createSecretFile({ path: '/nowhere/secrets.json', logger, now: () => 0 });
const failure = { code: 'secrets.denied', message: '', details: {} } as const;

/** What a system's keychain looks like from outside. */
function createSystemStore(): SecretStore {
  return { ...createInMemorySecretStore(), kind: 'keychain' };
}

function start(open: OpenSecretStore, platform: 'macos' | 'linux' = 'macos', startWaitMs = 5) {
  const emit = vi.fn();
  return createKeychain({ open, platform, emit, logger, startWaitMs, file: noFile }).then((keychain) => ({
    keychain,
    emit,
  }));
}

describe('A7: the keychain', () => {
  it('has 60 s and more on macOS, where the system asks for each entry after an update', async () => {
    const open = vi.fn<OpenSecretStore>(() => Promise.resolve({ store: createSystemStore(), failure: null }));
    await start(open, 'macos');
    await start(open, 'linux');
    const [onMac, onLinux] = open.mock.calls.map(([{ timeoutMs }]) => timeoutMs);
    expect(onMac).toBeGreaterThanOrEqual(60_000);
    expect(onLinux).toBe(5000);
  });

  it('does not keep the application from starting while the system asks; its calls wait', async () => {
    const { promise, resolve } = Promise.withResolvers<OpenedSecretStore>();
    const { keychain } = await start(({ onWaiting }) => {
      onWaiting(true);
      return promise;
    });
    expect(keychain.read()).toEqual({ kind: 'keychain', failure: null, isWaiting: true, file: 'none' });
    const secret = keychain.store.get('c', 'accessToken');
    const store = createSystemStore();
    await store.set('c', 'accessToken', 'kept');
    resolve({ store, failure: null });
    expect(await secret).toBe('kept');
  });

  it('says that it waits, and that it no longer does', async () => {
    const { keychain, emit } = await start(({ onWaiting }) => {
      onWaiting(true);
      onWaiting(false);
      return Promise.resolve({ store: createSystemStore(), failure: null });
    });
    expect(emit.mock.calls.map(([name, state]: unknown[]) => [name, state])).toEqual([
      ['app/keychain-changed', expect.objectContaining({ isWaiting: true })],
      ['app/keychain-changed', expect.objectContaining({ isWaiting: false })],
    ]);
    expect(keychain.read().isWaiting).toBe(false);
  });

  it('is tried again on demand, and takes over what was entered meanwhile', async () => {
    const system = createSystemStore();
    await system.set('old', 'accessToken', 'stale');
    const session = createInMemorySecretStore(failure);
    const open = vi
      .fn<OpenSecretStore>()
      .mockResolvedValueOnce({ store: session, failure })
      .mockResolvedValueOnce({ store: createInMemorySecretStore(), failure })
      .mockResolvedValue({ store: system, failure: null });
    const { keychain } = await start(open);
    await keychain.store.set('c', 'accessToken', 'entered');
    await keychain.store.delete('old', 'accessToken');
    expect(await keychain.retry()).toMatchObject({ kind: 'session', failure: 'secrets.denied' });
    expect(await keychain.store.get('c', 'accessToken')).toBe('entered');
    expect(await keychain.retry()).toMatchObject({ kind: 'keychain', failure: null });
    expect(await system.get('c', 'accessToken')).toBe('entered');
    expect(await system.get('old', 'accessToken')).toBeNull();
    expect(keychain.store.kind).toBe('keychain');
  });

  it('that refuses what should move into it leaves the session as it is', async () => {
    const refusing: SecretStore = {
      ...createSystemStore(),
      set: () => Promise.reject(new AppError('secrets.timeout', 'No answer.')),
    };
    const open = vi
      .fn<OpenSecretStore>()
      .mockResolvedValueOnce({ store: createInMemorySecretStore(), failure })
      .mockResolvedValue({ store: refusing, failure: null });
    const { keychain } = await start(open);
    await keychain.store.set('c', 'accessToken', 'entered');
    expect(await keychain.retry()).toMatchObject({ kind: 'session', failure: 'secrets.timeout' });
    expect(await keychain.store.get('c', 'accessToken')).toBe('entered');
  });
});

it('A7: a call that takes long is noticed until it ends, also after its limit', async () => {
  vi.useFakeTimers();
  try {
    const seen: boolean[] = [];
    const call = createKeychainQueue(5000, (isWaiting) => seen.push(isWaiting));
    const { promise: prompt, resolve: answer } = Promise.withResolvers<string>();
    const result = call(() => prompt).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen).toEqual([]);
    await vi.advanceTimersByTimeAsync(4500);
    expect(await result).toMatchObject({ code: 'secrets.timeout' });
    expect(seen).toEqual([true]);
    answer('late');
    await vi.advanceTimersByTimeAsync(0);
    expect(seen).toEqual([true, false]);
  } finally {
    vi.useRealTimers();
  }
});

it('A7: connections are listed while the system asks for permission, and again once it has an answer', async () => {
  const { promise: prompt, resolve: answer } = Promise.withResolvers<string>();
  const onFound = vi.fn();
  const secrets: SecretStore = { ...createSystemStore(), get: () => prompt };
  const whereabouts = createSecretWhereabouts({ secrets, logger, onFound, slowMs: 5 });
  const connection = { id: 'c', baseAddress: 'https://a.test', secretsOrigin: 'https://a.test' };
  const find = (): Promise<Connection['secrets']> => whereabouts.find(connection as SavedConnection);
  expect([await find(), await find()]).toEqual(['unreadable', 'unreadable']);
  expect(onFound).not.toHaveBeenCalled();
  answer('secret');
  await expect.poll(() => onFound.mock.calls.length).toBe(1);
  expect(await find()).toBe('keychain');
});
