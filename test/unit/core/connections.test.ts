import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src-main/common/contract/errors.ts';
import type { ConnectionDraft } from '../../../src-main/common/model/connection.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../../src-main/common/reporting/reports.ts';
import type { ReportingClient } from '../../../src-main/core/client/reporting-client.ts';
import { createConnectionFile } from '../../../src-main/core/connections/connection-file.ts';
import { createConnections } from '../../../src-main/core/connections/create-connections.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/in-memory-secret-store.ts';
import type { SecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { createSilentLogger } from '../../support/silent-logger.ts';

const draft: ConnectionDraft = {
  name: '  Production ',
  baseAddress: 'https://reports.example.com/',
  tenant: 4120,
  serviceZone: 'America/Bogota',
  reportIdentifiers: { ...SPECIFIED_REPORT_IDENTIFIERS },
  pageSize: 5000,
};
const secrets = { accessToken: 'rk_1', accessTokenSecret: 'sesame-sesame' };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-connections-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function open(store: SecretStore) {
  const logger = createSilentLogger();
  return createConnections({
    file: createConnectionFile(folder, Date.now, logger),
    secrets: store,
    emit: () => undefined,
    logger,
    now: () => 1,
    createClient: () => ({}) as ReportingClient,
  });
}

describe('connections', () => {
  it('are there again after a restart, name trimmed and address normalised', async () => {
    const store = createInMemorySecretStore();
    const saved = await (await open(store)).save(null, draft, secrets);
    expect(await (await open(store)).list()).toEqual([saved]);
    expect(saved).toMatchObject({
      name: 'Production',
      baseAddress: 'https://reports.example.com',
      secrets: 'session',
    });
  });

  it('never write a secret to their file', async () => {
    await (await open(createInMemorySecretStore())).save(null, draft, secrets);
    const text = await readFile(join(folder, 'connections.json'), 'utf8');
    expect(text).toContain('Production');
    expect(text).not.toContain('rk_1');
    expect(text).not.toContain('sesame');
  });

  it('keep the stored secret where a change leaves it out', async () => {
    const connections = await open(createInMemorySecretStore());
    const { id } = await connections.save(null, draft, secrets);
    await connections.save(id, { ...draft, name: 'Renamed' }, { accessToken: 'rk_2' });
    expect(await connections.readSecrets(id)).toEqual({
      accessToken: 'rk_2',
      accessTokenSecret: 'sesame-sesame',
    });
    expect(connections.get(id).name).toBe('Renamed');
  });

  it('say when secrets are missing, and when they could not be read', async () => {
    const store = createInMemorySecretStore();
    await (await open(store)).save(null, draft, { accessToken: 'rk_1' });
    expect((await (await open(store)).list())[0]?.secrets).toBe('missing');
    const locked: SecretStore = {
      ...store,
      get: () => Promise.reject(new AppError('secrets.locked', 'locked')),
    };
    expect((await (await open(locked)).list())[0]?.secrets).toBe('unreadable');
  });

  it('are not saved when the keychain refuses the secret', async () => {
    const refusing: SecretStore = {
      ...createInMemorySecretStore(),
      set: () => Promise.reject(new AppError('secrets.denied', 'denied')),
    };
    const connections = await open(refusing);
    await expect(connections.save(null, draft, secrets)).rejects.toMatchObject({ code: 'secrets.denied' });
    expect(await connections.list()).toEqual([]);
  });

  it('take their secrets with them when removed', async () => {
    const store = createInMemorySecretStore();
    const connections = await open(store);
    const { id } = await connections.save(null, draft, secrets);
    await connections.remove(id);
    expect(await store.get(id, 'accessToken')).toBeNull();
    expect(() => connections.get(id)).toThrow(AppError);
  });

  it.each([
    [{ serviceZone: 'Mars/Olympus' }, 'connections.zone-unknown'],
    [{ baseAddress: 'https://user:pw@reports.example.com' }, 'connections.address-has-credentials'],
    [{ baseAddress: 'not an address' }, 'connections.address-invalid'],
    [
      { reportIdentifiers: { ...SPECIFIED_REPORT_IDENTIFIERS, 'inbound-detail': '123' } },
      'connections.identifier-invalid',
    ],
  ])('refuse %j with %s', async (change, code) => {
    const connections = await open(createInMemorySecretStore());
    await expect(connections.save(null, { ...draft, ...change }, secrets)).rejects.toMatchObject({ code });
  });

  it('leave out an entry that is not a connection and keep the others', async () => {
    const store = createInMemorySecretStore();
    const saved = await (await open(store)).save(null, draft, secrets);
    const path = join(folder, 'connections.json');
    const entries = JSON.parse(await readFile(path, 'utf8')) as unknown[];
    await writeFile(path, JSON.stringify([{ name: 'half' }, ...entries]));
    expect(await (await open(store)).list()).toEqual([saved]);
  });
});
