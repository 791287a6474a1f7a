import { describe, expect, it } from 'vitest';
import { normaliseBaseAddress } from '../../src-main/common/reporting/base-address.ts';
import { createDocument, toNewSnapshot } from '../integration/cache/cache-fixture.ts';
import { sendJson, toEnvelope } from '../support/network/fault-server.ts';
import { createSkipClock } from '../support/fakes/skip-clock.ts';
import { catchError, createTestClient, firstPage, startServer, withToken } from './client/client-rig.ts';
import { createDirectDownloads } from './direct-downloads.ts';
import { serviceFetch } from '../support/electron/service-fetch.ts';

const failAs =
  (code: string): typeof globalThis.fetch =>
  () =>
    Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) }));

describe('C15: what a person types', () => {
  it.each([
    ['http://user:pass@host', 'connections.address-has-credentials'],
    ['https://host#x', 'connections.address-has-query'],
    ['https://host:99999', 'connections.address-invalid'],
    ['https://ho st', 'connections.address-invalid'],
    [`https://${'h'.repeat(10_000)}`, 'connections.address-invalid'],
    ['file:///etc/passwd', 'connections.address-invalid'],
  ])('C15: %s is refused with its reason', (text, code) => {
    expect(() => normaliseBaseAddress(text)).toThrow(expect.objectContaining({ code }));
  });

  it('C15: a name that only looks like another shows what it is', () => {
    expect(normaliseBaseAddress('https://gооgle.com').address).toBe('https://xn--ggle-55da.com');
  });
});

describe('C15: a network that is not there', () => {
  it("C15: a name that doesn't resolve", async () => {
    const { client } = createTestClient('http://no-such-host.invalid');
    expect((await catchError(client.fetchPage(firstPage))).code).toBe('client.host-not-found');
  });

  it('C15: a name that takes too long to look up ends at the limit of headers', async () => {
    const fetch: typeof globalThis.fetch = (_input, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
      });
    const { client } = createTestClient('http://slow.invalid', { fetch, timeouts: { headersMs: 100 } });
    const error = await catchError(client.createToken());
    expect(error).toMatchObject({ code: 'client.timeout', details: { kind: 'headers' } });
  });

  it.each([
    ['ENETUNREACH', 'client.unreachable'],
    ['EHOSTUNREACH', 'client.unreachable'],
    ['EADDRNOTAVAIL', 'client.unreachable'],
    ['ERR_INTERNET_DISCONNECTED', 'client.unreachable'],
    ['ERR_PROXY_CONNECTION_FAILED', 'client.proxy'],
    ['ERR_NETWORK_CHANGED', 'client.unreachable'],
  ])('C15: %s is reported as %s', async (failure, code) => {
    const { client } = createTestClient('http://host.invalid', { fetch: failAs(failure) });
    expect((await catchError(client.createToken())).code).toBe(code);
  });

  it("C15: a download that the computer's sleep interrupts continues from its cursor afterwards", async () => {
    const clock = createSkipClock();
    let isAsleep = false;
    const server = await startServer(
      withToken((request, response) => {
        const isFirst = request.body.includes('"lastDocument":""');
        isAsleep = isFirst;
        const more = isFirst ? { totalDocument: 2, lastDocument: 'next' } : { totalDocument: 2 };
        sendJson(response, toEnvelope([createDocument(isFirst ? 0 : 1)], more));
      }),
    );
    const fetch: typeof globalThis.fetch = (...input) => {
      if (!isAsleep || server.requests.length < 2) return serviceFetch(...input);
      clock.jump(8 * 3_600_000);
      isAsleep = false;
      return failAs('ERR_NETWORK_IO_SUSPENDED')(...input);
    };
    const rig = await createDirectDownloads(server.address, { fetch }, clock);
    const snapshot = await rig.download('inbound-detail', toNewSnapshot().period);
    expect(snapshot).toMatchObject({ state: 'complete', recordCount: 2, pageCount: 2 });
  });
});
