import { once } from 'node:events';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeCertificate, type CertificateOptions } from '../support/network/make-certificate.ts';
import { startFaultServer } from '../support/network/fault-server.ts';
import { isDesktopNetwork } from '../support/electron/service-fetch.ts';
import { catchError, createTestClient, pageBody, firstPage, sendStatus } from './client/client-rig.ts';

const address = '127.0.0.1';
const dayMs = 86_400_000;
const authority = makeCertificate({ name: 'authority', isAuthority: true });
const stranger = makeCertificate({ name: 'stranger', isAuthority: true });
const usual = getCACertificates('default');
beforeAll(() => setDefaultCACertificates([...usual, authority.cert]));
afterAll(() => setDefaultCACertificates(usual));

/** An https service that accepts everything; `readCount` returns how many requests it received. */
async function startTls(options: ServerOptions): Promise<{ url: string; readCount: () => number }> {
  let count = 0;
  const server = createServer(options, (request, response) => {
    count += 1;
    response.end(JSON.stringify(request.url?.endsWith('/CreateToken') ? { token: 'x' } : pageBody));
  });
  onTestFinished(() => void server.close());
  server.listen(0, address);
  await once(server, 'listening');
  return { url: `https://${address}:${(server.address() as AddressInfo).port}`, readCount: () => count };
}
const toOptions = (change: Partial<CertificateOptions>, more: ServerOptions = {}): ServerOptions => ({
  ...makeCertificate({ name: 'service', issuer: authority, address, ...change }),
  ...more,
});

/** Chromium tells fewer cases apart. */
function toChromiumReason(name: string, reason: string): string {
  if (reason === 'expired' || reason === 'not-yet-valid') return 'date';
  return reason === 'self-signed' || name.includes('stranger') ? 'unknown-authority' : reason;
}

describe('C14: TLS', () => {
  it('C14: a certificate of a known authority is accepted', async () => {
    const { url } = await startTls(toOptions({}));
    expect((await createTestClient(url).client.fetchPage(firstPage)).status).toBe(200);
  });

  const selfSigned = makeCertificate({ name: 'alone', address });
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  it.each<[string, string, ServerOptions]>([
    ['expired', 'expired', toOptions({ fromMs: Date.now() - 3 * dayMs, toMs: Date.now() - dayMs })],
    [
      'not yet valid',
      'not-yet-valid',
      toOptions({ fromMs: Date.now() + dayMs, toMs: Date.now() + 2 * dayMs }),
    ],
    ['for another host', 'wrong-host', toOptions({ address: '127.0.0.2' })],
    ['signed by itself', 'self-signed', selfSigned],
    ['of an unknown authority', 'unknown-authority', toOptions({ issuer: stranger })],
    [
      'of a stranger who names himself like the known authority',
      'weak',
      toOptions({ issuer: makeCertificate({ name: 'authority', isAuthority: true }) }),
    ],
    ['with a weak key', 'weak', toOptions({ keyBits: 1024 }, { ciphers: 'DEFAULT@SECLEVEL=0' })],
    ['over a protocol of old', 'protocol', toOptions({}, old)],
  ])('C14: one %s ends the call at once, with no request sent', async (name, known, options) => {
    const reason = isDesktopNetwork ? toChromiumReason(name, known) : known;
    const { url, readCount } = await startTls(options);
    const { client, waitedMs } = createTestClient(url);
    const error = await catchError(client.createToken());
    expect(error).toMatchObject({ code: 'client.tls', details: { reason } });
    expect((await catchError(client.fetchPage(firstPage))).code).toBe('client.tls');
    expect(readCount()).toBe(0);
    expect(waitedMs).toEqual([]);
  });

  it('C14: a service that does not speak TLS is never asked in plain instead', async () => {
    const server = await startFaultServer((_request, response) => sendStatus(response, 200));
    onTestFinished(() => server.close());
    const { client, waitedMs } = createTestClient(server.address.replace('http:', 'https:'));
    const error = await catchError(client.createToken());
    expect(error).toMatchObject({
      code: 'client.tls',
      details: { reason: isDesktopNetwork ? 'protocol' : 'not-tls' },
    });
    expect(server.requests).toHaveLength(0);
    expect(waitedMs).toEqual([]);
  });
});
