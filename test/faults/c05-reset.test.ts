import { expect, it } from 'vitest';
import { sendJson, type Answer } from '../support/network/fault-server.ts';
import {
  catchError,
  countReports,
  createTestClient,
  firstPage,
  isTokenRequest,
  pageBody,
  sendStatus,
  startReports,
  startServer,
} from './client/client-rig.ts';

const reset: Answer = (_request, response) => void response.socket?.resetAndDestroy();
const resetInBody: Answer = (_request, response) => {
  response.writeHead(200);
  response.write('{"isValid":true,', () => response.socket?.resetAndDestroy());
};

it.each([
  ['before the headers', reset],
  ['in the middle of the body', resetInBody],
])('C05: a reset %s is asked again', async (_name, fault) => {
  const server = await startReports(fault, fault);
  const { client, waitedMs } = createTestClient(server.address);
  expect((await client.fetchPage(firstPage)).status).toBe(200);
  expect(waitedMs).toHaveLength(2);
});

it('C05, H-16: a request that is reset on a kept connection is repeated on a new one', async () => {
  const ports = new Set<number | undefined>();
  let resets = 0;
  const server = await startServer((request, response) => {
    const port = response.socket?.remotePort;
    if (ports.has(port) && !isTokenRequest(request) && resets === 0) {
      resets += 1;
      return reset(request, response);
    }
    ports.add(port);
    sendJson(response, isTokenRequest(request) ? { token: 'token-1' } : pageBody);
    return undefined;
  });
  const { client } = createTestClient(server.address);
  for (let page = 0; page < 20 && resets === 0; page += 1) {
    expect((await client.fetchPage({ ...firstPage, lastDocument: String(page) })).status).toBe(200);
  }
  expect(resets).toBe(1);
});

it('C05, H-05: a reset of CreateToken is reported, since it may have been received', async () => {
  const server = await startServer(reset);
  const error = await catchError(createTestClient(server.address).client.createToken());
  expect(error.code).toBe('client.unreachable');
  expect(server.requests).toHaveLength(1);
});

it('C05: endless resets are reported after three attempts', async () => {
  const server = await startReports(reset, resetInBody, reset, (_request, response) =>
    sendStatus(response, 500),
  );
  const error = await catchError(createTestClient(server.address).client.fetchPage(firstPage));
  expect(error.code).toBe('client.unreachable');
  expect(countReports(server)).toBe(3);
});
