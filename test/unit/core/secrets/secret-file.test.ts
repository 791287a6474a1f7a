import type Crypto from 'node:crypto';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { judgePassphrase } from '../../../../src-main/common/model/settings/passphrase.ts';
import {
  createInMemorySecretStore,
  type SecretStore,
} from '../../../../src-main/core/secrets/secret-store.ts';
import { createKeychain, type OpenSecretStore } from '../../../../src-main/core/secrets/create-keychain.ts';
import { createSecretFile } from '../../../../src-main/core/secrets/secret-file.ts';
import { createSilentLogger } from '../../../support/fakes/silent-logger.ts';

// A guess is dear, half a second of each test here: what the file holds is tried, and not what it costs.
vi.mock('node:crypto', async (importOriginal) => {
  const crypto = await importOriginal<typeof Crypto>();
  const scrypt: typeof crypto.scrypt = (...given: unknown[]) => {
    const [passphrase, salt, length, cost, done] = given as Parameters<typeof crypto.scrypt>;
    (crypto.scrypt as (...all: unknown[]) => void)(
      passphrase,
      salt,
      length,
      { ...(cost as object), N: 1024 },
      done,
    );
  };
  return { ...crypto, scrypt };
});

const PASSPHRASE = 'correct horse battery staple';
const CANARY = 'canary-secret-1f6a';
const logger = createSilentLogger();
const isPosix = process.platform !== 'win32';

let folder: string;
let path: string;
const pause = vi.fn(() => Promise.resolve());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-secrets-'));
  path = join(folder, 'secrets.json');
  pause.mockClear();
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const openFile = () => createSecretFile({ path, logger, now: () => 7, pause });
async function fill(): Promise<void> {
  const store = await openFile().create(PASSPHRASE);
  await store.set('c', 'accessToken', CANARY);
  await store.set('proxy p/q:1', 'proxyUserName', 'me');
}
const change = async (edit: (text: string) => string): Promise<void> =>
  writeFile(path, edit(await readFile(path, 'utf8')));
const editValue = (name: string, edit: (value: string) => string) => (text: string) => {
  const document = JSON.parse(text) as Record<string, string>;
  return JSON.stringify({ ...document, [name]: edit(document[name] ?? '') });
};
const flip = (value: string): string => (value.startsWith('A') ? 'B' : 'A') + value.slice(1);

