import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  launch,
  sendRaw,
  startTestServer,
  type TestServer,
  type TestSession,
} from '../../support/web-server.ts';

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
  for (const [surface, [line, extra]] of Object.entries(SURFACES)) {
    it.each(Object.entries(HOSTS))(`refuses on ${surface}: %s`, async (_form, toHost) => {
      const { port } = running.server;
      const head =
        `${line}\r\n${toHost(port)}Origin: ${running.origin}\r\nCookie: ${session.cookie}\r\n` +
        `X-Channelscope-Session: ${session.token}\r\n${extra}\r\n`;
      const answer = await sendRaw(port, `${head}${line.startsWith('POST') ? 'null' : ''}`);
      expect([400, 421]).toContain(answer.status);
      expect(answer.head).not.toContain('set-cookie');
      expect(answer.head).toContain("default-src 'none'");
      expect(answer.body).not.toContain('shell');
      expect(running.core.asked).toEqual([]);
    });
  }

  it('answers the same surfaces to the right Host', async () => {
    const { port } = running.server;
    const answer = await sendRaw(
      port,
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer.status).toBe(200);
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
