import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RawSocket } from '../../support/network/raw-socket.ts';
import {
  launch,
  startTestServer,
  type TestServer,
  type TestSession,
} from '../../support/application/web-server.ts';

let running: TestServer;
let session: TestSession;
let crowd: RawSocket[];
let ending: AbortController;

async function openMany(count: number, text: string, reads = true): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const raw = new RawSocket(running.server.port);
    crowd.push(raw);
    await new Promise((resolve) => {
      raw.socket.once('connect', resolve).once('close', resolve);
    });
    if (!reads) raw.socket.pause();
    if (text !== '') raw.write(text);
  }
}

function call(): Promise<Response> {
  return fetch(`${running.origin}/api/call/tasks/list`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close', ...session.headers },
    body: 'null',
  });
}

/** The least of several times in milliseconds: a busy machine makes some calls late, a full host all. */
async function timeFastest(): Promise<number> {
  const timesMs: number[] = [];
  for (let index = 0; index < 5; index += 1) {
    const startedMs = performance.now();
    expect((await call()).status).toBe(200);
    timesMs.push(performance.now() - startedMs);
  }
  return Math.min(...timesMs);
}

/** What a call may take beside a crowd, when it takes `aloneMs` without: far less than until silence is ended. */
const toMost = (aloneMs: number): number => 1_000 + 20 * aloneMs;

const toHead = (line: string, { server } = running): string =>
  `${line} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n`;

describe('a crowd at the door', () => {
  beforeEach(async () => {
    running = await startTestServer({ 'tasks/list': () => [] });
    session = await launch(running);
    crowd = [];
    ending = new AbortController();
  });
  afterEach(async () => {
    ending.abort();
    for (const raw of crowd) raw.socket.destroy();
    await running.stop();
  });

  it('the window is answered beside 1,100 silent sockets and 300 event streams as it is alone', async () => {
    const mostMs = toMost(await timeFastest());
    await openMany(1_100, '');
    const streams = Array.from({ length: 300 }, () =>
      fetch(`${running.origin}/api/events`, { headers: session.headers, signal: ending.signal }).catch(
        () => null,
      ),
    );
    expect(await timeFastest()).toBeLessThan(mostMs);
    const statuses = (await Promise.all(streams)).map((response) => response?.status);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(8);
    expect(await timeFastest()).toBeLessThan(mostMs);
  });

  it('silent sockets are closed, not held for good', async () => {
    await openMany(200, '');
    await Promise.all(crowd.map((raw) => raw.readToEnd()));
    expect((await call()).status).toBe(200);
  });

  it('300 strangers that never read their responses do not shut the window out', async () => {
    // More than the buffers of a connection hold that nobody reads.
    const mostMs = toMost(await timeFastest());
    await writeFile(join(running.folder, 'window/assets/large-1a2b.js'), Buffer.alloc(32 * 1024 * 1024));
    await openMany(300, `${toHead('GET /assets/large-1a2b.js')}\r\n`, false);
    // Until the last of them has its request taken.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await timeFastest()).toBeLessThan(mostMs);
  });
});

// At the same time, as all of it is waiting.
describe.concurrent('a socket that drips', () => {
  let patient: TestServer;
  let proof: string;
  beforeAll(async () => {
    patient = await startTestServer({ 'tasks/list': () => [] });
    const { cookie, token } = await launch(patient);
    proof = `Cookie: ${cookie}\r\nX-Channelscope-Session: ${token}\r\nOrigin: ${patient.origin}\r\n`;
  });
  afterAll(() => patient.stop());

  it.each([
    ['headers', () => toHead('GET /', patient), 'X-Drip: 1\r\n'],
    ['a body', () => `${toHead('GET /', patient)}Content-Length: 50000\r\n\r\n`, 'drip'],
    [
      'a body that is called for',
      () => {
        const line = toHead('POST /api/call/tasks/list', patient);
        return `${line}${proof}Content-Type: application/json\r\nContent-Length: 50000\r\n\r\n`;
      },
      'drip',
    ],
  ])('%s is closed, however long it goes on', async (_name, toStart, drip) => {
    const raw = new RawSocket(patient.server.port);
    raw.write(toStart());
    const timer = setInterval(() => raw.write(drip), 500);
    await raw.readToEnd();
    clearInterval(timer);
    expect(patient.bugs).toEqual([]);
  });
});
