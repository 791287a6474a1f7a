import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Output } from '../../src-main/common/contract/index.ts';
import { createCore, type Core, type CoreOptions } from '../../src-main/core/create-core.ts';
import type { Host } from '../../src-main/core/host.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../src-main/common/reporting/reports.ts';
import { createInMemorySecretStore, type SecretStore } from '../../src-main/core/secrets/secret-store.ts';
import { createTestHost } from '../support/application/test-host.ts';

let host: Host;
let remove: () => Promise<void>;
let core: Core | null = null;
beforeEach(async () => {
  ({ host, remove } = await createTestHost());
});
afterEach(async () => {
  await core?.stop();
  core = null;
  await remove();
});

async function start(
  options: CoreOptions = {},
  store: SecretStore = createInMemorySecretStore(),
): Promise<Core> {
  core = await createCore(host, {
    openSecretStore: () => Promise.resolve({ store, failure: null }),
    ...options,
  });
  return core;
}

type Operation = 'diagnostics/read-health' | 'diagnostics/test-self' | 'diagnostics/write-bundle';

async function ask<Name extends Operation>(name: Name): Promise<Output<Name>> {
  const result = await core!.call(name, null);
  expect(result).toMatchObject({ ok: true });
  return (result as { value: Output<Name> }).value;
}

const today = (): string =>
  join(host.dataFolder, 'logs', `channelscope-${new Date().toISOString().slice(0, 10)}.log`);
const logLine = (entry: object): string => `${JSON.stringify(entry)}\n`;

describe('the health of the application', () => {
  it('names versions, sizes and the last troubles, the newest first', async () => {
    await mkdir(join(host.dataFolder, 'logs'), { recursive: true });
    const time = new Date().toISOString();
    await writeFile(
      today(),
      logLine({
        time,
        level: 'error',
        part: 'cache',
        event: 'older',
        fields: { error: { code: 'cache.damaged' } },
      }) +
        'cut off {"time":\n' +
        logLine({ time, level: 'info', part: 'cache', event: 'no trouble', fields: {} }) +
        logLine({
          time,
          level: 'warn',
          part: 'client',
          event: 'newer',
          fields: { code: 'A note with words' },
        }),
    );
    await start();
    const health = await ask('diagnostics/read-health');
    expect(health.versions).toContainEqual({ name: 'channelscope', version: '0.0.0-test' });
    expect(health.versions.map(({ name }) => name)).toContain('node');
    expect(health.files.map(({ name }) => name)).toContain('cache.sqlite');
    expect(health.memoryBytes).toBeGreaterThan(1_000_000);
    expect(health).toMatchObject({ cacheMode: 'ready', isSafe: false });
    const known = health.troubles.filter(({ event }) => ['newer', 'older'].includes(event));
    expect(known).toMatchObject([
      { event: 'newer', part: 'client', level: 'warn', code: null },
      { event: 'older', part: 'cache', level: 'error', code: 'cache.damaged' },
    ]);
  });
});

describe('the self-test', () => {
  it('uses each part, leaves nothing behind, and skips the network without a connection', async () => {
    const keychain = new Map<string, string>();
    const store: SecretStore = {
      kind: 'keychain',
      get: (id, name) => Promise.resolve(keychain.get(`${id} ${name}`) ?? null),
      set: (id, name, value) => Promise.resolve(void keychain.set(`${id} ${name}`, value)),
      delete: (id, name) => Promise.resolve(void keychain.delete(`${id} ${name}`)),
    };
    await start({}, store);
    const tests = await ask('diagnostics/test-self');
    expect(tests.map(({ part, outcome }) => [part, outcome])).toEqual([
      ['keychain', 'passed'],
      ['disk', 'passed'],
      ['cache', 'passed'],
      ['engine', 'passed'],
      ['network', 'skipped'],
    ]);
    expect([...keychain]).toEqual([]);
    const { files } = await ask('diagnostics/read-health');
    expect(files.filter(({ name }) => name.startsWith('self-test'))).toEqual([]);
  });

  it('says which part fails, and why', async () => {
    await start();
    await core!.call('local-service/start', null);
    await core!.call('local-service/stop', null);
    const tests = await ask('diagnostics/test-self');
    expect(tests.find(({ part }) => part === 'keychain')).toMatchObject({
      outcome: 'failed',
      code: 'secrets.no-keychain',
    });
    const network = tests.find(({ part }) => part === 'network');
    expect(network).toMatchObject({ outcome: 'failed', code: 'local-service.not-running' });
  });
});

it('a bundle holds nothing that a person or a service wrote, whatever the log and the settings hold', async () => {
  await start();
  const secret = 'canary-of-a-secret-7431';
  await core!.call('settings/update', {
    savedStatements: [{ name: secret, text: `SELECT '${secret}'` }],
    retentionDays: 30,
  });
  await core!.call('connections/save', {
    connectionId: null,
    draft: {
      name: secret,
      baseAddress: `https://${secret}.example`,
      tenant: 1,
      serviceZone: 'UTC',
      reportIdentifiers: SPECIFIED_REPORT_IDENTIFIERS,
      pageSize: 500,
    },
    secrets: { accessToken: secret, accessTokenSecret: secret },
  });
  await writeFile(join(host.dataFolder, `${secret}.txt`), '');
  await appendFile(
    today(),
    logLine({
      time: new Date().toISOString(),
      level: 'error',
      part: 'client',
      event: 'request failed',
      fields: {
        status: 502,
        text: secret,
        operation: 'status',
        kind: secret,
        deep: { note: secret, code: secret },
        error: { code: 'client.tls' },
      },
    }),
  );
  const fault = { name: 'TypeError', places: ['detail-b2.js:9:4', 'index-a1.js:2:31'] };
  expect(await core!.call('diagnostics/note-fault', fault)).toMatchObject({ ok: true });
  const withMessage = { name: 'TypeError', places: [`${secret} at index.js:1:1`] };
  expect(await core!.call('diagnostics/note-fault', withMessage)).toMatchObject({ ok: false });
  const { fileName, text } = await ask('diagnostics/write-bundle');
  expect(fileName).toMatch(/^channelscope-diagnostics-\d{4}-\d\d-\d\d\.txt$/u);
  expect(text).not.toContain(secret);
  expect(text).not.toContain(host.dataFolder);
  expect(text).toContain('"savedStatements (how many)": 1');
  expect(text).toContain('"retentionDays": 30');
  expect(text).toContain(
    '"event":"request failed","code":"client.tls","words":{"operation":"status"},"figures":{"status":502}',
  );
  expect(text).toContain(
    '"part":"window","event":"uncaught","code":null,"words":{"fault":"TypeError","place":"detail-b2.js:9:4"}',
  );
});

it('a safe start says so, and starts nothing by itself', async () => {
  await writeFile(
    join(host.dataFolder, 'settings.json'),
    JSON.stringify({ startLocalService: true, followLocalService: true }),
  );
  await start({ isSafe: true });
  expect(await ask('diagnostics/read-health')).toMatchObject({ isSafe: true });
  expect(await core!.call('app/get-info', null)).toMatchObject({ ok: true, value: { isSafe: true } });
  expect(await core!.call('local-service/get-state', null)).toMatchObject({
    ok: true,
    value: { state: 'stopped' },
  });
});
