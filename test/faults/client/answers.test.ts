import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { readPage } from '../../../src-main/common/reporting/read-page.ts';
import { sendJson, startFaultServer, type Answer, type FaultServer } from '../../support/fault-server.ts';
import {
  catchError,
  createTestClient,
  firstPage,
  isTokenRequest,
  pageBody,
  sendStatus,
  withToken,
} from './client-rig.ts';

const servers: FaultServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
async function start(answer: Answer): Promise<FaultServer> {
  const server = await startFaultServer(answer);
  servers.push(server);
  return server;
}
/** The first answers are the test's, in order; then a page. */
function inOrder(...answers: Answer[]): Answer {
  let count = 0;
  return withToken((request, response) => {
    const answer = answers[count];
    count += 1;
    if (answer === undefined) sendJson(response, pageBody);
    else return answer(request, response);
    return undefined;
  });
}
const status =
  (code: number, headers?: Record<string, string>): Answer =>
  (_request, response) =>
    sendStatus(response, code, headers);

describe('a page', () => {
  it('is one buffer with its times, and reads as a page', async () => {
    const { address } = await start(inOrder());
    const answer = await createTestClient(address).client.fetchPage(firstPage);
    expect(answer.bytes).toBeInstanceOf(ArrayBuffer);
    expect(answer.status).toBe(200);
    expect(answer.receivedAtMs).toBeGreaterThanOrEqual(answer.requestedAtMs);
    expect(Math.abs(answer.serverTimeMs! - answer.receivedAtMs)).toBeLessThan(60_000);
    const page = readPage(new Uint8Array(answer.bytes), { report: 'inbound-detail', zone: 'UTC' });
    expect(page.recordCount).toBe(1);
  });
  it('decision 17: is handed over whatever its content type, packed or not', async () => {
    const { address } = await start(
      withToken((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' });
        response.end(gzipSync(JSON.stringify(pageBody)));
      }),
    );
    const answer = await createTestClient(address).client.fetchPage(firstPage);
    expect(JSON.parse(new TextDecoder().decode(answer.bytes))).toEqual(pageBody);
  });
  it('decision 7: is refused over the limit of its decoded bytes', async () => {
    const { address, requests } = await start(
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
  it('C04: a packed body that grows by more than a hundred is refused before it fills the memory', async () => {
    const packed = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
    const { address } = await start(
      withToken((_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': packed.length });
        response.end(packed);
      }),
    );
    expect((await catchError(createTestClient(address).client.fetchPage(firstPage))).code).toBe(
      'client.too-large',
    );
  });
});

describe('decision 18: the status request', () => {
  it('decision 18: has no body', async () => {
    const { address, requests } = await start(
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
  it.each([400, 411, 415])('decision 18: after %i it tries once with {} and remembers', async (code) => {
    const { address, requests } = await start(
      withToken((request, response) =>
        request.body === '{}' ? sendJson(response, { Status: 'up' }) : sendStatus(response, code),
      ),
    );
    const { client } = createTestClient(address);
    await client.fetchStatus();
    await client.fetchStatus();
    expect(requests.slice(1).map(({ body }) => body)).toEqual(['', '{}', '{}']);
  });
  it('decision 18: does not try again and again', async () => {
    const { address, requests } = await start(withToken((_request, response) => sendStatus(response, 400)));
    const error = await catchError(createTestClient(address).client.fetchStatus());
    expect(error).toMatchObject({ code: 'client.invalid-request', details: { status: 400 } });
    expect(requests).toHaveLength(3);
  });
});

describe('decision 31: statuses', () => {
  it.each([
    [400, 'client.invalid-request'],
    [403, 'client.forbidden'],
    [404, 'client.not-found'],
    [405, 'client.http-status'],
    [409, 'client.http-status'],
    [413, 'client.http-status'],
    [422, 'client.invalid-request'],
    [501, 'client.server-error'],
  ])('decision 31: %i is %s, asked once', async (code, expected) => {
    const { address, requests } = await start(withToken((_request, response) => sendStatus(response, code)));
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
  ])('decision 31: %i is tried three times', async (code, expected) => {
    const { address, requests } = await start(withToken((_request, response) => sendStatus(response, code)));
    const { client, waitedMs } = createTestClient(address);
    expect((await catchError(client.fetchPage(firstPage))).code).toBe(expected);
    expect(requests.filter((request) => !isTokenRequest(request))).toHaveLength(3);
    expect(waitedMs).toEqual([250, 500]);
  });
  it('decision 19 and 31: an unknown status is shown as it is, its body cut at 64 KB', async () => {
    const { address } = await start(
      withToken((_request, response) => {
        response.writeHead(418);
        response.end('x'.repeat(1_000_000));
      }),
    );
    const error = await catchError(createTestClient(address).client.fetchPage(firstPage));
    expect(error).toMatchObject({ code: 'client.http-status', details: { status: 418 } });
    expect(error.details['body']).toHaveLength(64 * 1024);
  });
  it.each([400, 404, 409, 422])('decision 6: isValid false with status %i is a refusal', async (code) => {
    const body = { isValid: false, errors: [{ field: 'endDate', message: 'is before startDate' }] };
    const { address } = await start(withToken((_request, response) => sendJson(response, body, code)));
    const error = await catchError(createTestClient(address).client.fetchPage(firstPage));
    expect(error).toMatchObject({
      code: 'client.invalid-request',
      details: { status: code, body: 'endDate: is before startDate', field: 'endDate' },
    });
  });
});

describe('decision 24: waiting', () => {
  const inTenSeconds = (): string => new Date(Date.now() + 10_500).toUTCString();
  it.each([
    ['0', 0],
    ['5', 5000],
    ['-1', 250],
    ['abc', 250],
    ['5, 10', 250],
    ['Fri, 01 Jan 2021 00:00:00 GMT', 250],
  ])('decision 24: Retry-After %s', async (retryAfter, expectedMs) => {
    const { address } = await start(inOrder(status(429, { 'retry-after': retryAfter })));
    const { client, waitedMs } = createTestClient(address);
    await client.fetchPage(firstPage);
    expect(waitedMs).toEqual([expectedMs]);
  });
  it('decision 24: Retry-After as a date', async () => {
    const { address } = await start(
      inOrder((_request, response) => sendStatus(response, 503, { 'retry-after': inTenSeconds() })),
    );
    const { client, waitedMs } = createTestClient(address);
    const retries: number[] = [];
    await client.fetchPage(firstPage, { onRetry: (retryAtMs) => void retries.push(retryAtMs) });
    expect(waitedMs[0]).toBeGreaterThan(7000);
    expect(waitedMs[0]).toBeLessThan(13_000);
    expect(retries).toHaveLength(1);
  });
  it('decision 24: a wait of a day is told, not waited for', async () => {
    const { address } = await start(inOrder(status(429, { 'retry-after': '86400' })));
    const { client, waitedMs } = createTestClient(address);
    const error = await catchError(client.fetchPage(firstPage));
    expect(error).toMatchObject({ code: 'client.rate-limited', details: { retryAfterMs: 86_400_000 } });
    expect(waitedMs).toEqual([]);
  });
  it('decision 24: CreateToken is not asked again before its Retry-After', async () => {
    const { address, requests } = await start((_request, response) =>
      sendStatus(response, 429, { 'retry-after': '60' }),
    );
    const { client } = createTestClient(address);
    await catchError(client.fetchPage(firstPage));
    expect((await catchError(client.fetchPage(firstPage))).code).toBe('client.rate-limited');
    expect(requests).toHaveLength(1);
  });
  it('draws its own waits from the whole range', async () => {
    const { address } = await start(inOrder(status(503), status(503)));
    const { client, waitedMs } = createTestClient(address, { random: () => 0.999 });
    await client.fetchPage(firstPage);
    expect(waitedMs).toEqual([500, 999]);
  });
});

describe('decision 29: redirects', () => {
  it.each([301, 302, 303, 307, 308])(
    'decision 29: %i is told with its target, never followed',
    async (code) => {
      const second = await start((_request, response) => sendJson(response, pageBody));
      const { address, requests } = await start(
        inOrder(status(code, { location: `${second.address}/elsewhere` })),
      );
      const error = await catchError(createTestClient(address).client.fetchPage(firstPage));
      expect(error).toMatchObject({
        code: 'client.redirected',
        details: { status: code, location: `${second.address}/elsewhere` },
      });
      expect(second.requests).toHaveLength(0);
      expect(requests).toHaveLength(2);
    },
  );
  it.each(['file:///etc/passwd', 'http://169.254.169.254/', '/relative'])(
    'decision 29: to %s, with the credentials in the body',
    async (location) => {
      const { address, requests } = await start((_request, response) =>
        sendStatus(response, 307, { location }),
      );
      const error = await catchError(createTestClient(address).client.createToken());
      expect(error.details['location']).toBe(location === '/relative' ? `${address}/relative` : location);
      expect(requests).toHaveLength(1);
    },
  );
});
