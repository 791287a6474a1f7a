import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from 'electron';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createConnectionNetworks,
  createNetworkFetch,
} from '../../src-main/electron/network/network-fetch.ts';
import { startFaultServer, startRawServer, type FaultServer } from '../support/network/fault-server.ts';
import { app, resetFakeElectron, session, sessions, uncaught } from '../support/electron/fake-electron.ts';

let server: FaultServer;
let rawServer: FaultServer;
let meet: (response: ServerResponse) => void;
let send: (socket: Socket) => void;
beforeAll(async () => {
  server = await startFaultServer((_request, response) => meet(response));
  rawServer = await startRawServer((socket) => send(socket));
});
afterAll(async () => {
  await server.close();
  await rawServer.close();
});
beforeEach(() => {
  resetFakeElectron();
  app.makeReady();
});
// What a listener of a native event throws is a modal error box in Electron, and a call that hangs.
afterEach(() => expect(uncaught).toEqual([]));

const open = (): typeof globalThis.fetch =>
  createNetworkFetch(session.fromPartition('requests') as unknown as Session);

function ask(answer: typeof meet, init?: RequestInit): Promise<Response> {
  meet = answer;
  return open()(`${server.address}/api`, init);
}

function askRaw(text: string | Buffer): Promise<Response> {
  send = (socket) => socket.end(text);
  return open()(`${rawServer.address}/api`);
}

describe('fetch over the system network', () => {
  it('sends method, headers and body, and receives status, headers and body', async () => {
    const response = await ask((answer) => answer.writeHead(200, { 'x-two': ['a', 'b'] }).end('{"b":2}'), {
      method: 'POST',
      headers: { 'x-a': '1' },
      body: '{"a":1}',
    });
    expect(server.requests.at(-1)).toMatchObject({ method: 'POST', path: '/api', body: '{"a":1}' });
    expect(server.requests.at(-1)?.headers['x-a']).toBe('1');
    expect(response.headers.get('x-two')).toBe('a, b');
    expect(await response.json()).toEqual({ b: 2 });
  });

  it('returns a status without a body', async () => {
    expect((await ask((answer) => answer.writeHead(204).end())).status).toBe(204);
  });

  it('decision 29, client: does not follow a redirect, and says where it points', async () => {
    const count = server.requests.length;
    const response = await ask((answer) => answer.writeHead(302, { location: '/elsewhere' }).end());
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe(`${server.address}/elsewhere`);
    expect(server.requests).toHaveLength(count + 1);
  });

  it('fails as the fetch of Node does, with the reason as the cause', async () => {
    const closed = await startFaultServer(() => undefined);
    await closed.close();
    await expect(open()(closed.address)).rejects.toMatchObject({
      name: 'TypeError',
      message: 'fetch failed',
      cause: { message: 'net::ERR_CONNECTION_REFUSED' },
    });
  });

  it('ends with its signal, before the headers', async () => {
    const controller = new AbortController();
    const answer = ask(() => controller.abort(new Error('enough')), { signal: controller.signal });
    await expect(answer).rejects.toThrow('enough');
  });
});

describe('what would be a modal error box and a call that hangs', () => {
  it.each([101, 199, 600, 999])('a status of %i fails', async (status) => {
    await expect(
      askRaw(`HTTP/1.1 ${status} Odd\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n`),
    ).rejects.toThrow('fetch failed');
  });

  it('a reason and headers of any alphabet arrive as the bytes they were', async () => {
    const text = 'HTTP/1.1 200 Größe\r\nx-utf8: é – 文\r\nx-more: a\r\ncontent-length: 2\r\n\r\n{}';
    const response = await askRaw(Buffer.from(text, 'utf8'));
    expect(Buffer.from(response.headers.get('x-utf8') ?? '', 'latin1').toString('utf8')).toBe('é – 文');
    expect(await response.text()).toBe('{}');
  });

  it('Latin-1 in a reason and a header is no failure', async () => {
    const text = 'HTTP/1.1 200 Größe\r\nx-latin1: é\r\ncontent-length: 2\r\n\r\n{}';
    const response = await askRaw(Buffer.from(text, 'latin1'));
    expect(response.headers.get('x-latin1')).not.toBeNull();
    expect(await response.text()).toBe('{}');
  });

  it('a connection that breaks after a response without a body is nobody’s error', async () => {
    send = (socket) => {
      socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      setTimeout(() => socket.resetAndDestroy(), 20);
    };
    expect((await open()(`${rawServer.address}/api`)).status).toBe(204);
    await sleep(100);
  });
});

