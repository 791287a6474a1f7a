import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { proveHost, createWebBackend } from '../../src-renderer/backend/web-backend.ts';
import { launch, startTestServer, type TestServer } from '../support/application/web-server.ts';
import { isPosix } from '../support/skips/posix.ts';

const ANSWERS = { 'tasks/list': () => [] };

let dataFolder: string;
let running: TestServer;
const restart = async (): Promise<void> => {
  await running.stop();
  running = await startTestServer(ANSWERS, { dataFolder });
};
beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'channelscope-restart-'));
  running = await startTestServer(ANSWERS, { dataFolder });
});
afterEach(async () => {
  await running.stop();
  await rm(dataFolder, { recursive: true, force: true, maxRetries: 5 });
});

/** A page that was opened before, with everything it sends. */
async function openPage() {
  const session = await launch(running);
  const { origin } = running;
  const doubts: boolean[] = [];
  const ending = new AbortController();
  const lost = vi.fn();
  const fetchAsPage: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('origin', origin);
    // As a browser does, which keeps the cookie for its place.
    if (init?.credentials !== 'omit') headers.set('cookie', session.cookie);
    return fetch(input, { ...init, headers });
  };
  const backend = createWebBackend({
    fetch: fetchAsPage,
    origin,
    token: session.token,
    onSessionLost: lost,
    proveHost: () => proveHost({ fetch: fetchAsPage, origin, token: session.token }),
    onDoubt: (isDoubted) => doubts.push(isDoubted),
    signal: ending.signal,
  });
  const hosts: boolean[] = [];
  backend.watchHost?.((isThere) => hosts.push(isThere));
  backend.on('tasks/changed', () => undefined);
  expect(await backend.call('tasks/list', null)).toEqual([]);
  return { session, origin, doubts, hosts, lost, backend, end: () => ending.abort() };
}

describe('a page whose host is started again', () => {
  it('goes on with its session, at the same place', async () => {
    const page = await openPage();
    await restart();
    expect(running.origin).toBe(page.origin);
    await vi.waitFor(() => expect(page.hosts).toContain(true), { timeout: 20_000 });
    expect(await page.backend.call('tasks/list', null)).toEqual([]);
    expect(page.doubts.slice(0, 2)).toEqual([true, false]);
    expect(page.lost).not.toHaveBeenCalled();
    page.end();
  });

  it('has no session any more where it was ended, or is over', async () => {
    const page = await openPage();
    await fetch(`${running.origin}/api/logout`, { method: 'POST', headers: page.session.headers });
    await restart();
    await vi.waitFor(() => expect(page.lost).toHaveBeenCalled(), { timeout: 20_000 });
    page.end();
  });

  it('tells neither its token nor its cookie to another program that took the place', async () => {
    const page = await openPage();
    const { port } = running.server;
    await running.stop();
    const seen: string[] = [];
    const impostor = createServer((request, response) => {
      seen.push(JSON.stringify(request.headers));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"proof":"guessed"}');
    });
    await new Promise<void>((resolve) => impostor.listen(port, '127.0.0.1', resolve));
    await vi.waitFor(() => expect(page.lost).toHaveBeenCalled(), { timeout: 20_000 });
    await expect(page.backend.call('tasks/list', null)).rejects.toMatchObject({ code: 'app.host-gone' });
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.join()).not.toContain(page.session.token);
    expect(seen.join()).not.toContain(page.session.cookie);
    page.end();
    await new Promise((resolve) => impostor.close(resolve));
  });

  it('has no session at another place, which the host takes where its own is not free', async () => {
    const page = await openPage();
    const { port } = running.server;
    await running.stop();
    const other = createServer((_request, response) => response.writeHead(503).end());
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    running = await startTestServer(ANSWERS, { dataFolder });
    expect(running.server.port).not.toBe(port);
    const moved = await fetch(`${running.origin}/api/call/tasks/list`, {
      method: 'POST',
      headers: { ...page.session.headers, origin: running.origin, 'content-type': 'application/json' },
      body: 'null',
    });
    expect(moved.status).toBe(401);
    page.end();
    await new Promise((resolve) => other.close(resolve));
  });
});

describe('what is kept of sessions', () => {
  it('is for its owner only, and opens nothing', async () => {
    const { token, cookie } = await launch(running);
    await running.server.stop();
    const path = join(dataFolder, 'web.json');
    const text = await readFile(path, 'utf8');
    expect(text).toContain('headerDigest');
    expect(text).not.toContain(token);
    expect(text).not.toContain(cookie.split('=')[1]);
    if (isPosix) expect((await stat(path)).mode & 0o777).toBe(0o600);
  });
});
