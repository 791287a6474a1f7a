import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadKeytar, openSecretStore } from '../../src-main/core/secrets/open-secret-store.ts';
import type { SecretStore } from '../../src-main/core/secrets/secret-store.ts';
import { createSilentLogger } from '../support/fakes/silent-logger.ts';

// Only a session made for tests: a person's own keychain is never written to.
const inSession = process.env.CHANNELSCOPE_TEST_KEYCHAIN === '1';
const title = inSession
  ? 'the keychain of the system'
  : 'the keychain of the system (not inside test/support/keyring/with-keyring.ts)';

const root = fileURLToPath(new URL('../../', import.meta.url));
const report = fileURLToPath(new URL('../support/keyring/report-keychain.ts', import.meta.url));
const keyring = fileURLToPath(new URL('../support/keyring/with-keyring.ts', import.meta.url));
const service = `Channelscope test ${randomUUID()}`;
const BUS_WITHOUT_SERVICES = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
<allow own="*"/></policy></busconfig>`;

function readReport({ status, stdout, stderr }: SpawnSyncReturns<string>): Record<string, unknown> {
  if (status !== 0) throw new Error(`exit ${String(status)}: ${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, unknown>;
}

function runReport(
  program: string,
  words: string[],
  environment: NodeJS.ProcessEnv,
): Record<string, unknown> {
  const env = { ...process.env, ...environment };
  for (const [name, value] of Object.entries(env)) if (value === '') Reflect.deleteProperty(env, name);
  return readReport(spawnSync(program, words, { cwd: root, env, encoding: 'utf8', timeout: 25_000 }));
}

describe.skipIf(!inSession)(title, () => {
  let store: SecretStore;
  let folder: string;

  beforeAll(async () => {
    const opened = await openSecretStore({ service, logger: createSilentLogger() });
    expect(opened.failure).toBeNull();
    store = opened.store;
    folder = mkdtempSync(join(tmpdir(), 'channelscope-keychain-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  it('keeps, changes and deletes a secret, each in an entry of its own', async () => {
    await store.set('one', 'accessToken', 'first');
    await store.set('one', 'accessTokenSecret', 'Zweites ✓ 秘密');
    await store.set('two', 'accessToken', 'other');
    await store.set('one', 'accessToken', 'changed');
    expect(await store.get('one', 'accessToken')).toBe('changed');
    expect(await store.get('one', 'accessTokenSecret')).toBe('Zweites ✓ 秘密');
    const keytar = await loadKeytar();
    expect(await keytar.getPassword(service, 'one/accessToken')).toBe('changed');
    await store.delete('one', 'accessToken');
    expect(await store.get('one', 'accessToken')).toBeNull();
    expect(await store.get('two', 'accessToken')).toBe('other');
    await store.delete('one', 'accessToken');
  });

  it('leaves no entry behind from asking whether the keychain works', async () => {
    await store.get('absent', 'accessToken');
    const keytar = await loadKeytar();
    expect(await keytar.getPassword(service, `probe/${process.pid}`)).toBeNull();
  });

  it.each([1023, 1024])('keeps a secret of %i bytes', async (bytes) => {
    await store.set('size', 'accessToken', 'x'.repeat(bytes));
    expect(await store.get('size', 'accessToken')).toHaveLength(bytes);
  });

  it.each([
    ['1025 bytes', 'x'.repeat(1025)],
    ['1025 bytes in fewer characters', `${'é'.repeat(512)}x`],
  ])('refuses a secret of %s and keeps the one before', async (_title, secret) => {
    await store.set('size', 'accessToken', 'before');
    await expect(store.set('size', 'accessToken', secret)).rejects.toMatchObject({
      code: 'secrets.too-large',
    });
    expect(await store.get('size', 'accessToken')).toBe('before');
  });

  it('serves fifty calls at once', async () => {
    const ids = Array.from({ length: 50 }, (_, index) => `many-${index}`);
    await Promise.all(ids.map((id) => store.set(id, 'accessToken', `value of ${id}`)));
    const values = await Promise.all(ids.map((id) => store.get(id, 'accessToken')));
    expect(values).toEqual(ids.map((id) => `value of ${id}`));
  });

  it('distinguishes a locked keyring from one without the secret, and does not crash', () => {
    expect(runReport(process.execPath, [keyring, process.execPath, report, 'lock'], {})).toEqual({
      kind: 'keychain',
      failure: null,
      get: 'secrets.locked',
      getAbsent: 'secrets.locked',
      set: 'secrets.denied',
      delete: 'secrets.locked',
      reopened: { kind: 'session', failure: 'secrets.denied' },
      reopenedGet: 'secrets.denied',
    });
  });

  it('says that there is no keychain on a bus without the service', () => {
    const configuration = join(folder, 'bus.conf');
    writeFileSync(configuration, BUS_WITHOUT_SERVICES);
    const words = [`--config-file=${configuration}`, '--', process.execPath, report];
    expect(runReport('dbus-run-session', words, {})).toEqual({
      kind: 'session',
      failure: 'secrets.no-keychain',
    });
  });

  it('says that there is no keychain where there is no bus', () => {
    const environment = { DBUS_SESSION_BUS_ADDRESS: '', DISPLAY: '', XDG_RUNTIME_DIR: join(folder, 'none') };
    expect(runReport(process.execPath, [report], environment)).toEqual({
      kind: 'session',
      failure: 'secrets.no-keychain',
    });
  });
});
