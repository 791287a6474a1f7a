import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Input, OperationName, Output } from '../../src-main/common/contract/index.ts';
import type { NetworkChoice } from '../../src-main/common/model/settings/network.ts';
import { createCore, type Core } from '../../src-main/core/create-core.ts';
import { createInMemorySecretStore } from '../../src-main/core/secrets/secret-store.ts';
import { forkProcess } from '../../src-main/node/fork-process.ts';
import { makeCertificate } from '../support/network/make-certificate.ts';
import { createTestHost } from '../support/application/test-host.ts';

let core: Core;
let remove: () => Promise<void>;
const engineStarts: unknown[] = [];
const networks: NetworkChoice[] = [];

beforeEach(async () => {
  engineStarts.length = 0;
  networks.length = 0;
  const made = await createTestHost({
    startProcess: (script, argument) => {
      engineStarts.push(JSON.parse(argument));
      return forkProcess(script, argument);
    },
    useNetwork: (network) => {
      networks.push(network);
      return Promise.resolve();
    },
  });
  remove = made.remove;
  core = await createCore(made.host, {
    openSecretStore: () => Promise.resolve({ store: createInMemorySecretStore(), failure: null }),
  });
});
afterEach(async () => {
  await core.stop();
  await remove();
});

async function ask<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name>> {
  const answer = await core.call(name, input);
  if (!answer.ok) throw Object.assign(new Error(answer.error.message), answer.error);
  return answer.value as Output<Name>;
}

it('the memory of the engine is what its next process gets, which begins at once', async () => {
  await expect.poll(() => engineStarts.at(-1)).toMatchObject({ memoryLimitMb: 256 });
  await ask('settings/update', { engineMemoryMb: 512 });
  await expect.poll(() => engineStarts.at(-1), { timeout: 20_000 }).toMatchObject({ memoryLimitMb: 512 });
  const starts = engineStarts.length;
  await ask('settings/update', { theme: 'dark' });
  expect(engineStarts).toHaveLength(starts);
});

it('the network goes the way of the settings, from the start and after each change', async () => {
  expect(networks).toEqual([{ proxy: { mode: 'system' }, authorities: [] }]);
  await ask('settings/update', { theme: 'dark' });
  await ask('settings/update', { proxyMode: 'manual', proxyAddress: 'proxy.example.com:3128' });
  await expect
    .poll(() => networks.at(-1)?.proxy)
    .toEqual({ mode: 'manual', address: 'http://proxy.example.com:3128', exceptions: [] });
  expect(networks).toHaveLength(2);
  await expect(ask('settings/update', { proxyAddress: 'user:word@proxy:1' })).rejects.toMatchObject({
    code: 'settings.unfit',
  });
});

it('the local service sends traffic as its setting says, wherever that is changed', async () => {
  expect((await ask('local-service/get-state', null)).live).toBe(true);
  await ask('settings/update', { localServiceLive: false });
  expect((await ask('local-service/get-state', null)).live).toBe(false);
});

it('certificates of a file are described, each once, and nothing else in it is taken', async () => {
  const authority = makeCertificate({ name: 'office', isAuthority: true });
  const service = makeCertificate({ name: 'service', issuer: authority, address: '127.0.0.1' });
  const read = await ask('settings/read-certificates', {
    pem: `# of the office\n${authority.cert}${authority.key}${service.cert}${authority.cert}`,
  });
  expect(read.map(({ name, isAuthority }) => ({ name, isAuthority }))).toEqual([
    { name: 'office', isAuthority: true },
    { name: 'service', isAuthority: false },
  ]);
  expect(read.map(({ pem }) => pem).join()).not.toContain('PRIVATE');
  for (const pem of ['', authority.key, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----']) {
    await expect(ask('settings/read-certificates', { pem })).rejects.toMatchObject({
      code: 'settings.no-certificate',
    });
  }
});
