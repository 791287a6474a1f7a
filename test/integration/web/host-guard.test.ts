import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  launch,
  startTestServer,
  type TestServer,
  type TestSession,
} from '../../support/application/web-server.ts';
import { sendRaw } from '../../support/network/raw-socket.ts';

let running: TestServer;
let session: TestSession;
beforeAll(async () => {
  running = await startTestServer({ 'settings/get': () => ({}) });
  session = await launch(running);
});
afterAll(() => running.stop());

type HostForm = (port: number) => string;
/** Header lines as they are sent; none is our one authority. */
const HOSTS: Record<string, HostForm> = {
  missing: () => '',
  empty: () => 'Host:\r\n',
  two: (port) => `Host: 127.0.0.1:${port}\r\nHost: 127.0.0.1:${port}\r\n`,
  'upper case': (port) => `Host: LOCALHOST:${port}\r\n`,
  'trailing dot': (port) => `Host: 127.0.0.1.:${port}\r\n`,
  'other port': (port) => `Host: 127.0.0.1:${port + 1}\r\n`,
  'no port': () => 'Host: 127.0.0.1\r\n',
  'user info': (port) => `Host: a@127.0.0.1:${port}\r\n`,
  'short form': (port) => `Host: 127.1:${port}\r\n`,
  'IPv6 loopback': (port) => `Host: [::1]:${port}\r\n`,
  'any address': (port) => `Host: 0.0.0.0:${port}\r\n`,
  'rebound name': (port) => `Host: evil.example:${port}\r\n`,
};
const SURFACES: Record<string, readonly [string, string]> = {
  shell: ['GET / HTTP/1.1', ''],
  static: ['GET /assets/app-1a2b.js HTTP/1.1', ''],
  'API read': ['GET /api/events HTTP/1.1', ''],
  'API call': [
    'POST /api/call/settings/get HTTP/1.1',
    'Content-Type: application/json\r\nContent-Length: 4\r\n',
  ],
  'unknown path': ['GET /nowhere HTTP/1.1', ''],
  upgrade: ['GET /api/events HTTP/1.1', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'],
};

describe('W-02: the Host line', () => {
  const send = (surface: string, host: string) => {
    const [line, extra] = SURFACES[surface]!;
    const head =
      `${line}\r\n${host}Origin: ${running.origin}\r\nCookie: ${session.cookie}\r\n` +
      `X-Channelscope-Session: ${session.token}\r\n${extra}\r\n`;
    return sendRaw(running.server.port, `${head}${line.startsWith('POST') ? 'null' : ''}`);
  };
  beforeEach(() => {
    running.core.asked.length = 0;
  });

  for (const surface of Object.keys(SURFACES)) {
    it.each(Object.entries(HOSTS))(`refuses on ${surface}: %s`, async (_form, toHost) => {
      const answer = await send(surface, toHost(running.server.port));
      expect(answer.status).toBe(421);
      expect(answer.head).not.toContain('set-cookie');
      expect(answer.head).toContain("default-src 'none'");
      expect(answer.body).not.toContain('shell');
      expect(running.core.asked).toEqual([]);
    });
  }

  it.each([
    ['shell', 200],
    ['static', 200],
    ['API call', 200],
    ['unknown path', 404],
  ])('serves on %s, for the right Host, with %i', async (surface, status) => {
    const host = `Host: 127.0.0.1:${running.server.port}\r\nConnection: close\r\n`;
    expect((await send(surface, host)).status).toBe(status);
    expect(running.core.asked.map(({ name }) => name)).toEqual(
      surface === 'API call' ? ['settings/get'] : [],
    );
  });
});

describe('W-02: a client that waits before it sends its body', () => {
  const send = (host: string, expectation: string) =>
    sendRaw(
      running.server.port,
      `POST /api/call/settings/get HTTP/1.1\r\n${host}Origin: ${running.origin}\r\nCookie: ${session.cookie}\r\n` +
        `X-Channelscope-Session: ${session.token}\r\nContent-Type: application/json\r\nContent-Length: 4\r\n` +
        `Connection: close\r\nExpect: ${expectation}\r\n\r\nnull`,
    );

  it.each(['100-continue', 'a-miracle'])(
    'a foreign Host that expects %s gets nothing but 421',
    async (wish) => {
      const { text } = await send('Host: evil.example\r\n', wish);
      expect(text).toMatch(/^HTTP\/1\.1 421 /u);
      expect(text).not.toMatch(/ 100 | 417 /u);
    },
  );

  it('the right Host is told to go on, and refused any other expectation', async () => {
    const host = `Host: 127.0.0.1:${running.server.port}\r\n`;
    expect((await send(host, '100-continue')).text).toMatch(
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /u,
    );
    const refused = await send(host, 'a-miracle');
    expect(refused.status).toBe(417);
    expect(refused.head).toContain("default-src 'none'");
  });
});

describe('W-02: the request line', () => {
  it.each([
    ['absolute form', (origin: string) => `GET ${origin}/ HTTP/1.1`],
    ['two slashes', () => 'GET //evil.example/ HTTP/1.1'],
    ['backslash', () => 'GET /\\evil HTTP/1.1'],
    ['fragment', () => 'GET /#x HTTP/1.1'],
    ['HTTP/1.0', () => 'GET / HTTP/1.0'],
    ['asterisk', () => 'OPTIONS * HTTP/1.1'],
  ])('refuses %s', async (_name, toLine) => {
    const { port } = running.server;
    const answer = await sendRaw(
      port,
      `${toLine(running.origin)}\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer.status).toBe(400);
  });
});
