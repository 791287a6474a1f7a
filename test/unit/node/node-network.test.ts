import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createProxyServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { NetworkChoice } from '../../../src-main/common/model/settings/network.ts';
import { makeCertificate } from '../../support/network/make-certificate.ts';

const MODULE = new URL('../../../src-main/node/node-network.ts', import.meta.url).href;

/** A proxy that answers every request itself. */
async function startProxy(answer: string): Promise<string> {
  const proxy = createProxyServer((_request, response) => response.end(answer));
  proxy.on('connect', (_request, socket) => {
    socket.write('HTTP/1.1 200 Connected\r\n\r\n');
    proxy.emit('connection', socket);
  });
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

/** What a process of its own reads at an address after each choice of its network; a failure is its code. */
async function readInTurn(
  url: string,
  choices: readonly NetworkChoice[],
  environment: Record<string, string> = {},
): Promise<string[]> {
  const code = `
    const { createNodeNetwork } = await import(${JSON.stringify(MODULE)});
    const network = createNodeNetwork(${JSON.stringify(environment)});
    const read = [];
    const fetch = network.createFetch(() => null);
    for (const choice of ${JSON.stringify(choices)}) {
      network.use(choice);
      read.push(await fetch(${JSON.stringify(url)}).then((answer) => answer.text(), ({ cause }) => cause.code));
    }
    console.log(JSON.stringify(read));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = (await Promise.race([
    once(child.stdout.setEncoding('utf8'), 'data'),
    once(child, 'exit'),
  ])) as [string];
  return JSON.parse(output) as string[];
}

test('the proxy of the settings goes before that of the environment, and back', async () => {
  const environment = await startProxy('through that of the environment');
  const settings = await startProxy('through that of the settings');
  const manual = (exceptions: readonly string[]): NetworkChoice => ({
    proxy: { mode: 'manual', address: settings, exceptions },
    authorities: [],
  });
  const system: NetworkChoice = { proxy: { mode: 'system' }, authorities: [] };
  const none: NetworkChoice = { proxy: { mode: 'none' }, authorities: [] };
  expect(
    await readInTurn(
      'http://reports.invalid/a',
      [system, manual([]), manual(['reports.invalid']), none, system],
      { http_proxy: environment },
    ),
  ).toEqual([
    'through that of the environment',
    'through that of the settings',
    'ENOTFOUND',
    'ENOTFOUND',
    'through that of the environment',
  ]);
});

test('an authority of the settings is trusted, and no longer once it is taken away', async () => {
  const authority = makeCertificate({ name: 'own', isAuthority: true });
  const { cert, key } = makeCertificate({ name: 'service', issuer: authority, address: '127.0.0.1' });
  const server = createServer({ cert, key }, (_request, response) => {
    response.setHeader('connection', 'close').end('trusted');
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const trust = (authorities: string[]): NetworkChoice => ({ proxy: { mode: 'system' }, authorities });
  const unknown = 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
  expect(await readInTurn(url, [trust([]), trust(['no certificate', authority.cert]), trust([])])).toEqual([
    unknown,
    'trusted',
    unknown,
  ]);
});
