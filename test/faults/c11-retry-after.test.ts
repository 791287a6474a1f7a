import { describe, expect, it } from 'vitest';
import type { Answer } from '../support/network/fault-server.ts';
import {
  catchError,
  countReports,
  createTestClient,
  firstPage,
  sendStatus,
  startReports,
} from './client/client-rig.ts';

const limit =
  (retryAfter: string, status = 429): Answer =>
  (_request, response) =>
    sendStatus(response, status, { 'retry-after': retryAfter });
const inTenSeconds = (): string => new Date(Date.now() + 10_500).toUTCString();

describe('C11: Retry-After', () => {
  it.each([
    ['0', 250],
    ['5', 5000],
    ['120', 120_000],
    ['-1', 250],
    ['abc', 250],
    ['1e3', 250],
    ['5, 10', 250],
    ['Fri, 01 Jan 2021 00:00:00 GMT', 250],
  ])('C11: %s', async (retryAfter, expectedMs) => {
    const server = await startReports(limit(retryAfter));
    const { client, waitedMs } = createTestClient(server.address);
    await client.fetchPage(firstPage);
    expect(waitedMs).toEqual([expectedMs]);
  });

  it('C11: given twice is not believed', async () => {
    const server = await startReports((_request, response) => {
      response.writeHead(429, [
        ['retry-after', '5'],
        ['retry-after', '86400'],
      ]);
      response.end();
    });
    const { client, waitedMs } = createTestClient(server.address);
    await client.fetchPage(firstPage);
    expect(waitedMs).toEqual([250]);
  });

  it('C11: as a date ahead is seen from the clock of the service', async () => {
    const server = await startReports((request, response) => limit(inTenSeconds(), 503)(request, response));
    const { client, waitedMs } = createTestClient(server.address);
    const retries: number[] = [];
    await client.fetchPage(firstPage, { onRetry: (retryAtMs) => void retries.push(retryAtMs) });
    expect(waitedMs[0]).toBeGreaterThan(7000);
    expect(waitedMs[0]).toBeLessThan(13_000);
    expect(retries).toHaveLength(1);
  });

  it.each(['121', '86400'])('C11: of %s s is reported at once', async (retryAfter) => {
    const server = await startReports(limit(retryAfter), limit(retryAfter));
    const { client, waitedMs } = createTestClient(server.address);
    const error = await catchError(client.fetchPage(firstPage));
    expect(error.code).toBe('client.rate-limited');
    expect(error.details['retryAfterMs']).toBe(Number(retryAfter) * 1000);
    expect(waitedMs).toEqual([]);
  });

  it.each([429, 503])(
    "C11: a short fault within the service's own pauses never fails a first page: %i",
    async (status) => {
      const server = await startReports(...Array.from({ length: 9 }, () => limit('4', status)));
      const { client, waitedMs } = createTestClient(server.address);
      await client.fetchPage(firstPage);
      expect(waitedMs.length).toBeGreaterThanOrEqual(9);
      expect(waitedMs.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(120_000);
    },
  );

  it('C11: pauses of more than 120 s altogether are not waited for', async () => {
    const server = await startReports(...Array.from({ length: 9 }, () => limit('50')));
    const { client, waitedMs } = createTestClient(server.address);
    expect((await catchError(client.fetchPage(firstPage))).code).toBe('client.rate-limited');
    expect(waitedMs).toEqual([50_000, 50_000]);
  });

  it('C11: of 0 for ever is no reason to ask in a loop', async () => {
    const server = await startReports(...Array.from({ length: 500 }, () => limit('0')));
    const { client } = createTestClient(server.address);
    for (let call = 0; call < 50; call += 1) await catchError(client.fetchPage(firstPage));
    expect(countReports(server)).toBeLessThan(50 + 20);
  });
});
