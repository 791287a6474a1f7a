import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningService } from '../../src-main/service/start-service.ts';
import { startTestService } from '../support/running-service.ts';
import { post, toPeriod, toReportAddress } from '../support/service-calls.ts';

const PERIOD = toPeriod(Date.now() - 86_400_000, Date.now());

describe('requests that no client should send', () => {
  let service: RunningService;
  let port: number;
  beforeAll(async () => {
    service = await startTestService({ records: 200 });
    port = Number(new URL(service.url).port);
  });
  afterAll(() => service.stop());

  /** Sends bytes and reads until the service closes the connection. */
  const sendRaw = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let answer = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      socket.on('data', (bytes) => (answer += bytes.toString()));
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
    });
  const toRequest = (target: string, ...headers: string[]): string =>
    [`POST ${target} HTTP/1.1`, ...headers, 'Content-Length: 0', 'Connection: close', '', ''].join('\r\n');
  const STATUS = '/api/ServiceReporting/Status/1001';
  const host = (): string => `Host: 127.0.0.1:${port}`;

  it('answers the same request when it is written properly', async () => {
    expect(await sendRaw(toRequest(STATUS, host()))).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('S01: refuses two Host lines', async () => {
    expect(await sendRaw(toRequest(STATUS, host(), 'Host: evil.example'))).toMatch(/^HTTP\/1\.1 (400|421) /);
  });

  it('S02: refuses a foreign Host without a word of data', async () => {
    const answer = await sendRaw(toRequest(STATUS, `Host: evil.example:${port}`));
    expect(answer).toMatch(/^HTTP\/1\.1 421 /);
    expect(answer).toMatch(/\r\n\r\n$/);
  });

  it('S03: refuses HTTP/1.0', async () => {
    expect(await sendRaw(`POST ${STATUS} HTTP/1.0\r\nContent-Length: 0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it.each([`http://evil.example${STATUS}`, `${STATUS}#x`, `/${STATUS}`, '*'])(
    'S04, S05, S12: refuses the target %s',
    async (target) => {
      expect(await sendRaw(toRequest(target, host()))).toMatch(/^HTTP\/1\.1 (400|404) /);
    },
  );

  it('S06: refuses two lengths', async () => {
    const request = `POST ${STATUS} HTTP/1.1\r\n${host()}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`;
    expect(await sendRaw(request)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('S10: refuses headers of 20 KB', async () => {
    expect(await sendRaw(toRequest(STATUS, host(), `X-Long: ${'a'.repeat(20_000)}`))).toMatch(
      /^HTTP\/1\.1 431 /,
    );
  });

  it('S13: refuses a body that is too large', async () => {
    const response = await post(service, toReportAddress(service, 'inbound-detail'), 'x'.repeat(100_000));
    expect(response.status).toBe(413);
  });

  it('S14: survives JSON that is nested deeply', async () => {
    for (const path of [toReportAddress(service, 'inbound-detail'), '/api/ServiceReporting/CreateToken']) {
      const response = await post(service, path, '['.repeat(60_000));
      expect([200, 400]).toContain(response.status);
    }
  });

  it('S15: leaves every object’s prototype alone', async () => {
    const body = `{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"startDate":"${PERIOD.startDate}","endDate":"${PERIOD.endDate}"}`;
    expect((await post(service, toReportAddress(service, 'inbound-detail'), body)).status).toBe(200);
    expect('polluted' in {}).toBe(false);
  });

  it('S19: takes bytes that are not UTF-8 for unreadable', async () => {
    const response = await fetch(service.url + toReportAddress(service, 'inbound-detail'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]),
    });
    expect(await response.json()).toMatchObject({ isValid: false, errors: [{ field: 'body' }] });
  });

  it('S21: does not inflate', async () => {
    const address = toReportAddress(service, 'inbound-detail');
    const response = await post(service, address, PERIOD, { 'content-encoding': 'gzip' });
    expect(response.status).toBe(415);
  });

  it.each(['\u0016\u0003\u0001\u0002\u0000\u0001', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\u0005\u0001\u0000'])(
    'S23: closes on the bytes of another protocol and goes on',
    async (bytes) => {
      expect(await sendRaw(`${bytes}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
      expect((await post(service, STATUS)).status).toBe(200);
    },
  );

  it('S24: refuses two Authorization lines', async () => {
    const answer = await sendRaw(
      toRequest(STATUS, host(), 'Authorization: bearer a', 'Authorization: bearer b'),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('never lets a page of another site read an answer', async () => {
    const response = await post(service, STATUS, undefined, { origin: 'https://evil.example' });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });
});
