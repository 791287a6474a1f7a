import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src-main/common/contract/errors.ts';
import { sendJson, type Answer } from '../../support/network/fault-server.ts';
import {
  catchError,
  createTestClient,
  firstPage,
  isTokenRequest,
  pageBody,
  sendStatus,
  startServer,
  withToken,
} from './client-rig.ts';

/** A service whose valid token is the newest one. */
function createTokenService(delayMs = 0): Answer {
  let issued = 0;
  return async (request, response) => {
    if (isTokenRequest(request)) {
      await sleep(delayMs);
      issued += 1;
      sendJson(response, { token: `token-${issued}` });
    } else if (issued > 1 && request.headers.authorization === `bearer token-${issued}`) {
      sendJson(response, pageBody);
    } else sendStatus(response, 401);
  };
}

describe('the token', () => {
  it('is obtained with the body of the specification and sent with every call', async () => {
    const { address, requests } = await startServer(
      withToken((_request, response) => sendJson(response, pageBody)),
    );
    const { client } = createTestClient(address);
    await client.fetchPage(firstPage);
    await client.fetchPage({ ...firstPage, lastDocument: 'next' });
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/ServiceReporting/CreateToken',
      'POST /api/ServiceReporting/ExecuteReport/1001/29CDB989-6221-4742-96CA-1A878545B5A3',
      'POST /api/ServiceReporting/ExecuteReport/1001/29CDB989-6221-4742-96CA-1A878545B5A3',
    ]);
    expect(JSON.parse(requests[0]!.body)).toEqual({
      accessToken: 'user-part',
      accessTokenSecret: 'secret-part',
      tenant: 1001,
    });
    expect(requests[0]!.headers.authorization).toBeUndefined();
    expect(requests[2]!.headers['content-type']).toMatch(/^application\/json/);
    expect(JSON.parse(requests[2]!.body)).toEqual({
      startDate: firstPage.startDate,
      endDate: firstPage.endDate,
      size: 100,
      lastDocument: 'next',
    });
  });
  it('decisions 13 and 15, client: is always sent, after the word bearer in lower case', async () => {
    const { address, requests } = await startServer(
      withToken((_request, response) => sendJson(response, { Status: 'up' })),
    );
    await createTestClient(address).client.fetchStatus();
    expect(requests[1]!.headers.authorization).toBe('bearer token-1');
  });
  it('decision 20, client: the report identifier is sent as given', async () => {
    const { address, requests } = await startServer(
      withToken((_request, response) => sendJson(response, pageBody)),
    );
    const { client } = createTestClient(address);
    await client.fetchPage({ ...firstPage, report: 'outbound-detail' });
    expect(requests[1]!.path).toMatch(/69FD4E08-7BD1-45B3-9370-1EF0DC774EB5$/);
  });
});

describe('decision 14, client: renewal', () => {
  it('decision 14, client: one call is repeated once, with the same cursor', async () => {
    const { address, requests } = await startServer(createTokenService());
    const { client } = createTestClient(address);
    await client.fetchPage({ ...firstPage, lastDocument: 'c7' });
    const reports = requests.filter((request) => !isTokenRequest(request));
    expect(reports.map(({ body }) => (JSON.parse(body) as { lastDocument: string }).lastDocument)).toEqual([
      'c7',
      'c7',
    ]);
  });
  it('requests one at once when the user asks, even right after a failure', async () => {
    const { address, requests } = await startServer((_request, response) => sendStatus(response, 401));
    const { client } = createTestClient(address);
    await catchError(client.createToken());
    await catchError(client.createToken());
    expect(requests).toHaveLength(2);
  });
  it('continues for the other callers when one cancels', async () => {
    const { address, requests } = await startServer(createTokenService(200));
    const { client } = createTestClient(address);
    const controller = new AbortController();
    const cancelled = catchError(client.fetchPage(firstPage, { signal: controller.signal }));
    const other = client.fetchPage(firstPage);
    controller.abort();
    expect((await cancelled).code).toBe('app.cancelled');
    expect((await other).status).toBe(200);
    expect(requests.filter(isTokenRequest)).toHaveLength(2);
  });
});

describe('responses of CreateToken', () => {
  it.each([
    [
      400,
      '{"title":"Bad","detail":"tenant is not a number"}',
      'client.invalid-request',
      'tenant is not a number',
    ],
    [403, 'no', 'client.forbidden', 'no'],
    [404, '', 'client.not-found', ''],
    [418, 'teapot', 'client.http-status', 'teapot'],
  ])('decision 16, client: status %i shows what the body says', async (status, text, code, words) => {
    const { address } = await startServer((_request, response) => {
      response.writeHead(status);
      response.end(text);
    });
    const error = await catchError(createTestClient(address).client.createToken());
    expect(error).toMatchObject({ code, details: { status } });
    expect(error.details['body']).toContain(words);
  });
  it.each(['{}', '{"token":""}', '{"token":"a b"}', '{"token":"a\\r\\nx: y"}', 'null'])(
    'a body without a usable token, %s',
    async (text) => {
      const { address } = await startServer((_request, response) => void response.end(text));
      expect((await catchError(createTestClient(address).client.createToken())).code).toBe(
        'client.unexpected-shape',
      );
    },
  );
  it('takes secrets out of what the service sends back', async () => {
    const { address } = await startServer((request, response) => {
      response.writeHead(500);
      response.end(`Failed on ${request.body}`);
    });
    const error = await catchError(createTestClient(address).client.createToken());
    expect(JSON.stringify(error)).not.toMatch(/user-part|secret-part/);
  });
  it('passes a failure of the keychain on', async () => {
    const { address, requests } = await startServer((_request, response) => sendStatus(response, 500));
    const secrets = (): Promise<never> => Promise.reject(new AppError('secrets.locked', 'Locked.'));
    const { client } = createTestClient(address, { secrets });
    expect((await catchError(client.fetchPage(firstPage))).code).toBe('secrets.locked');
    expect(requests).toHaveLength(0);
  });
});

describe('log lines', () => {
  it('hold neither secrets nor tokens nor bodies', async () => {
    const { address } = await startServer(createTokenService());
    const lines: unknown[] = [];
    const write = (event: string, fields?: unknown): void => void lines.push([event, fields]);
    const logger = { info: write, warn: write, error: write, child: () => logger };
    await createTestClient(address, { logger }).client.fetchPage(firstPage);
    expect(lines.length).toBeGreaterThan(0);
    expect(JSON.stringify(lines)).not.toMatch(/user-part|secret-part|token-\d|2026-11-20/);
  });
});
