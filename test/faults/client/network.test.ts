import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sendJson, startFaultServer, type Answer } from '../../support/network/fault-server.ts';
import {
  catchError,
  countReports,
  createTestClient,
  firstPage,
  pageBody,
  sendStatus,
  startServer,
  startSocketServer,
  withToken,
} from './client-rig.ts';

describe('connections that fail', () => {
  it('nothing listens', async () => {
    const server = await startFaultServer(() => undefined);
    await server.close();
    const { client, waitedMs } = createTestClient(server.address);
    expect((await catchError(client.fetchPage(firstPage))).code).toBe('client.refused-connection');
    expect(waitedMs).toHaveLength(2);
  });
  it('a server that does not speak HTTP', async () => {
    const server = await startSocketServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
    expect((await catchError(createTestClient(server.address).client.createToken())).code).toBe(
      'client.unreachable',
    );
  });
});

describe('cancelling', () => {
  const body: Answer = (_request, response) => {
    response.writeHead(200);
    response.write('{');
  };
  it.each<[string, Answer]>([
    ['before the headers', () => undefined],
    ['in the body', body],
    ['in a wait', (_request, response) => sendStatus(response, 503, { 'retry-after': '60' })],
  ])('%s ends a call at once', { timeout: 10_000 }, async (_name, fault) => {
    const server = await startServer(withToken(fault));
    const clock = {
      now: () => Date.now(),
      sleep: async (ms: number, signal: AbortSignal | undefined) => {
        await sleep(ms, undefined, { signal });
      },
    };
    const { client } = createTestClient(server.address, { clock });
    const controller = new AbortController();
    const call = catchError(client.fetchPage(firstPage, { signal: controller.signal }));
    await expect.poll(() => countReports(server)).toBe(1);
    await sleep(50);
    controller.abort();
    // Otherwise it would go on for as long as its limits allow.
    expect((await call).code).toBe('app.cancelled');
  });
  it('before the call sends nothing', async () => {
    const server = await startServer(withToken((_request, response) => sendJson(response, pageBody)));
    const { client } = createTestClient(server.address);
    await client.createToken();
    expect((await catchError(client.fetchPage(firstPage, { signal: AbortSignal.abort() }))).code).toBe(
      'app.cancelled',
    );
    expect(countReports(server)).toBe(0);
  });
});

it('H-14: at most eight calls are under way at once', async () => {
  let most = 0;
  const held: (() => void)[] = [];
  let release: NodeJS.Timeout | undefined;
  const server = await startServer(
    withToken(async (_request, response) => {
      // All that may be under way are, once no further one comes.
      await new Promise<void>((resolve) => {
        most = Math.max(most, held.push(resolve));
        clearTimeout(release);
        release = setTimeout(() => {
          for (const resume of held.splice(0)) resume();
        }, 200);
      });
      sendJson(response, pageBody);
    }),
  );
  const { client } = createTestClient(server.address);
  await Promise.all(Array.from({ length: 30 }, () => client.fetchPage(firstPage)));
  // Chromium's network code opens six connections to a host.
  expect([6, 8]).toContain(most);
});

it('H-14: a thousand calls may wait, not more', async () => {
  const server = await startServer(withToken(() => undefined));
  const { client } = createTestClient(server.address);
  await client.createToken();
  const controller = new AbortController();
  const { signal } = controller;
  const waiting = Array.from({ length: 1008 }, () => catchError(client.fetchPage(firstPage, { signal })));
  expect((await catchError(client.fetchPage(firstPage, { signal }))).code).toBe('client.queue-full');
  controller.abort();
  expect(new Set((await Promise.all(waiting)).map(({ code }) => code))).toEqual(new Set(['app.cancelled']));
});
