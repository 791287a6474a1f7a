import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestLogEntry } from '../../../src-main/service/http/harden-service.ts';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { portOf, RawSocket, sendRaw, toRawRequest } from '../../support/network/raw-socket.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { post, toReportAddress } from '../../support/service/service-calls.ts';

const STATUS = '/api/ServiceReporting/Status/1001';

describe('requests that no client should send', () => {
  let service: RunningService;
  let port: number;
  const log: RequestLogEntry[] = [];
  beforeAll(async () => {
    service = await startTestService({ records: 200, logRequest: (entry) => log.push(entry) });
    port = portOf(service);
  });
  afterAll(() => service.stop());
  const host = (): string => `Host: 127.0.0.1:${port}`;

  it('serves the same request when it is written properly', async () => {
    expect((await sendRaw(port, toRawRequest(STATUS, host()))).status).toBe(200);
  });

  it('S01: refuses two Host lines and closes the connection', async () => {
    const { status } = await sendRaw(port, toRawRequest(STATUS, host(), 'Host: evil.example'));
    expect(status).toBe(421);
  });

  it('S02: refuses a foreign Host without a word of data, valid token or not', async () => {
    const { accessToken, accessTokenSecret, tenant } = service;
    const created = await post(service, '/api/ServiceReporting/CreateToken', {
      accessToken,
      accessTokenSecret,
      tenant,
    });
    const { token } = (await created.json()) as { token: string };
    const own = toRawRequest(STATUS, host(), `Authorization: bearer ${token}`);
    expect((await sendRaw(port, own)).status).toBe(200);
    const foreign = own.replace(host(), `Host: evil.example:${port}`);
    const { status, text } = await sendRaw(port, foreign);
    expect(status).toBe(421);
    expect(text).toMatch(/\r\n\r\n$/);
  });

  it('S03: refuses HTTP/1.0', async () => {
    const request = `POST ${STATUS} HTTP/1.0\r\nContent-Length: 0\r\n\r\n`;
    expect((await sendRaw(port, request)).status).toBe(400);
  });

  it('S04: refuses a target that names another host', async () => {
    expect((await sendRaw(port, toRawRequest(`http://evil.example${STATUS}`, host()))).status).toBe(400);
  });

  it('S05: refuses a target with a fragment', async () => {
    expect((await sendRaw(port, toRawRequest(`${STATUS}#x`, host()))).status).toBe(400);
  });

  it.each([
    ['a length and chunks', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
    ['a negative length', 'Content-Length: -1\r\n\r\n'],
    ['a bare line feed', 'X-A: 1\nX-B: 2\r\n\r\n'],
  ])('S06: refuses %s, and logs no more than the status', async (_, rest) => {
    log.length = 0;
    const { status, text } = await sendRaw(port, `POST ${STATUS} HTTP/1.1\r\n${host()}\r\n${rest}`);
    expect(status).toBe(400);
    expect(text).toContain('application/problem+json');
    expect(log).toEqual([expect.objectContaining({ route: 'unreadable', status: 400 })]);
  });

  it('S10: refuses headers of 20 KB, and more than 64 lines', async () => {
    const long = await sendRaw(port, toRawRequest(STATUS, host(), `X-Long: ${'a'.repeat(20_000)}`));
    const toLines = (count: number): string[] => Array.from({ length: count }, (_, n) => `X-${n}: 1`);
    expect(long.status).toBe(431);
    expect((await sendRaw(port, toRawRequest(STATUS, host(), ...toLines(3_000)))).status).toBe(431);
    expect((await sendRaw(port, toRawRequest(STATUS, host(), ...toLines(62)))).status).toBe(431);
    expect((await sendRaw(port, toRawRequest(STATUS, host(), ...toLines(61)))).status).toBe(200);
  });

  it('S11: refuses a target of 10 KB and a query of 5,000 names; reads no query at all', async () => {
    const refused = [`/${'a'.repeat(10_000)}`, `${STATUS}?${'a=1&'.repeat(3_000)}`];
    for (const target of refused) {
      expect((await sendRaw(port, toRawRequest(target, host()))).status).toBe(414);
    }
    const huge = toRawRequest(`${STATUS}?${'a=1&'.repeat(5_000)}`, host());
    expect((await sendRaw(port, huge)).status).toBe(431);
    expect((await sendRaw(port, toRawRequest(`${STATUS}?tenant=1&tenant=2`, host()))).status).toBe(200);
  });

  it.each([
    ['/%zz', 400],
    ['/%00', 404],
    [`/x/..${STATUS}`, 404],
    [`/${STATUS}`, 400],
    ['/..\\e', 400],
    ['*', 400],
    ['/../../etc/passwd', 404],
    ['/%2e%2e/e', 404],
  ])('S12: the target %s is %i and finds neither a file nor a stack', async (target, expected) => {
    const { status, text } = await sendRaw(port, toRawRequest(target, host()));
    expect(status).toBe(expected);
    expect(text).not.toMatch(/\.ts|\bat |root:/);
  });

  it('S22: guards pipelined requests each on its own, and serves none after the last', async () => {
    const keep = (...headers: string[]): string =>
      toRawRequest(STATUS, ...headers).replace('Connection: close\r\n', '');
    const refused = keep(host(), 'Authorization: bearer wrong');
    const last = toRawRequest(STATUS, host());
    const { text } = await sendRaw(port, keep(host()) + refused + last);
    const readStatuses = (of: string): string[] => of.match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? [];
    expect(readStatuses(text)).toEqual(['200', '401', '200']);
    const more = await sendRaw(port, last + keep(host()));
    // Past the last request, bytes are no request any more, whatever they say; what came before them is served whole.
    expect(readStatuses(more.text)).toEqual(['200']);
  });

  it.each([
    ['a TLS greeting', Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3])],
    ['an HTTP/2 preface', Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
    ['a SOCKS greeting', Buffer.from([5, 1, 0])],
    ['1 MB of anything', Buffer.alloc(1_000_000, 'é#\u0001x')],
  ])('S23: closes on %s with one line in the log, and goes on', async (_, bytes) => {
    log.length = 0;
    const { status } = await sendRaw(port, bytes, '\r\n\r\n');
    expect(status).toBe(400);
    expect(log).toEqual([expect.objectContaining({ route: 'unreadable', status: 400 })]);
    expect((await post(service, STATUS)).status).toBe(200);
  });

  it('F-04: a refusal of bytes is a problem document like any other', async () => {
    const { text } = await sendRaw(port, 'nonsense\r\n\r\n');
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head.toLowerCase()).toContain(`content-length: ${body.length}`);
    expect(head.toLowerCase()).toContain('cache-control: no-store');
    expect(JSON.parse(body)).toEqual({ type: 'about:blank', title: 'Bad Request', status: 400 });
  });

  it('F-12: every response forbids to keep, guess, frame or share it', async () => {
    for (const path of [STATUS, '/nowhere', '/openapi.json']) {
      const { headers } = await post(service, path, undefined, { origin: 'https://evil.example' });
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('server')).toBeNull();
    }
  });

  it('F-14: numbers requests itself and logs nothing that was sent', async () => {
    log.length = 0;
    await post(service, `${STATUS}?secret=one`, '{"secret":"two"}', {
      'request-id': 'three',
      'x-a': 'secret',
    });
    expect(log).toHaveLength(1);
    expect(Object.keys(log[0]!)).toEqual([
      'at',
      'request',
      'method',
      'route',
      'report',
      'tenant',
      'status',
      'durationMs',
    ]);
    expect(JSON.stringify(log)).not.toMatch(/secret|one|two|three/);
  });

  it('F-14: logs the pattern of a report in any letter case, never the address as sent', async () => {
    log.length = 0;
    const path = toReportAddress(service, 'inbound-detail');
    await post(service, path, '{}');
    await post(service, path.replace('29CDB989', '29cdb989'), '{}');
    const route = '/api/ServiceReporting/ExecuteReport/:tenant/:report';
    const report = { identifier: '29CDB989-6221-4742-96CA-1A878545B5A3', kinds: ['inbound-detail'] };
    await post(service, path.replace('29CDB989', '00000000'), '{}');
    expect(log).toMatchObject([
      { route, report },
      { route, report },
      { route, report: null },
    ]);
  });

  it('goes on when a client hangs up at any moment', async () => {
    for (const text of ['P', `POST ${STATUS} HTTP/1.1\r\nHo`, toRawRequest(STATUS, host())]) {
      const raw = new RawSocket(port);
      raw.write(text);
      raw.socket.resetAndDestroy();
      await raw.closed;
    }
    expect((await post(service, STATUS)).status).toBe(200);
  });
});
