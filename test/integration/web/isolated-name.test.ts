import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLoopbackName } from '../../../src-main/web/launch-file.ts';
import { startTestServer, type TestServer } from '../../support/application/web-server.ts';

let running: TestServer;
beforeAll(async () => {
  running = await startTestServer({ 'tasks/list': () => [] });
});
afterAll(() => running.stop());

interface Sent {
  readonly method?: 'POST';
  readonly headers?: Record<string, string>;
}

/** Asks the server under a name that this computer may not resolve. */
async function send(host: string, path: string, { method, headers }: Sent = {}): Promise<IncomingMessage> {
  const asked = request({
    host: '127.0.0.1',
    port: running.server.port,
    path,
    method: method ?? 'GET',
    headers: { host, 'content-type': 'application/json', ...headers },
  });
  asked.end(method === undefined ? undefined : 'null');
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  return answer;
}

describe('W-08: the name of its own', () => {
  it('differs from start to start and leads to the same port', async () => {
    const other = await startTestServer();
    try {
      const name = new URL(running.way.isolatedUrl);
      expect(name.hostname).toMatch(/^[0-9a-f]{16}\.localhost$/u);
      expect(name.port).toBe(String(running.server.port));
      expect(new URL(other.way.isolatedUrl).hostname).not.toBe(name.hostname);
    } finally {
      await other.stop();
    }
  });

  it('serves the window and calls from it, and refuses pages of the other name', async () => {
    const { host, origin, pathname, search } = new URL(running.way.isolatedUrl);
    const launched = await send(host, `${pathname}${search}`);
    expect(launched.statusCode).toBe(303);
    const cookie = launched.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const token = (launched.headers.location ?? '').slice('/#session='.length);
    const call = async (from: string) => {
      const headers = { cookie, origin: from, 'x-channelscope-session': token };
      return (await send(host, '/api/call/tasks/list', { method: 'POST', headers })).statusCode;
    };
    expect(await call(origin)).toBe(200);
    expect(await call(running.origin)).toBe(403);
    expect((await send(host, '/')).statusCode).toBe(200);
  });

  it('is not any name under localhost', async () => {
    const { port } = running.server;
    for (const name of ['localhost', '0123456789abcdef.localhost']) {
      expect((await send(`${name}:${port}`, '/')).statusCode).toBe(421);
    }
  });
});

describe('a loopback name', () => {
  it('is one that this computer resolves to itself', async () => {
    expect(await isLoopbackName('localhost')).toBe(true);
    expect(await isLoopbackName('127.0.0.1')).toBe(true);
    expect(await isLoopbackName('nothing.invalid')).toBe(false);
    expect(await isLoopbackName('192.0.2.1')).toBe(false);
  });
});
