import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { ConnectionDraft } from '../../../../src-main/common/model/connections/connection.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../../../src-main/common/reporting/reports.ts';
import type { TokenSecrets } from '../../../../src-main/core/client/create-reporting-client.ts';
import type { ReportingClient } from '../../../../src-main/core/client/reporting-client.ts';
import { createConnectionFile } from '../../../../src-main/core/connections/connection-file.ts';
import { createConnections } from '../../../../src-main/core/connections/create-connections.ts';
import {
  createInMemorySecretStore,
  type SecretStore,
} from '../../../../src-main/core/secrets/secret-store.ts';
import { createSilentLogger } from '../../../support/fakes/silent-logger.ts';

const draft: ConnectionDraft = {
  name: 'Production',
  baseAddress: 'https://reports.example.com/prefix',
  tenant: 4120,
  serviceZone: 'UTC',
  reportIdentifiers: { ...SPECIFIED_REPORT_IDENTIFIERS },
  pageSize: 5000,
};
const secrets = { accessToken: 'rk_1', accessTokenSecret: 'sesame-sesame' };
const others = { accessToken: 'rk_2', accessTokenSecret: 'other-sesame' };
const PLAIN = 'http://reports.example.com';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-origins-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/** The connections, with clients that only hand out the secrets that they would send. */
async function open(store: SecretStore = createInMemorySecretStore()) {
  const logger = createSilentLogger();
  const connections = await createConnections({
    file: createConnectionFile(folder, () => 7, logger),
    secrets: store,
    emit: () => undefined,
    logger,
    now: () => 1,
    createClient: (_connection, read) => ({ read }) as unknown as ReportingClient,
  });
  const send = (id: string): (() => Promise<TokenSecrets>) =>
    (connections.clientFor(id) as unknown as { read(): Promise<TokenSecrets> }).read;
  return { connections, send };
}

describe('saved secrets', () => {
  it.each([
    ['scheme', 'http://localhost:8080'],
    ['host', 'https://reports.example.org/prefix'],
    ['port', 'https://reports.example.com:8443/prefix'],
  ])('are asked for again at another %s', async (_part, baseAddress) => {
    const { connections } = await open();
    const { id } = await connections.save(null, draft, secrets);
    for (const given of [{}, { accessToken: 'rk_2' }, { accessTokenSecret: 'other-sesame' }]) {
      await expect(connections.save(id, { ...draft, baseAddress }, given)).rejects.toMatchObject({
        code: 'secrets.other-origin',
        details: { savedFor: 'https://reports.example.com' },
      });
    }
    await expect(connections.readSecrets(id, baseAddress)).rejects.toMatchObject({
      code: 'secrets.other-origin',
    });
    expect(connections.get(id).baseAddress).toBe('https://reports.example.com/prefix');
    await connections.save(id, { ...draft, baseAddress }, others);
    expect(await connections.readSecrets(id)).toEqual(others);
  });

  it('stay for another path, name or tenant of the same service', async () => {
    const { connections } = await open();
    const { id } = await connections.save(null, draft, secrets);
    const change = { baseAddress: 'https://REPORTS.example.com:443/other', tenant: 7 };
    await connections.save(id, { ...draft, ...change }, {});
    expect(await connections.readSecrets(id)).toEqual(secrets);
  });

  it('of a new address never go to the old one, from which a download is still asking', async () => {
    const { connections, send } = await open();
    const { id } = await connections.save(null, draft, secrets);
    const sendToOld = send(id);
    expect(await sendToOld()).toEqual(secrets);
    const saving = connections.save(id, { ...draft, baseAddress: 'https://new.example.com' }, others);
    await expect(sendToOld()).rejects.toMatchObject({ code: 'secrets.other-origin' });
    await saving;
    await expect(sendToOld()).rejects.toMatchObject({ code: 'secrets.other-origin' });
    expect(await send(id)()).toEqual(others);
  });

  it('belong to no address where only one of them could be replaced', async () => {
    const store = createInMemorySecretStore();
    let failing: string | null = null;
    const set: SecretStore['set'] = (id, name, value) =>
      name === failing ? Promise.reject(new AppError('secrets.denied', 'no')) : store.set(id, name, value);
    const { connections } = await open({ ...store, set });
    const { id } = await connections.save(null, draft, secrets);
    const moved = { ...draft, baseAddress: 'https://new.example.com' };
    failing = 'accessToken';
    await expect(connections.save(id, moved, others)).rejects.toMatchObject({ code: 'secrets.denied' });
    expect(await connections.readSecrets(id)).toEqual(secrets);
    failing = 'accessTokenSecret';
    await expect(connections.save(id, moved, others)).rejects.toMatchObject({ code: 'secrets.denied' });
    for (const each of [connections, (await open(store)).connections]) {
      await expect(each.readSecrets(id)).rejects.toMatchObject({ code: 'secrets.missing' });
      expect((await each.list())[0]).toMatchObject({ secrets: 'missing' });
    }
  });
});

describe('plain http beyond loopback', () => {
  it('is refused until the person agrees, for that connection', async () => {
    const { connections, send } = await open();
    const plain = { ...draft, baseAddress: PLAIN };
    await expect(connections.save(null, plain, secrets)).rejects.toMatchObject({
      code: 'connections.plain-http',
      details: { address: PLAIN },
    });
    const { id } = await connections.save(null, { ...plain, allowsPlainHttp: true }, secrets);
    expect(await send(id)()).toEqual(secrets);
    await expect(connections.save(null, { ...plain, name: 'Another' }, secrets)).rejects.toThrow(AppError);
  });

  it('needs nobody on loopback', async () => {
    const { connections } = await open();
    await connections.save(null, { ...draft, baseAddress: 'http://127.0.0.1:8080' }, secrets);
    expect(await connections.list()).toMatchObject([{ allowsPlainHttp: false }]);
  });

  it('is agreed to again after an encrypted address', async () => {
    const { connections } = await open();
    const { id } = await connections.save(null, { ...draft, allowsPlainHttp: true }, secrets);
    expect(connections.get(id).allowsPlainHttp).toBe(false);
  });

  it('of a connection that nobody agreed to is not used until then', async () => {
    const entry = {
      ...draft,
      baseAddress: PLAIN,
      secretsOrigin: PLAIN,
      id: 'old',
      kind: 'remote',
      createdAtMs: 5,
    };
    await writeFile(join(folder, 'connections.json'), JSON.stringify({ version: 1, connections: [entry] }));
    const store = createInMemorySecretStore();
    await store.set('old', 'accessToken', 'rk_1');
    await store.set('old', 'accessTokenSecret', 'sesame-sesame');
    const { connections, send } = await open(store);
    await expect(send('old')()).rejects.toMatchObject({ code: 'connections.plain-http' });
    await connections.save('old', { ...draft, baseAddress: PLAIN, allowsPlainHttp: true }, {});
    expect(await send('old')()).toEqual(secrets);
    expect(await readFile(join(folder, 'connections.json'), 'utf8')).not.toMatch(/rk_1|sesame/);
  });
});