describe('the secrets file', () => {
  it('gives back after a restart what was kept, to whoever knows the passphrase', async () => {
    await fill();
    expect(await openFile().find()).toBe(true);
    const store = await openFile().unlock(PASSPHRASE);
    expect(await store.get('c', 'accessToken')).toBe(CANARY);
    expect(await store.get('proxy p/q:1', 'proxyUserName')).toBe('me');
    expect(await store.get('c', 'accessTokenSecret')).toBeNull();
    // An accent typed in two ways is the same one.
    await openFile().change(PASSPHRASE, 'sen\u0303or de 1900');
    await expect(openFile().unlock('se\u00f1or de 1900')).resolves.toBeDefined();
  });

  it('holds neither a secret nor a name of a connection that can be read, and is for its owner only', async () => {
    await fill();
    const text = await readFile(path, 'utf8');
    for (const word of [CANARY, 'proxy', PASSPHRASE, Buffer.from(CANARY).toString('base64').slice(0, 16)]) {
      expect(text).not.toContain(word);
    }
    expect(await readdir(folder)).toEqual(['secrets.json']);
    if (isPosix) expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is never encrypted twice in the same way', async () => {
    await fill();
    const before = JSON.parse(await readFile(path, 'utf8')) as Record<string, string>;
    const store = await openFile().unlock(PASSPHRASE);
    await store.set('c', 'accessToken', CANARY);
    const after = JSON.parse(await readFile(path, 'utf8')) as Record<string, string>;
    expect(after['nonce']).not.toBe(before['nonce']);
    expect(after['sealed']).not.toBe(before['sealed']);
  });

  it('refuses a wrong passphrase, later each time, and loses nothing', async () => {
    await fill();
    const before = await readFile(path, 'utf8');
    const file = openFile();
    for (const wrong of ['guess', 'Correct horse battery staple', '']) {
      await expect(file.unlock(wrong)).rejects.toMatchObject({ code: 'secrets.wrong-passphrase' });
    }
    await expect(file.change('guess', 'another one')).rejects.toMatchObject({
      code: 'secrets.wrong-passphrase',
    });
    expect(pause.mock.calls).toEqual([[500], [1000], [2000], [4000]]);
    expect(await readFile(path, 'utf8')).toBe(before);
    expect(await (await file.unlock(PASSPHRASE)).get('c', 'accessToken')).toBe(CANARY);
  });

  it('goes on while the passphrase is changed', async () => {
    await fill();
    const file = openFile();
    const store = await file.unlock(PASSPHRASE);
    await Promise.all([
      store.set('c', 'accessTokenSecret', 'before'),
      file.change(PASSPHRASE, 'another passphrase'),
      store.set('d', 'accessToken', 'after'),
    ]);
    await expect(openFile().unlock(PASSPHRASE)).rejects.toMatchObject({ code: 'secrets.wrong-passphrase' });
    const again = await openFile().unlock('another passphrase');
    expect(await again.get('c', 'accessTokenSecret')).toBe('before');
    expect(await again.get('d', 'accessToken')).toBe('after');
    expect(await again.get('c', 'accessToken')).toBe(CANARY);
  });

  it.each([
    ['cut', (text: string) => text.slice(0, -40)],
    ['empty', () => ''],
    ['something else', () => '{"version":1}'],
    ['garbled', editValue('sealed', flip)],
    ['of a cost that takes all memory', (text: string) => text.replace('"n": 131072', '"n": 1073741824')],
  ])('that is %s is moved aside before anybody is asked for the passphrase', async (_what, edit) => {
    await fill();
    await change(edit);
    const damaged = await readFile(path, 'utf8');
    const file = openFile();
    await expect(file.find()).rejects.toMatchObject({
      code: 'secrets.file-damaged',
      details: { keptAs: `${path}.damaged-7` },
    });
    expect(await readFile(`${path}.damaged-7`, 'utf8')).toBe(damaged);
    expect(await file.find()).toBe(false);
  });

  it('that somebody changed so that it looks whole is moved aside, and no secret is taken from it', async () => {
    await fill();
    const other = createSecretFile({ path: join(folder, 'other.json'), logger, now: () => 8, pause });
    await other.create(PASSPHRASE);
    const { sealed, nonce } = JSON.parse(await readFile(join(folder, 'other.json'), 'utf8')) as Record<
      string,
      string
    >;
    await change((text) => {
      const document = { ...(JSON.parse(text) as Record<string, string>), sealed, nonce } as Record<
        string,
        unknown
      >;
      return JSON.stringify({ ...document, digest: digest(document) });
    });
    const file = openFile();
    expect(await file.find()).toBe(true);
    await expect(file.unlock(PASSPHRASE)).rejects.toMatchObject({ code: 'secrets.file-damaged' });
    expect(await readdir(folder)).toContain('secrets.json.damaged-7');
  });

  it('keeps what it had where it can’t be written', async () => {
    await fill();
    const store = await openFile().unlock(PASSPHRASE);
    // A folder in the way of the unfinished file.
    await mkdir(`${path}.new`);
    await expect(store.set('c', 'accessToken', 'new')).rejects.toMatchObject({ code: 'secrets.file-failed' });
    expect(await store.get('c', 'accessToken')).toBe(CANARY);
    await rm(`${path}.new`, { recursive: true });
    expect(await (await openFile().unlock(PASSPHRASE)).get('c', 'accessToken')).toBe(CANARY);
  });
});

/** As the file computes it: somebody who changes it can, too. */
function digest(document: Record<string, unknown>): string {
  const head = ['version', 'kdf', 'n', 'r', 'p', 'cipher', 'salt', 'check'].map((name) => document[name]);
  return createHash('sha256')
    .update(JSON.stringify(head))
    .update(`${String(document['nonce'])} ${String(document['sealed'])}`)
    .digest('base64');
}

const none = { code: 'secrets.no-keychain', message: '', details: {} } as const;
const withoutKeychain: OpenSecretStore = () =>
  Promise.resolve({ store: createInMemorySecretStore(), failure: none });

function start(
  open: OpenSecretStore = withoutKeychain,
  options: { passphrase?: string; platform?: 'linux' | 'macos' | 'windows' } = {},
) {
  const { platform = 'linux' } = options;
  return createKeychain({ open, emit: vi.fn(), logger, file: openFile(), ...options, platform });
}

