import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readPage } from '../../../src-main/common/reporting/reading/read-page.ts';
import { sendJson, type Answer } from '../../support/network/fault-server.ts';
import {
  catchError,
  createTestClient,
  firstPage,
  isTokenRequest,
  pageBody,
  sendStatus,
  startReports,
  startServer,
  withToken,
} from './client-rig.ts';

const status =
  (code: number, headers?: Record<string, string>): Answer =>
  (_request, response) =>
    sendStatus(response, code, headers);

describe('a page', () => {
  it('is one buffer with its times, and reads as a page', async () => {
    const { address } = await startReports();
    const answer = await createTestClient(address).client.fetchPage(firstPage);
    expect(answer.bytes).toBeInstanceOf(ArrayBuffer);
    expect(answer.status).toBe(200);
    expect(answer.receivedAtMs).toBeGreaterThanOrEqual(answer.requestedAtMs);
    expect(Math.abs(answer.serverTimeMs! - answer.receivedAtMs)).toBeLessThan(60_000);
    const page = readPage(new Uint8Array(answer.bytes), { report: 'inbound-detail', zone: 'UTC' });
    expect(page.recordCount).toBe(1);
  });
  it('decision 17, client: is handed over whatever its content type, packed or not', async () => {
    const { address } = await startServer(
      withToken((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' });
        response.end(gzipSync(JSON.stringify(pageBody)));
      }),
    );
    const answer = await createTestClient(address).client.fetchPage(firstPage);
    expect(JSON.parse(new TextDecoder().decode(answer.bytes))).toEqual(pageBody);
  });
  it('decision 7, client: is refused over the limit of its decoded bytes', async () => {
    const { address, requests } = await startServer(
      withToken((_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.end(gzipSync(Buffer.alloc(3_000_000, ' ')));
      }),
    );
    const { client } = createTestClient(address, { pageLimitBytes: 1_000_000 });
    const error = await catchError(client.fetchPage(firstPage));
    expect(error).toMatchObject({ code: 'client.too-large', details: { limitBytes: 1_000_000 } });
    expect(requests).toHaveLength(2);
  });
});

describe('decision 18, client: the status request', () => {
  it('decision 18, client: has no body', async () => {
    const { address, requests } = await startServer(
      withToken((_request, response) => sendJson(response, { Status: 'UP' })),
    );
    const { reading, roundTripMs } = await createTestClient(address).client.fetchStatus();
    expect(reading.platform).toBe('up');
    expect(roundTripMs).toBeGreaterThanOrEqual(0);
    expect(requests[1]).toMatchObject({
      method: 'POST',
      path: '/api/ServiceReporting/Status/1001',
      body: '',
    });
    expect(requests[1]!.headers['content-type']).toBeUndefined();
  });
  it.each([400, 411, 415])(
    'decision 18, client: after %i it tries once with {} and remembers',
    async (code) => {
      const { address, requests } = await startServer(
        withToken((request, response) =>
          request.body === '{}' ? sendJson(response, { Status: 'up' }) : sendStatus(response, code),
        ),
      );
      const { client } = createTestClient(address);
      await client.fetchStatus();
      await client.fetchStatus();
      expect(requests.slice(1).map(({ body }) => body)).toEqual(['', '{}', '{}']);
    },
  );
  it('decision 18, client: does not try again and again', async () => {
    const { address, requests } = await startServer(
      withToken((_request, response) => sendStatus(response, 400)),
    );
    const error = await catchError(createTestClient(address).client.fetchStatus());
    expect(error).toMatchObject({ code: 'client.invalid-request', details: { status: 400 } });
    expect(requests).toHaveLength(3);
  });
});

