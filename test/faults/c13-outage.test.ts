import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createFastClock } from '../support/fast-clock.ts';
import { sendJson, type Answer, type FaultServer } from '../support/fault-server.ts';
import {
  catchError,
  countReports,
  createTestClient,
  createWaits,
  firstPage,
  pageBody,
  sendStatus,
  startServer,
  withToken,
} from './client/client-rig.ts';

const start = (answer: Answer): Promise<FaultServer> => startServer(withToken(answer));
const unavailable: Answer = (_request, response) => sendStatus(response, 503);
const patienceMs = 300_000;

/** A service that is away for a while of the client's own time. */
async function startOutage(lastsMs: number, { clock, waitedMs } = createWaits()) {
  const endsAtMs = clock.now() + lastsMs;
  const server = await start((request, response) =>
    clock.now() < endsAtMs ? unavailable(request, response) : sendJson(response, pageBody),
  );
  const { client } = createTestClient(server.address, { clock });
  return { server, client, clock, waitedMs };
}

describe('H-06: a service that is away', () => {
  it('C13: for two minutes is outlasted by a page that may wait, with few requests', async () => {
    const { server, client, waitedMs } = await startOutage(120_000);
    const retries: number[] = [];
    const answer = await client.fetchPage(firstPage, {
      patienceMs,
      onRetry: (retryAtMs) => void retries.push(retryAtMs),
    });
    expect(answer.status).toBe(200);
    expect(countReports(server)).toBeLessThanOrEqual(12);
    expect(retries).toHaveLength(waitedMs.length);
  });

  it('is told after the patience is over, with its own words', async () => {
    const { client, waitedMs } = await startOutage(900_000);
    const error = await catchError(client.fetchPage(firstPage, { patienceMs }));
    expect(error).toMatchObject({ code: 'client.server-error', details: { status: 503 } });
    expect(waitedMs.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(patienceMs + 5000);
  });

  it('is not asked by a person for 30 s after five failures, and says so at once', async () => {
    const { server, client, clock } = await startOutage(20_000);
    await catchError(client.fetchStatus());
    expect(await catchError(client.fetchStatus())).toMatchObject({ code: 'client.server-error' });
    expect(countReports(server)).toBe(5);
    expect(await catchError(client.fetchStatus())).toMatchObject({
      code: 'client.circuit-open',
      details: { reason: 'client.server-error' },
    });
    expect(countReports(server)).toBe(5);
    await clock.sleep(30_000, undefined);
    expect((await client.fetchPage(firstPage)).status).toBe(200);
  });

  it('is tried by one call only, however many wait', async () => {
    const clock = createFastClock(200);
    const { server, client } = await startOutage(60_000, { clock, waitedMs: [] });
    await catchError(client.fetchPage(firstPage));
    await catchError(client.fetchPage(firstPage));
    const before = countReports(server);
    const calls = Array.from({ length: 8 }, () => client.fetchPage(firstPage, { patienceMs }));
    const answers = await Promise.all(calls);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(countReports(server) - before).toBeLessThanOrEqual(8 + 3);
  });

  it('C13: a network that is gone is outlasted too', async () => {
    const server = await start((_request, response) => sendJson(response, pageBody));
    const { clock } = createWaits();
    const offUntilMs = clock.now() + 90_000;
    const fetch: typeof globalThis.fetch = (...input) =>
      clock.now() < offUntilMs
        ? Promise.reject(new TypeError('fetch failed', { cause: { code: 'ENETUNREACH' } }))
        : globalThis.fetch(...input);
    const { client } = createTestClient(server.address, { clock, fetch });
    expect((await client.fetchPage(firstPage, { patienceMs })).status).toBe(200);
  });

  it('C13: answers that are slow every other time only take their time', async () => {
    let count = 0;
    const server = await start(async (_request, response) => {
      count += 1;
      if (count % 2 === 0) await sleep(150);
      sendJson(response, pageBody);
    });
    const { client, waitedMs } = createTestClient(server.address, { timeouts: { headersMs: 5000 } });
    const answers = await Promise.all(Array.from({ length: 12 }, () => client.fetchPage(firstPage)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(waitedMs).toEqual([]);
  });

  it('a fault of the page itself is not waited for', async () => {
    const server = await start((_request, response) => sendStatus(response, 500));
    const { client, waitedMs } = createTestClient(server.address);
    expect((await catchError(client.fetchPage(firstPage, { patienceMs }))).details['status']).toBe(500);
    expect(waitedMs).toEqual([250, 500]);
  });
});

describe('H-06: the retry budget', () => {
  it('C13: errors on every third call cost no more than a tenth in repeats', async () => {
    let count = 0;
    const server = await start((_request, response) => {
      count += 1;
      if (count % 3 === 0) sendStatus(response, 500);
      else sendJson(response, pageBody);
    });
    const { clock, waitedMs } = createWaits();
    const { client } = createTestClient(server.address, { clock });
    for (let page = 0; page < 60; page += 1) {
      expect((await client.fetchPage(firstPage, { patienceMs })).status).toBe(200);
    }
    expect(waitedMs.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(60_000);
  });

  it('gives the error itself to a caller who does not wait', async () => {
    const server = await start((_request, response) => sendStatus(response, 500, { 'x-a': 'b' }));
    const { client, waitedMs } = createTestClient(server.address);
    await Promise.all(Array.from({ length: 25 }, () => catchError(client.fetchStatus())));
    expect(waitedMs.length).toBeLessThan(25);
  });
});

it('H-06: every wait ends within 100 ms of cancelling', async () => {
  const server = await start(unavailable);
  const { client } = createTestClient(server.address, {
    clock: createFastClock(1),
    random: () => 0.001,
  });
  await catchError(client.fetchStatus());
  await catchError(client.fetchStatus());
  const controller = new AbortController();
  let cancelledAtMs = 0;
  const call = catchError(
    client.fetchPage(firstPage, {
      patienceMs,
      signal: controller.signal,
      onRetry: () =>
        setTimeout(() => {
          cancelledAtMs = performance.now();
          controller.abort();
        }, 20),
    }),
  );
  expect((await call).code).toBe('app.cancelled');
  expect(performance.now() - cancelledAtMs).toBeLessThan(100);
});
