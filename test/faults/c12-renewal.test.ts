import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sendJson, type Answer } from '../support/network/fault-server.ts';
import { createSkipClock } from '../support/fakes/skip-clock.ts';
import {
  catchError,
  countReports,
  createTestClient,
  firstPage,
  isTokenRequest,
  pageBody,
  sendStatus,
  startServer,
} from './client/client-rig.ts';

/** Tokens are numbered; only the newest one is good, and only from the second on. */
function createTokens(issue: (count: number) => Promise<number | undefined> | number | undefined): Answer {
  let issued = 0;
  return async (request, response) => {
    if (!isTokenRequest(request)) {
      const isGood = issued > 1 && request.headers.authorization === `bearer token-${issued}`;
      if (isGood) sendJson(response, pageBody);
      else sendStatus(response, 401);
      return;
    }
    issued += 1;
    const status = await issue(issued);
    if (status === undefined) sendJson(response, { token: `token-${issued}` });
    else sendStatus(response, status);
  };
}
const callTimes = <Result>(times: number, call: () => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: times }, call));

describe('C12: an expired token', () => {
  it('C12: met by 100 calls at once makes one renewal, however slow, and all succeed', async () => {
    const server = await startServer(
      createTokens(async (count) => {
        if (count > 1) await sleep(300);
        return undefined;
      }),
    );
    const { client } = createTestClient(server.address);
    await client.createToken();
    const pages = await callTimes(100, () => client.fetchPage(firstPage));
    expect(pages.every(({ status }) => status === 200)).toBe(true);
    expect(server.requests.filter(isTokenRequest)).toHaveLength(2);
  });

  it('C12: whose renewal fails gives that failure to all, and there is quiet for a while', async () => {
    const server = await startServer(createTokens((count) => (count > 1 ? 500 : undefined)));
    const { client } = createTestClient(server.address);
    await client.createToken();
    const errors = await callTimes(20, () => catchError(client.fetchPage(firstPage)));
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['client.server-error']));
    await catchError(client.fetchPage(firstPage));
    expect(server.requests.filter(isTokenRequest)).toHaveLength(2);
  });

  it('C12: whose credentials are refused is renewed again only after 30 s', async () => {
    const server = await startServer(createTokens((count) => (count > 1 ? 401 : undefined)));
    const clock = createSkipClock();
    const { client } = createTestClient(server.address, { clock });
    await client.createToken();
    const errors = await callTimes(20, () => catchError(client.fetchPage(firstPage)));
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['client.credentials-refused']));
    await clock.sleep(29_000, undefined);
    await catchError(client.fetchPage(firstPage));
    expect(server.requests.filter(isTokenRequest)).toHaveLength(2);
    await clock.sleep(2000, undefined);
    await catchError(client.fetchPage(firstPage));
    expect(server.requests.filter(isTokenRequest)).toHaveLength(3);
  });

  it('C12: is renewed at once after the clock was set back by a day', async () => {
    const server = await startServer(createTokens((count) => (count === 2 ? 401 : undefined)));
    const clock = createSkipClock();
    const { client } = createTestClient(server.address, { clock });
    await client.createToken();
    await catchError(client.fetchPage(firstPage));
    clock.jump(-86_400_000);
    expect((await client.fetchPage(firstPage)).status).toBe(200);
  });

  it.each([
    ['the same token again', () => 'token-1'],
    ['a new one each time', (count: number) => `token-${count}`],
  ])('C12: that is refused for ever, with %s, ends after one renewal', async (_name, issue) => {
    let issued = 0;
    const server = await startServer((request, response) => {
      if (!isTokenRequest(request)) {
        sendStatus(response, 401);
        return;
      }
      issued += 1;
      sendJson(response, { token: issue(issued) });
    });
    const { client, waitedMs } = createTestClient(server.address);
    const error = await catchError(client.fetchPage(firstPage));
    expect(error).toMatchObject({ code: 'client.report-refused', details: { status: 401 } });
    expect(issued).toBe(2);
    expect(countReports(server)).toBe(2);
    expect(waitedMs).toEqual([]);
  });
});
