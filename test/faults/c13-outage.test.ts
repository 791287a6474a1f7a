import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createDocument, toNewSnapshot } from '../integration/cache/cache-fixture.ts';
import { sendJson, toEnvelope, type Answer, type FaultServer } from '../support/network/fault-server.ts';
import { createSkipClock } from '../support/fakes/skip-clock.ts';
import { createDirectDownloads } from './direct-downloads.ts';
import {
  catchError,
  countReports,
  createTestClient,
  firstPage,
  pageBody,
  sendStatus,
  startServer,
  withToken,
} from './client/client-rig.ts';
import { serviceFetch } from '../support/electron/service-fetch.ts';

const start = (answer: Answer): Promise<FaultServer> => startServer(withToken(answer));
const unavailable: Answer = (_request, response) => sendStatus(response, 503);

const period = toNewSnapshot().period;

/** A page and the last page; between them the service is away for a while of the client's own time. */
async function startOutage(lastsMs: number, away: Answer = unavailable) {
  const clock = createSkipClock();
  let endsAtMs = Infinity;
  const server = await start((request, response) => {
    const isFirst = request.body.includes('"lastDocument":""');
    if (isFirst) {
      endsAtMs = clock.now() + lastsMs;
      sendJson(response, toEnvelope([createDocument(0)], { totalDocument: 2, lastDocument: 'next' }));
      return undefined;
    }
    if (clock.now() < endsAtMs) return away(request, response);
    sendJson(response, toEnvelope([createDocument(1)], { totalDocument: 2 }));
    return undefined;
  });
  return { server, clock, hasEnded: () => clock.now() >= endsAtMs };
}

describe('C13: a download', () => {
  it('C13: outlasts a service that is away for two minutes, with few requests', async () => {
    const { server, clock } = await startOutage(120_000);
    const rig = await createDirectDownloads(server.address, {}, clock);
    const snapshot = await rig.download('inbound-detail', period);
    expect(snapshot).toMatchObject({ state: 'complete', recordCount: 2, pageCount: 2 });
    expect(countReports(server)).toBeLessThanOrEqual(20);
  });

  it('C13: outlasts a network that is gone for an hour', async () => {
    const { server, clock, hasEnded } = await startOutage(3_600_000);
    const fetch: typeof globalThis.fetch = (...input) =>
      server.requests.length < 2 || hasEnded()
        ? serviceFetch(...input)
        : Promise.reject(
            new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ENETUNREACH' }) }),
          );
    const rig = await createDirectDownloads(server.address, { fetch }, clock);
    expect(await rig.download('inbound-detail', period)).toMatchObject({ state: 'complete', recordCount: 2 });
  });

  it('C13: equals the records of a quiet service when every third call fails', async () => {
    let count = 0;
    const documents = Array.from({ length: 2000 }, (_entry, index) => createDocument(index));
    const server = await start((request, response) => {
      count += 1;
      if (count % 3 === 0) {
        sendStatus(response, 500);
        return;
      }
      const { lastDocument, size } = JSON.parse(request.body) as { lastDocument: string; size: number };
      const from = Number(lastDocument);
      const to = from + Math.min(size, 20);
      const more = { totalDocument: documents.length, lastDocument: to < documents.length ? String(to) : '' };
      sendJson(response, toEnvelope(documents.slice(from, to), more));
    });
    const rig = await createDirectDownloads(server.address);
    const snapshot = await rig.download('inbound-detail', period);
    expect(snapshot).toMatchObject({ state: 'complete', recordCount: 2000 });
    expect(await rig.readPayloads(snapshot.id)).toEqual(documents.map(({ Payload }) => Payload));

    const attempts = rig.lines
      .filter(({ event }) => event === 'call completed')
      .map(({ atMs, fields }) => ({
        sentAtMs: atMs - Number(fields['durationMs']),
        isRepeat: Number(fields['attempt']) > 1,
      }));
    expect(attempts.length).toBeGreaterThan(140);
    const shares = attempts.flatMap(({ sentAtMs, isRepeat }, index) => {
      const minute = attempts.slice(0, index + 1).filter((entry) => entry.sentAtMs > sentAtMs - 60_000);
      if (!isRepeat || minute.length <= 20) return [];
      return [minute.filter((entry) => entry.isRepeat).length / minute.length];
    });
    expect(shares.length).toBeGreaterThan(0);
    expect(Math.max(...shares)).toBeLessThanOrEqual(0.1);
  });

  it('C13: responses that are slow every other time are waited for', async () => {
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
});

describe('H-06: a caller', () => {
  it('is refused at once, without a request, for 30 s after five failures in a row', async () => {
    const clock = createSkipClock();
    const endsAtMs = clock.now() + 20_000;
    const server = await start((request, response) =>
      clock.now() < endsAtMs ? unavailable(request, response) : sendJson(response, pageBody),
    );
    const { client } = createTestClient(server.address, { clock });
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

  it('is given the error itself once the budget of repeats is spent', async () => {
    const server = await start((_request, response) => sendStatus(response, 500, { 'x-a': 'b' }));
    const { client, waitedMs } = createTestClient(server.address);
    await Promise.all(Array.from({ length: 25 }, () => catchError(client.fetchStatus())));
    expect(waitedMs.length).toBeLessThan(25);
  });
});
