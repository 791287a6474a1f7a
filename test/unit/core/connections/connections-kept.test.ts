import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConnectionDraft } from '../../../../src-main/common/model/connections/connection.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../../../src-main/common/reporting/reports.ts';
import type { ReportingClient } from '../../../../src-main/core/client/reporting-client.ts';
import { createConnectionFile } from '../../../../src-main/core/connections/connection-file.ts';
import { createConnections } from '../../../../src-main/core/connections/create-connections.ts';
import {
  createInMemorySecretStore,
  type SecretStore,
} from '../../../../src-main/core/secrets/secret-store.ts';
import { createKeytarSecretStore } from '../../../../src-main/core/secrets/open-secret-store.ts';
import { createSilentLogger } from '../../../support/fakes/silent-logger.ts';

const draft: ConnectionDraft = {
  name: 'Production',
  baseAddress: 'https://reports.example.com',
  tenant: 4120,
  serviceZone: 'UTC',
  reportIdentifiers: { ...SPECIFIED_REPORT_IDENTIFIERS },
  pageSize: 5000,
};
const secrets = { accessToken: 'rk_1', accessTokenSecret: 'sesame-sesame' };

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-kept-'));
  path = join(folder, 'connections.json');
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

function open(store: SecretStore = createInMemorySecretStore()) {
  const logger = createSilentLogger();
  return createConnections({
    file: createConnectionFile(folder, () => 7, logger),
    secrets: store,
    emit: () => undefined,
    logger,
    now: () => 1,
    createClient: () => ({}) as ReportingClient,
  });
}

async function readSaved(): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
}

describe('connections.json', () => {
  it('starts at version 1: a bare list of before the first release is moved aside and named', async () => {
    const entry = { ...draft, id: 'old', kind: 'remote', createdAtMs: 5 };
    await writeFile(path, JSON.stringify([entry]));
    const connections = await open();
    expect(await connections.list()).toEqual([]);
    expect(connections.listSetAside()).toMatchObject({ keptFile: 'connections.json.damaged-7' });
    await connections.save(null, { ...draft, name: 'Staging' }, secrets);
    expect(await readSaved()).toMatchObject({ version: 1, connections: [{ name: 'Staging' }] });
    expect(JSON.parse(await readFile(`${path}.damaged-7`, 'utf8'))).toEqual([entry]);
  });

  it('keeps an entry that does not fit through every save, and names it', async () => {
    const unfit = { name: 'From elsewhere', baseAddress: 'https://other.example.com', since: 'next year' };
    const saved = [unfit, 'not even an object', { ...draft, id: 'a' }];
    await writeFile(path, JSON.stringify({ version: 1, connections: saved }));
    const connections = await open();
    expect(await connections.list()).toEqual([]);
    const { id } = await connections.save(null, draft, secrets);
    await connections.save(id, { ...draft, name: 'Other' }, {});
    await connections.remove(id);
    const again = await open();
    expect(again.listSetAside()).toEqual({
      names: ['From elsewhere', '', 'Production'],
      fileName: 'connections.json',
      keptFile: null,
    });
    await again.save(null, draft, secrets);
    const kept = (await readSaved())['setAside'] as { entry: unknown }[];
    expect(kept.map(({ entry }) => entry)).toEqual([unfit, 'not even an object', { ...draft, id: 'a' }]);
  });

  it('takes an entry back that was set aside once it fits', async () => {
    const entry = { ...draft, id: 'a', kind: 'remote', createdAtMs: 5 };
    await writeFile(path, JSON.stringify({ version: 2, connections: [], setAside: [{ version: 1, entry }] }));
    const connections = await open();
    expect(await connections.list()).toMatchObject([{ id: 'a' }]);
    expect(connections.listSetAside().names).toEqual([]);
  });

  it('of a newer version is copied, what is known of it used, and what is not stays', async () => {
    const future = { version: 99, connections: [{ ...draft, id: 'a', kind: 'mixed', createdAtMs: 5 }] };
    await writeFile(path, JSON.stringify(future));
    const connections = await open();
    expect(connections.listSetAside().names).toEqual(['Production']);
    await connections.save(null, { ...draft, name: 'Mine' }, secrets);
    expect(JSON.parse(await readFile(`${path}.v99.backup`, 'utf8'))).toEqual(future);
    expect((await readSaved())['setAside']).toEqual([{ version: 99, entry: future.connections[0] }]);
  });

  it.each(['{"half": ', '"a text"', '{"version": "two"}'])(
    'that is %s is moved aside and named',
    async (text) => {
      await writeFile(path, text);
      const connections = await open();
      expect(connections.listSetAside()).toMatchObject({ keptFile: 'connections.json.damaged-7' });
      await connections.save(null, draft, secrets);
      expect(await readFile(join(folder, 'connections.json.damaged-7'), 'utf8')).toBe(text);
    },
  );

  it('keeps fields of an entry that this version does not know', async () => {
    const entry = { ...draft, id: 'a', kind: 'remote', createdAtMs: 5, colour: 'green' };
    await writeFile(path, JSON.stringify({ version: 1, connections: [entry] }));
    await (await open()).save('a', { ...draft, name: 'Other' }, secrets);
    expect(await readSaved()).toMatchObject({ connections: [{ id: 'a', name: 'Other', colour: 'green' }] });
  });
});

describe('five hundred parallel saves of ten connections', () => {
  /** A keychain that takes a moment for each call, as real ones do. */
  function createSlowKeychain(): SecretStore {
    const entries = new Map<string, string>();
    const soon = <Value>(run: () => Value): Promise<Value> =>
      new Promise((resolve) => setTimeout(() => resolve(run()), 2));
    return createKeytarSecretStore({
      keytar: {
        getPassword: (_service, account) => soon(() => entries.get(account) ?? null),
        setPassword: (_service, account, value) => soon(() => void entries.set(account, value)),
        deletePassword: (_service, account) => soon(() => entries.delete(account)),
      },
      service: 'test',
      timeoutMs: 1000,
    });
  }

  it('fail none and lose none, also over a restart', async () => {
    const store = createSlowKeychain();
    const connections = await open(store);
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        connections.save(null, { ...draft, name: `Connection ${index}` }, secrets),
      ),
    );
    const results = await Promise.allSettled(
      Array.from({ length: 500 }, (_, index) => {
        const { id } = made[index % 10]!;
        const round = Math.floor(index / 10);
        if (round % 5 === 4) {
          return connections.saveNames(id, () => [{ field: 'channel', value: '3', name: `Round ${round}` }]);
        }
        const given = { accessToken: `rk_${index}`, accessTokenSecret: `sesame-${index}` };
        return connections.save(id, { ...draft, name: `Round ${round}`, tenant: index }, given);
      }),
    );
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    for (const running of [connections, await open(store)]) {
      const list = await running.list();
      expect(list.map(({ id }) => id)).toEqual(made.map(({ id }) => id));
      for (const [place, connection] of list.entries()) {
        const last = 480 + place;
        expect(connection).toMatchObject({
          name: 'Round 48',
          tenant: last,
          names: [{ name: 'Round 49' }],
          secrets: 'keychain',
        });
        expect(await running.readSecrets(connection.id)).toEqual({
          accessToken: `rk_${last}`,
          accessTokenSecret: `sesame-${last}`,
        });
      }
    }
    expect((await readdir(folder)).filter((name) => name.includes('damaged'))).toEqual([]);
  }, 120_000);
});
