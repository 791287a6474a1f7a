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
  running = await startTestServer({ 'tasks/list': () => [] });
  session = await launch(running);
});
beforeEach(() => {
  running.core.asked.length = 0;
});
afterAll(() => running.stop());

/** Asks for a call, or for a path that only reads, with the given header lines. */
function ask(extra: string, surface: 'call' | 'logout' | 'events' | 'export') {
  const { port } = running.server;
  const line = {
    call: 'POST /api/call/tasks/list',
    logout: 'POST /api/logout',
    events: 'GET /api/events',
    export: 'GET /api/exports/none',
  }[surface];
  return sendRaw(
    port,
    `${line} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\nCookie: ${session.cookie}\r\n` +
      `X-Channelscope-Session: ${session.token}\r\n${extra}` +
      `Content-Type: application/json\r\nContent-Length: 4\r\n\r\nnull`,
  );
}

const FOREIGN: Record<string, (port: number) => string> = {
  null: () => 'Origin: null\r\n',
  'other port': (port) => `Origin: http://127.0.0.1:${port + 1}\r\n`,
  'other scheme': (port) => `Origin: https://127.0.0.1:${port}\r\n`,
  suffix: (port) => `Origin: http://127.0.0.1:${port}.evil.example\r\n`,
  'upper case': (port) => `Origin: HTTP://127.0.0.1:${port}\r\n`,
  'IPv6 loopback': (port) => `Origin: http://[::1]:${port}\r\n`,
  localhost: (port) => `Origin: http://localhost:${port}\r\n`,
  two: (port) => `Origin: http://127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\n`,
  'trailing slash': (port) => `Origin: http://127.0.0.1:${port}/\r\n`,
};

describe('W-09: Origin', () => {
  for (const surface of ['call', 'logout', 'events', 'export'] as const) {
    it.each(Object.entries(FOREIGN))(`refuses on ${surface}: %s`, async (_form, toHeader) => {
      expect((await ask(toHeader(running.server.port), surface)).status).toBe(403);
      expect(running.core.asked).toEqual([]);
    });
  }

  it('refuses a call without an Origin, and serves one with ours', async () => {
    expect((await ask('', 'call')).status).toBe(403);
    expect((await ask('', 'logout')).status).toBe(403);
    const answer = await ask(`Origin: ${running.origin}\r\n`, 'call');
    expect(answer.status).toBe(200);
    expect(answer.body).toContain('"ok":true');
  });

  it.each(['same-site', 'cross-site', 'none'])('refuses a call from a page that is %s', async (site) => {
    expect((await ask(`Origin: ${running.origin}\r\nSec-Fetch-Site: ${site}\r\n`, 'call')).status).toBe(403);
  });
});

describe('other ways in', () => {
  it('W-10: never responds with a CORS header, and refuses OPTIONS', async () => {
    const answer = await fetch(`${running.origin}/api/call/tasks/list`, {
      method: 'OPTIONS',
      headers: { origin: 'http://evil.example', 'access-control-request-method': 'POST' },
    });
    expect(answer.status).toBe(405);
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/json-patch',
  ])('W-11: refuses a body of %s', async (type) => {
    const answer = await fetch(`${running.origin}/api/call/tasks/list`, {
      method: 'POST',
      headers: { ...session.headers, 'content-type': type },
      body: 'null',
    });
    expect(answer.status).toBe(415);
  });

  it('I-02: refuses a body of more than a mebibyte', async () => {
    const answer = await fetch(`${running.origin}/api/call/tasks/list`, {
      method: 'POST',
      headers: { ...session.headers, 'content-type': 'application/json' },
      body: `"${'x'.repeat(1024 * 1024)}"`,
    });
    expect(answer.status).toBe(413);
  });

  it('W-12: changes nothing on a read', async () => {
    const answer = await fetch(`${running.origin}/api/call/tasks/list`, { headers: session.headers });
    expect(answer.status).toBe(405);
    expect(running.core.asked).toEqual([]);
  });
});
