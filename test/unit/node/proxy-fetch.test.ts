import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NetworkChoice } from '../../../src-main/common/model/settings/network.ts';
import { mapNetworkError } from '../../../src-main/core/client/map-network-error.ts';
import { createProxyLogins, type ProxyLoginStore } from '../../../src-main/core/proxy/proxy.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { createNodeNetwork, type NodeNetwork } from '../../../src-main/node/node-network.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';

const NAME = 'ana@office';
const PASSWORD = 'pa:ss "word';
const SERVICE = 'http://reports.invalid/a';

/** What the proxy wants to be told, what it says it takes, and what it was told. */
let wanted: string;
let offers: string[];
let told: (string | undefined)[];
let status: number;
const proxy = createServer((_request, response) => response.end('through'));
proxy.on('connect', ({ headers }, socket) => {
  const login = headers['proxy-authorization'];
  told.push(login);
  if (login === wanted) {
    socket.write('HTTP/1.1 200 Connected\r\n\r\n');
    proxy.emit('connection', socket);
    return;
  }
  const lines = offers.map((offer) => `Proxy-Authenticate: ${offer}\r\n`).join('');
  socket.end(`HTTP/1.1 ${String(status)} No\r\n${lines}Content-Length: 0\r\n\r\n`);
});

const toBasic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

let network: NodeNetwork;
let logins: ProxyLoginStore;
let noted: string[];
let read: typeof fetch;
let address: string;
const DIRECT: NetworkChoice = { proxy: { mode: 'none' }, authorities: [] };

beforeEach(async () => {
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  wanted = toBasic(NAME, PASSWORD);
  offers = ['Negotiate', 'Basic realm="the office"'];
  told = [];
  status = 407;
  noted = [];
  logins = createProxyLogins({
    secrets: createInMemorySecretStore(),
    emit: () => undefined,
    logger: createSilentLogger(),
    noteSecret: (secret) => void noted.push(secret),
  });
  network = createNodeNetwork({ HTTP_PROXY: `http://${address}` });
  network.use({ proxy: { mode: 'system' }, authorities: [] });
  read = network.createFetch(() => logins);
});
afterEach(async () => {
  network.use(DIRECT);
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
});

/** What a call of a service that ends so is to the window. */
const fail = async (): Promise<unknown> => {
  try {
    return await read(SERVICE).then((response) => response.text());
  } catch (error) {
    const { code, details } = mapNetworkError(error);
    return { code, reason: details['reason'] };
  }
};

describe('a proxy that asks who is calling', () => {
  it('makes the application ask, by the name that the proxy gives itself', async () => {
    expect(await fail()).toEqual({ code: 'client.proxy', reason: 'login' });
    expect(logins.readChallenge()).toEqual({ proxy: address, realm: 'the office', wasRefused: false });
    expect(told.filter((login) => login !== undefined)).toEqual([]);
  });

  it('is told the login from then on, and nobody is asked again', async () => {
    await fail();
    await logins.signIn({ proxy: address, userName: NAME, password: PASSWORD });
    expect(await fail()).toBe('through');
    expect(logins.readChallenge()).toBeNull();
    told.length = 0;
    proxy.closeAllConnections();
    expect(await fail()).toBe('through');
    expect(new Set(told)).toEqual(new Set([wanted]));
    expect(noted).toEqual([PASSWORD]);
  });

  it('is told a wrong login once, and then the person is asked for another', async () => {
    await fail();
    await logins.signIn({ proxy: address, userName: NAME, password: 'wrong' });
    expect(await fail()).toEqual({ code: 'client.proxy', reason: 'login' });
    expect(logins.readChallenge()).toMatchObject({ wasRefused: true });
    await fail();
    expect(told.filter((login) => login !== undefined)).toHaveLength(1);
    await logins.signIn({ proxy: address, userName: NAME, password: PASSWORD });
    expect(await fail()).toBe('through');
  });

  it('that no longer takes a login it took makes the application ask again', async () => {
    await logins.signIn({ proxy: address, userName: NAME, password: PASSWORD });
    expect(await fail()).toBe('through');
    wanted = toBasic(NAME, 'another');
    proxy.closeAllConnections();
    expect(await fail()).toEqual({ code: 'client.proxy', reason: 'login' });
    expect(logins.readChallenge()).toMatchObject({ wasRefused: true });
    told.length = 0;
    await fail();
    expect(told.filter((login) => login !== undefined)).toEqual([]);
  });

  it('is told nothing where it wants a login of another kind, and that is said', async () => {
    offers = ['Negotiate', 'NTLM'];
    await logins.signIn({ proxy: address, userName: NAME, password: PASSWORD });
    expect(await fail()).toEqual({ code: 'client.proxy', reason: 'scheme' });
    expect(logins.readChallenge()).toBeNull();
    expect(told.filter((login) => login !== undefined)).toEqual([]);
  });

  it('of the settings is told its own login, and one of another address nothing', async () => {
    await logins.signIn({ proxy: address, userName: NAME, password: PASSWORD });
    expect(await fail()).toBe('through');
    network.use({ proxy: { mode: 'manual', address: `http://${address}`, exceptions: [] }, authorities: [] });
    expect(await fail()).toBe('through');
    const elsewhere = address.replace('127.0.0.1', 'localhost');
    network.use({
      proxy: { mode: 'manual', address: `http://${elsewhere}`, exceptions: [] },
      authorities: [],
    });
    told.length = 0;
    expect(await fail()).toEqual({ code: 'client.proxy', reason: 'login' });
    expect(told.filter((login) => login !== undefined)).toEqual([]);
  });
});

it('a proxy that lets nothing through is not asked about logins', async () => {
  status = 403;
  offers = [];
  expect(await fail()).toMatchObject({ code: 'client.proxy', reason: 'ERR_TUNNEL_CONNECTION_FAILED' });
  expect(logins.readChallenge()).toBeNull();
});

it('a call that is ended by its caller ends so', async () => {
  const controller = new AbortController();
  const reading = read(SERVICE, { signal: controller.signal });
  controller.abort();
  await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
});