describe('a computer without a keychain', () => {
  it('is offered the file; what was entered in this session moves into it', async () => {
    const keychain = await start();
    expect(keychain.read()).toMatchObject({ kind: 'session', file: 'offered' });
    await keychain.store.set('c', 'accessToken', CANARY);
    expect(await readdir(folder)).toEqual([]);
    expect(await keychain.createFile(PASSPHRASE)).toEqual({
      kind: 'file',
      failure: null,
      isWaiting: false,
      file: 'open',
    });
    const again = await start(withoutKeychain, { passphrase: PASSPHRASE });
    expect(again.read()).toMatchObject({ kind: 'file', file: 'open' });
    expect(await again.store.get('c', 'accessToken')).toBe(CANARY);
    await expect(again.createFile('another passphrase')).rejects.toMatchObject({
      code: 'secrets.file-locked',
    });
  });

  it('starts locked; what is entered meanwhile moves in, and wins', async () => {
    await fill();
    const keychain = await start();
    expect(keychain.read()).toMatchObject({
      kind: 'session',
      failure: 'secrets.file-locked',
      file: 'locked',
    });
    await expect(keychain.store.get('c', 'accessToken')).rejects.toMatchObject({
      code: 'secrets.file-locked',
    });
    await keychain.store.set('c', 'accessToken', 'newer');
    await expect(keychain.unlockFile('guess')).rejects.toMatchObject({ code: 'secrets.wrong-passphrase' });
    expect(keychain.read().file).toBe('locked');
    expect(await keychain.store.get('c', 'accessToken')).toBe('newer');
    expect(await keychain.unlockFile(PASSPHRASE)).toMatchObject({ kind: 'file', file: 'open' });
    expect(await keychain.store.get('proxy p/q:1', 'proxyUserName')).toBe('me');
    expect(await (await openFile().unlock(PASSPHRASE)).get('c', 'accessToken')).toBe('newer');
  });

  it('says that a passphrase given at the start is wrong, and starts', async () => {
    await fill();
    const keychain = await start(withoutKeychain, { passphrase: 'guess' });
    expect(keychain.read()).toMatchObject({ failure: 'secrets.wrong-passphrase', file: 'locked' });
  });

  it('goes on without a damaged file, and may begin another', async () => {
    await fill();
    await change((text) => text.slice(5));
    const keychain = await start();
    expect(keychain.read()).toMatchObject({ failure: 'secrets.file-damaged', file: 'offered' });
    await expect(keychain.store.get('c', 'accessToken')).rejects.toMatchObject({
      code: 'secrets.file-damaged',
    });
    await keychain.store.set('c', 'accessToken', 'anew');
    expect(await keychain.createFile(PASSPHRASE)).toMatchObject({ kind: 'file', failure: null });
    expect(await keychain.store.get('c', 'accessToken')).toBe('anew');
  });

  it('forgets the file: an open one is kept in memory, a locked one is gone', async () => {
    await fill();
    const keychain = await start(withoutKeychain, { passphrase: PASSPHRASE });
    expect(await keychain.deleteFile()).toMatchObject({ kind: 'session', file: 'offered' });
    expect(await keychain.store.get('c', 'accessToken')).toBe(CANARY);
    expect(await readdir(folder)).toEqual([]);
    await fill();
    const locked = await start();
    expect(await locked.deleteFile()).toMatchObject({ kind: 'session', file: 'offered' });
    expect(await locked.store.get('c', 'accessToken')).toBeNull();
  });
});

describe('a computer with a keychain', () => {
  const system = (): SecretStore => ({ ...createInMemorySecretStore(), kind: 'keychain' });

  it('is never offered the file, whatever its system', async () => {
    for (const platform of ['linux', 'macos', 'windows'] as const) {
      const keychain = await start(() => Promise.resolve({ store: system(), failure: null }), { platform });
      expect(keychain.read()).toMatchObject({ kind: 'keychain', file: 'none' });
      await expect(keychain.createFile(PASSPHRASE)).rejects.toMatchObject({ code: 'secrets.has-keychain' });
    }
    for (const platform of ['macos', 'windows'] as const) {
      expect((await start(withoutKeychain, { platform })).read().file).toBe('none');
    }
    const denied = { ...none, code: 'secrets.denied' } as const;
    const refusing = await start(() =>
      Promise.resolve({ store: createInMemorySecretStore(denied), failure: denied }),
    );
    expect(refusing.read().file).toBe('none');
  });

  it('takes the file into its keychain once its passphrase is entered', async () => {
    await fill();
    const store = system();
    const keychain = await start(() => Promise.resolve({ store, failure: null }), { passphrase: PASSPHRASE });
    expect(keychain.read()).toMatchObject({ kind: 'keychain', file: 'locked' });
    expect(await keychain.unlockFile(PASSPHRASE)).toMatchObject({ kind: 'keychain', file: 'none' });
    expect(await store.get('c', 'accessToken')).toBe(CANARY);
    expect(await readdir(folder)).toEqual([]);
  });

  it('that appears takes the place of the open file', async () => {
    await fill();
    const store = system();
    const open = vi
      .fn<OpenSecretStore>()
      .mockImplementationOnce(withoutKeychain)
      .mockResolvedValue({ store, failure: null });
    const keychain = await start(open, { passphrase: PASSPHRASE });
    expect(await keychain.retry()).toMatchObject({ kind: 'keychain', file: 'none' });
    expect(await store.get('c', 'accessToken')).toBe(CANARY);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('the strength of a passphrase', () => {
  it.each([
    ['seven77', 'short'],
    ['aaaaaaaaaaaaaaaa', 'weak'],
    ['abcdefghijklmnop', 'weak'],
    ['1234567890', 'weak'],
    ['password', 'weak'],
    ['summer2026', 'fair'],
    ['vq7Lm2xT9b', 'fair'],
    ['correct horse battery', 'weak'],
    ['correct horse battery staple', 'fair'],
    ['correct horse battery staple window', 'strong'],
    ['vq7Lm2xT9bK4', 'strong'],
    ['пароль из букв и слов', 'weak'],
  ])('of %s is %s', (passphrase, strength) => {
    expect(judgePassphrase(passphrase)).toBe(strength);
  });
});
