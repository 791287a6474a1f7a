import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { sendJson, type Answer } from '../support/network/fault-server.ts';
import { makeCertificate } from '../support/network/make-certificate.ts';
import {
  catchError,
  createTestClient,
  firstPage,
  pageBody,
  sendStatus,
  startReports,
  startServer,
} from './client/client-rig.ts';

const redirectTo =
  (location: string, status = 302): Answer =>
  (_request, response) =>
    sendStatus(response, status, { location });

it.each([
  'file:///etc/passwd',
  'http://169.254.169.254/latest/meta-data/',
  'http://[::1]:1/',
  'javascript:alert(1)',
  'data:application/json,{}',
  '//other.example/',
  'http://other.example/',
  'not a target at all',
  `/${'a'.repeat(2000)}`,
])('C10: a redirect to %s is reported, never followed', async (location) => {
  const server = await startReports(redirectTo(location));
  const { client, waitedMs } = createTestClient(server.address);
  const error = await catchError(client.fetchPage(firstPage));
  expect(error.code).toBe('client.redirected');
  expect(String(error.details['location']).length).toBeLessThanOrEqual(500);
  expect(server.requests).toHaveLength(2);
  expect(waitedMs).toEqual([]);
});

it.each([301, 302, 303, 307, 308])(
  'C10: a redirect with %i to a service of this computer sends it nothing',
  async (status) => {
    const inside = await startServer((_request, response) => sendJson(response, pageBody));
    const server = await startReports(redirectTo(`${inside.address}/api`, status));
    const error = await catchError(createTestClient(server.address).client.fetchPage(firstPage));
    expect(error).toMatchObject({
      code: 'client.redirected',
      details: { status, location: `${inside.address}/api` },
    });
    expect(inside.requests).toEqual([]);
  },
);

it('C10: a redirect from https to http sends nothing in plain', async () => {
  const plain = await startServer((_request, response) => sendJson(response, pageBody));
  const authority = makeCertificate({ name: 'authority', isAuthority: true });
  const certificate = makeCertificate({ name: 'service', issuer: authority, address: '127.0.0.1' });
  const secure = createServer(certificate, (request, response) => {
    response.writeHead(307, { location: plain.address + (request.url ?? '') });
    response.end();
  });
  const usual = getCACertificates('default');
  setDefaultCACertificates([...usual, authority.cert]);
  onTestFinished(() => {
    setDefaultCACertificates(usual);
    secure.close();
  });
  secure.listen(0, '127.0.0.1');
  await once(secure, 'listening');
  const { port } = secure.address() as AddressInfo;
  const { client } = createTestClient(`https://127.0.0.1:${port}`);
  const error = await catchError(client.createToken());
  expect(error.code).toBe('client.redirected');
  expect(error.details['location']).toContain(plain.address);
  expect(plain.requests).toEqual([]);
});

it.each([
  ['itself', (own: string) => own],
  ['another that points back', (_own: string, other: string) => other],
])('C10: a redirect to %s is no loop', async (_name, toTarget) => {
  let own = '';
  const other = await startServer((request, response) =>
    sendStatus(response, 307, { location: own + request.path }),
  );
  const server = await startReports(
    ...Array.from(
      { length: 5 },
      (): Answer => (request, response) =>
        sendStatus(response, 307, { location: toTarget(own, other.address) + request.path }),
    ),
  );
  own = server.address;
  const error = await catchError(createTestClient(own).client.fetchPage(firstPage));
  expect(error.code).toBe('client.redirected');
  expect(error.details['location']).toMatch(
    new RegExp(`^${toTarget(own, other.address)}/api/ServiceReporting/ExecuteReport/`),
  );
  // The token, and the page once.
  expect(server.requests).toHaveLength(2);
  expect(other.requests).toEqual([]);
});