describe('decision 31, client: statuses', () => {
  it.each([
    [400, 'client.invalid-request'],
    [403, 'client.forbidden'],
    [404, 'client.not-found'],
    [405, 'client.http-status'],
    [409, 'client.http-status'],
    [413, 'client.http-status'],
    [422, 'client.invalid-request'],
    [501, 'client.server-error'],
  ])('decision 31, client: %i is %s, asked once', async (code, expected) => {
    const { address, requests } = await startServer(
      withToken((_request, response) => sendStatus(response, code)),
    );
    const { client } = createTestClient(address);
    expect(await catchError(client.fetchPage(firstPage))).toMatchObject({
      code: expected,
      details: { status: code },
    });
    expect(requests.filter((request) => !isTokenRequest(request))).toHaveLength(1);
  });
  it.each([
    [408, 'client.http-status'],
    [425, 'client.http-status'],
    [429, 'client.rate-limited'],
    [500, 'client.server-error'],
    [502, 'client.server-error'],
    [503, 'client.server-error'],
    [504, 'client.server-error'],
  ])('decision 31, client: %i is tried three times', async (code, expected) => {
    const { address, requests } = await startServer(
      withToken((_request, response) => sendStatus(response, code)),
    );
    const { client, waitedMs } = createTestClient(address);
    expect((await catchError(client.fetchPage(firstPage))).code).toBe(expected);
    expect(requests.filter((request) => !isTokenRequest(request))).toHaveLength(3);
    expect(waitedMs).toEqual([250, 500]);
  });
  it('decisions 19 and 31, client: an unknown status is shown as it is, its body cut at 64 KB', async () => {
    const { address } = await startServer(
      withToken((_request, response) => {
        response.writeHead(418);
        response.end('x'.repeat(1_000_000));
      }),
    );
    const error = await catchError(createTestClient(address).client.fetchPage(firstPage));
    expect(error).toMatchObject({ code: 'client.http-status', details: { status: 418 } });
    expect(error.details['body']).toHaveLength(64 * 1024);
  });
  it.each([400, 404, 409, 422])(
    'decision 6, client: isValid false with status %i is a refusal',
    async (code) => {
      const body = { isValid: false, errors: [{ field: 'endDate', message: 'is before startDate' }] };
      const { address } = await startServer(
        withToken((_request, response) => sendJson(response, body, code)),
      );
      const error = await catchError(createTestClient(address).client.fetchPage(firstPage));
      expect(error).toMatchObject({
        code: 'client.invalid-request',
        details: { status: code, body: 'endDate: is before startDate', field: 'endDate' },
      });
    },
  );
});

describe('decision 24, client: waiting', () => {
  it('decision 24, client: obeys Retry-After', async () => {
    const { address } = await startReports(status(429, { 'retry-after': '5' }));
    const { client, waitedMs } = createTestClient(address);
    await client.fetchPage(firstPage);
    expect(waitedMs).toEqual([5000]);
  });
  it('decision 24, client: CreateToken is not asked again before its Retry-After', async () => {
    const { address, requests } = await startServer((_request, response) =>
      sendStatus(response, 429, { 'retry-after': '60' }),
    );
    const { client, waitedMs } = createTestClient(address);
    await catchError(client.fetchPage(firstPage));
    expect((await catchError(client.fetchPage(firstPage))).code).toBe('client.rate-limited');
    expect(waitedMs).toEqual([60_000, 60_000]);
    expect(requests).toHaveLength(3);
  });
  it('draws its own waits from the whole range', async () => {
    const { address } = await startReports(status(503), status(503));
    const { client, waitedMs } = createTestClient(address, { random: () => 0.999 });
    await client.fetchPage(firstPage);
    expect(waitedMs).toEqual([500, 999]);
  });
});

it('decision 29, client: a redirect is reported with its target, never followed', async () => {
  const { address, requests } = await startReports(status(307, { location: '/elsewhere' }));
  const error = await catchError(createTestClient(address).client.fetchPage(firstPage));
  expect(error).toMatchObject({ code: 'client.redirected', details: { location: `${address}/elsewhere` } });
  expect(requests).toHaveLength(2);
});
