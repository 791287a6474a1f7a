import type { Certificate } from 'electron';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createConnectionNetworks } from '../../src-main/electron/network/network-fetch.ts';
import { startFaultServer, type FaultServer } from '../support/network/fault-server.ts';
import { app, resetFakeElectron, session } from '../support/electron/fake-electron.ts';
import { makeCertificate, type MadeCertificate } from '../support/network/make-certificate.ts';

const DAY_MS = 86_400_000;

let server: FaultServer;
beforeAll(async () => {
  server = await startFaultServer((_request, response) => void response.end('seen'));
});
afterAll(() => server.close());
beforeEach(() => {
  resetFakeElectron();
  app.makeReady();
});

describe('the proxy of the settings', () => {
  it('is used by every later request, also of fetches that were there before', async () => {
    const { fetchFor, useNetwork } = createConnectionNetworks();
    const fetch = fetchFor('one');
    await fetch(`${server.address}/before`);
    expect(session.fromPartition('requests-one').proxyConfig).toBeNull();

    await useNetwork({
      proxy: { mode: 'manual', address: server.address, exceptions: ['intranet', '*.example.org'] },
      authorities: [],
    });
    expect(await (await fetch('http://service.example/through')).text()).toBe('seen');
    expect(session.fromPartition('requests-one-1').proxyConfig).toEqual({
      mode: 'fixed_servers',
      proxyRules: server.address,
      proxyBypassRules: 'intranet,*.example.org',
    });

    await useNetwork({ proxy: { mode: 'none' }, authorities: [] });
    await fetch(`${server.address}/after`);
    expect(session.fromPartition('requests-one-2').proxyConfig).toEqual({ mode: 'direct' });
  });

  it('that is used already begins no session anew', async () => {
    const { fetchFor, useNetwork } = createConnectionNetworks();
    for (let time = 0; time < 2; time += 1) await useNetwork({ proxy: { mode: 'none' }, authorities: [] });
    await fetchFor('one')(`${server.address}/`);
    expect(session.fromPartition('requests-one-1').proxyConfig).toEqual({ mode: 'direct' });
  });
});

describe('authorities of the settings', () => {
  const own = makeCertificate({ name: 'own', isAuthority: true });
  const stranger = makeCertificate({ name: 'own', isAuthority: true });
  const between = makeCertificate({ name: 'between', issuer: own, isAuthority: true });
  const address = '127.0.0.1';
  const show = (chain: readonly MadeCertificate[]): Certificate => {
    const [first, ...rest] = chain;
    return {
      data: first?.cert,
      ...(rest.length === 0 ? {} : { issuerCert: show(rest) }),
    } as Certificate;
  };
  const judge = async (chain: readonly MadeCertificate[], change: object = {}): Promise<number> => {
    const { fetchFor, useNetwork } = createConnectionNetworks();
    await useNetwork({ proxy: { mode: 'system' }, authorities: ['no certificate', own.cert] });
    fetchFor('one');
    return session.fromPartition('requests-one-1').judgeCertificate({
      certificate: show(chain),
      hostname: address,
      verificationResult: 'net::ERR_CERT_AUTHORITY_INVALID',
      ...change,
    });
  };
  const [GOOD, AS_CHROMIUM_SAYS] = [0, -3];
  const signed = (change: object = {}): MadeCertificate =>
    makeCertificate({ name: 'service', issuer: own, address, ...change });

  it('make a certificate good that they signed, also through another', async () => {
    expect(await judge([signed()])).toBe(GOOD);
    expect(await judge([signed(), own])).toBe(GOOD);
    expect(await judge([signed({ issuer: between }), between])).toBe(GOOD);
  });

  it('leave every other fault to Chromium', async () => {
    const faults = {
      stranger: judge([signed({ issuer: stranger })]),
      'self-signed': judge([makeCertificate({ name: 'service', address })]),
      'missing link': judge([signed({ issuer: between })]),
      'other name': judge([signed()], { hostname: 'reports.example.com' }),
      'other address': judge([signed({ address: '127.0.0.2' })]),
      expired: judge([signed({ fromMs: Date.now() - 2 * DAY_MS, toMs: Date.now() - DAY_MS })]),
      'not yet valid': judge([signed({ fromMs: Date.now() + DAY_MS, toMs: Date.now() + 2 * DAY_MS })]),
      weak: judge([signed({ keyBits: 1024 })]),
      revoked: judge([signed()], { verificationResult: 'net::ERR_CERT_REVOKED' }),
      'no authority between': judge([
        signed({ issuer: signed({ name: 'plain' }) }),
        signed({ name: 'plain' }),
      ]),
    };
    for (const [name, verdict] of Object.entries(faults)) {
      expect(await verdict, name).toBe(AS_CHROMIUM_SAYS);
    }
  });
});
