import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { ConnectionDraft } from '../../../../src-main/common/model/connections/connection.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../../../src-main/common/reporting/reports.ts';
import type { ReportingClient } from '../../../../src-main/core/client/reporting-client.ts';
import { createConnectionFile } from '../../../../src-main/core/connections/connection-file.ts';
import { createConnections } from '../../../../src-main/core/connections/create-connections.ts';
import {
  createInMemorySecretStore,
  type SecretStore,
} from '../../../../src-main/core/secrets/secret-store.ts';
import { createSilentLogger } from '../../../support/fakes/silent-logger.ts';

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
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

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

  it('keep secrets without the blanks and line ends that came with them', async () => {
    const store = createInMemorySecretStore();
    const connections = await open(store);
    const { id } = await connections.save(null, draft, {
      accessToken: ' rk_1\r\n',
      accessTokenSecret: '\tsesame-sesame\u00a0',
    });
    expect(await connections.readSecrets(id)).toEqual(secrets);
    await connections.save(id, draft, { accessToken: ' \n' });
    expect(await connections.readSecrets(id)).toEqual(secrets);
  });

  it('keep the names of numbers through a restart and a change of the connection', async () => {
    const store = createInMemorySecretStore();
    const connections = await open(store);
    const { id } = await connections.save(null, draft, secrets);
    const names = [{ field: 'channel' as const, value: '3', name: 'WhatsApp', colour: 'green' as const }];
    await connections.saveNames(id, () => [{ ...names[0]!, name: ' Whats\nApp ' }]);
    expect(connections.listNames(id)).toMatchObject([{ name: 'Whats App' }]);
    await connections.saveNames(id, () => names);
    await connections.save(id, { ...draft, name: 'Other' }, {});
    const again = await open(store);
    expect((await again.list())[0]).toMatchObject({ name: 'Other', names });
    expect(again.listNames('gone')).toEqual([]);
  });

  it('refuse names that a query could not tell from numbers, and two names of one number', async () => {
    const connections = await open(createInMemorySecretStore());
    const { id } = await connections.save(null, draft, secrets);
    const channel = (value: string, name: string) => ({ field: 'channel' as const, value, name });
    for (const names of [
      [channel('3', '7')],
      [channel('3', 'none')],
      [channel('3', 'a'), channel('3', 'b')],
    ]) {
      await expect(connections.saveNames(id, () => names)).rejects.toMatchObject({
        code: 'connections.names-invalid',
      });
    }
    expect(connections.listNames(id)).toEqual([]);
  });

  it('lose damaged names and nothing else', async () => {
    const store = createInMemorySecretStore();
    const { id } = await (await open(store)).save(null, draft, secrets);
    const path = join(folder, 'connections.json');
    const document = JSON.parse(await readFile(path, 'utf8')) as { connections: object[] };
    const connections = [{ ...document.connections[0], names: [{ field: 'tenant', name: 3 }] }];
    await writeFile(path, JSON.stringify({ ...document, connections }));
    const [connection] = await (await open(store)).list();
    expect(connection).toMatchObject({ id });
    expect(connection).not.toHaveProperty('names');
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
});