it('cancelling a body cancels its request', async () => {
  let isClosed = false;
  const response = await ask((answer) => {
    answer.on('close', () => (isClosed = true));
    answer.writeHead(200);
    answer.write('{');
  });
  await response.body?.cancel();
  await expect.poll(() => isClosed).toBe(true);
});

it('a large body arrives whole, however slowly it is read', async () => {
  const sent = Buffer.alloc(3_000_000, 'abcdefg');
  const response = await ask((answer) => answer.writeHead(200).end(sent));
  await sleep(50);
  expect(Buffer.from(await response.arrayBuffer()).equals(sent)).toBe(true);
});

it('a body that is cut short is a failure, not a shorter body', async () => {
  const response = await askRaw('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{');
  await expect(response.text()).rejects.toThrow();
});

it('seven calls of one connection that hang do not keep another connection waiting', async () => {
  const held: ServerResponse[] = [];
  meet = (response) => void held.push(response);
  const { fetchFor } = createConnectionNetworks();
  const controller = new AbortController();
  const slow = Array.from({ length: 7 }, () =>
    fetchFor('one')(`${server.address}/slow`, { signal: controller.signal }),
  );
  const ends = Promise.allSettled(slow);
  await expect.poll(() => held.length).toBe(6);
  meet = (response) => response.end('{}');
  expect((await fetchFor('two')(`${server.address}/quick`)).status).toBe(200);
  expect(fetchFor('two')).toBe(fetchFor('two'));
  // In memory only, and without a cache.
  for (const { partition, options } of sessions.values()) {
    expect(partition).not.toMatch(/^persist:/u);
    expect(options).toEqual({ cache: false });
  }
  controller.abort();
  for (const response of held) response.end();
  await ends;
});

describe('a proxy that asks who is calling', () => {
  let proxy: FaultServer;
  let told: string[];
  beforeAll(async () => {
    proxy = await startFaultServer((request, response) => {
      const given = request.headers['proxy-authorization'];
      told.push(given === undefined ? 'nothing' : Buffer.from(given.slice(6), 'base64').toString());
      if (told.at(-1) === 'anna:right') response.end('through');
      else response.writeHead(407, { 'proxy-authenticate': 'Basic realm="office"' }).end();
    });
  });
  afterAll(() => proxy.close());
  beforeEach(() => {
    told = [];
  });

  const behind = (partition: string): string => {
    const { hostname, port } = new URL(proxy.address);
    session.fromPartition(`requests-${partition}`, { cache: false }).proxy = {
      host: hostname,
      port: Number(port),
    };
    return 'http://service.example/api';
  };

  it('is told what is kept, and lets the request through', async () => {
    const { fetchFor, useProxyLogins } = createConnectionNetworks();
    const questions: unknown[] = [];
    const notes: unknown[] = [];
    useProxyLogins({
      find: (question) => {
        questions.push(question);
        return Promise.resolve({ userName: 'anna', password: 'right' });
      },
      note: (...note) => void notes.push(note),
    });
    const address = behind('one');
    expect(await (await fetchFor('one')(address)).text()).toBe('through');
    expect(told).toEqual(['nothing', 'anna:right']);
    expect(questions).toEqual([{ proxy: new URL(proxy.address).host, realm: 'office', attempt: 1 }]);
    expect(notes).toEqual([[new URL(proxy.address).host, 'accepted']]);
    // Chromium remembers for the session; nobody is asked twice.
    expect((await fetchFor('one')(address)).status).toBe(200);
    expect(questions).toHaveLength(1);
  });

  it('is told nothing where nothing is known, and its refusal is the response', async () => {
    const { fetchFor, useProxyLogins } = createConnectionNetworks();
    useProxyLogins({ find: () => Promise.resolve(null), note: () => undefined });
    expect((await fetchFor('two')(behind('two'))).status).toBe(407);
    expect(told).toEqual(['nothing']);
  });

  it('that refuses a login is asked no third time with it', async () => {
    const { fetchFor, useProxyLogins } = createConnectionNetworks();
    useProxyLogins({
      find: ({ attempt }) => Promise.resolve(attempt === 1 ? { userName: 'anna', password: 'wrong' } : null),
      note: () => undefined,
    });
    expect((await fetchFor('three')(behind('three'))).status).toBe(407);
    expect(told).toEqual(['nothing', 'anna:wrong']);
  });
});
