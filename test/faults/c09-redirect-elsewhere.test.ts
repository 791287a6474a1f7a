import { describe, expect, it } from 'vitest';
import { sendJson } from '../support/network/fault-server.ts';
import {
  catchError,
  createTestClient,
  firstPage,
  pageBody,
  sendStatus,
  startReports,
  startServer,
} from './client/client-rig.ts';

describe.each([301, 302, 303, 307, 308])('C09: %i to another host', (code) => {
  it('C09: carries neither token nor body there, and names where it pointed', async () => {
    const second = await startServer((_request, response) => sendJson(response, pageBody));
    const location = `${second.address}/elsewhere`;
    const server = await startReports((_request, response) => sendStatus(response, code, { location }));
    const error = await catchError(createTestClient(server.address).client.fetchPage(firstPage));
    expect(error).toMatchObject({ code: 'client.redirected', details: { status: code, location } });
    expect(second.requests).toHaveLength(0);
    expect(server.requests).toHaveLength(2);
  });

  it('C09: carries no credentials there either', async () => {
    const second = await startServer((_request, response) => sendJson(response, { token: 'stolen' }));
    const server = await startServer((_request, response) =>
      sendStatus(response, code, { location: `${second.address}/api/ServiceReporting/CreateToken` }),
    );
    const error = await catchError(createTestClient(server.address).client.createToken());
    expect(error.code).toBe('client.redirected');
    expect(second.requests).toHaveLength(0);
  });
});
