import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem, ReportResponse } from '../../../src-main/common/reporting/wire-documents.ts';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { portOf, sendRaw } from '../../support/network/raw-socket.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { post, toPeriod, toReportAddress } from '../../support/service/service-calls.ts';

const PERIOD = toPeriod(Date.now() - 86_400_000, Date.now());
const DATES = JSON.stringify(PERIOD).slice(1, -1);
const TOKEN = '/api/ServiceReporting/CreateToken';

/** Decisions 6 and 16: reports say what is wrong with isValid false, CreateToken with 400. */
describe('bodies that no client should send', () => {
  let service: RunningService;
  let report: string;
  beforeAll(async () => {
    service = await startTestService({ records: 200 });
    report = toReportAddress(service, 'inbound-detail');
  });
  afterAll(() => service.stop());

  const readFaults = async (body: unknown): Promise<string[]> => {
    const response = await post(service, report, body);
    expect(response.status).toBe(200);
    const page = (await response.json()) as ReportResponse;
    expect(page.isValid).toBe(page.errors === undefined);
    return (page.errors ?? []).map((fault) => fault.field);
  };
  const readTokenFaults = async (body: unknown): Promise<string[]> => {
    const response = await post(service, TOKEN, body);
    expect(response.status).toBe(400);
    return ((await response.json()) as Problem).errors?.map((fault) => fault.field) ?? [];
  };
  const postBytes = async (path: string, body: Uint8Array, headers: object = {}): Promise<Response> =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: new Uint8Array(body),
    });

  it('S13: refuses 2 MiB declared, and chunks that grow too large, and closes the connection', async () => {
    const port = portOf(service);
    const head = `POST ${report} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`;
    const declared = await sendRaw(port, `${head}Content-Length: 2097152\r\n\r\n`, 'x'.repeat(1_000));
    expect(declared.status).toBe(413);
    const before = process.memoryUsage().rss;
    const chunks = Array.from({ length: 200 }, () => `1000\r\n${'x'.repeat(4_096)}\r\n`);
    const chunked = await sendRaw(port, `${head}Transfer-Encoding: chunked\r\n\r\n`, ...chunks);
    expect(chunked.status).toBe(413);
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * 2 ** 20);
  });

  it('S14: survives JSON that is nested deeply, open or closed, and responds within moments', async () => {
    const deep = ['['.repeat(60_000), '['.repeat(30_000) + ']'.repeat(30_000), '{"a":'.repeat(9_000) + '1'];
    const ignored = `{${DATES},"x":${'['.repeat(32)}${']'.repeat(32)}}`;
    const timeMs = async (): Promise<number> => {
      const startedMs = performance.now();
      for (const body of [...deep, ignored]) {
        expect(await readFaults(body)).toEqual(['body']);
        expect(await readTokenFaults(body)).toEqual(['body']);
      }
      return performance.now() - startedMs;
    };
    // A busy machine makes some responses late.
    await expect.poll(timeMs, { timeout: 60_000 }).toBeLessThan(1_000);
    expect(await readFaults(`{${DATES},"x":${'['.repeat(31)}${']'.repeat(31)}}`)).toEqual([]);
  });

  it('S15: leaves every object’s prototype alone', async () => {
    for (const name of ['__proto__', '\\u005f_proto__', 'constructor']) {
      const poison = `"${name}":{"polluted":true,"prototype":{"polluted":true}}`;
      expect(await readFaults(`{${DATES},${poison}}`)).toEqual([]);
      expect(await readFaults(`{${poison}}`)).toEqual(['startDate', 'endDate']);
      expect(
        await readTokenFaults(`{"accessToken":"a","accessTokenSecret":"b","tenant":1,${poison}}`),
      ).toEqual(['body']);
    }
    expect('polluted' in {}).toBe(false);
  });

  it('S16: refuses a field that is named twice, however it is written and wherever it is', async () => {
    const twice = [
      `{${DATES},"size":1,"size":2}`,
      `{${DATES},"size":1,"\\u0073ize":1}`,
      `{${DATES},"x":[{"a":1,"a" :1}]}`,
    ];
    for (const body of twice) expect(await readFaults(body)).toEqual(['body']);
    expect(await readTokenFaults('{"accessToken":"a","accessToken":"b"}')).toEqual(['body']);
    expect(await readFaults(`{${DATES},"x":{"size":1},"y":["size:","size","size"]}`)).toEqual([]);
  });

  it('S17: names the field that is wrong; what a report does not know is ignored', async () => {
    expect(await readFaults({ ...PERIOD, colour: 'red' })).toEqual([]);
    expect(await readFaults({ ...PERIOD, size: '10' })).toEqual(['size']);
    expect(await readFaults({ ...PERIOD, size: [10] })).toEqual(['size']);
    expect(await readFaults({ startDate: [PERIOD.startDate], endDate: null })).toEqual([
      'startDate',
      'endDate',
    ]);
    expect(await readTokenFaults({ accessToken: ['a'], accessTokenSecret: 'b', tenant: '1' })).toEqual([
      'accessToken',
      'tenant',
    ]);
    expect(
      await readTokenFaults({ accessToken: 'a', accessTokenSecret: 'b', tenant: 1, admin: true }),
    ).toEqual(['body']);
  });

  it.each([
    ['9007199254740993', []],
    ['10.0', []],
    ['1e999', ['size']],
    ['NaN', ['body']],
    ['-0', ['size']],
    ['1e-400', ['size']],
    ['-1', ['size']],
    ['2147483648', []],
  ])('S18: the size %s is taken for what it is', async (size, faults) => {
    expect(await readFaults(`{${DATES},"size":${size}}`)).toEqual(faults);
  });

  it.each(['9007199254740993', '1e999', '-1', '1001.5'])(
    'S18: the tenant %s is never rounded',
    async (tenant) => {
      const body = `{"accessToken":"a","accessTokenSecret":"b","tenant":${tenant}}`;
      expect(await readTokenFaults(body)).toEqual(['tenant']);
    },
  );

  it('S19: bytes that are not UTF-8 are unreadable, a mark of byte order is not', async () => {
    const broken = await postBytes(report, Buffer.from(`{${DATES},"x":"\xff"}`, 'latin1'));
    expect(await broken.json()).toMatchObject({ isValid: false, errors: [{ field: 'body' }] });
    const marked = await postBytes(report, Buffer.from(`\ufeff{${DATES}}`));
    expect(await marked.json()).toMatchObject({ isValid: true });
    const utf16 = await postBytes(report, Buffer.from(`{${DATES}}`, 'utf16le'));
    expect(await utf16.json()).toMatchObject({ isValid: false });
    expect(await readFaults(`{${DATES},"lastDocument":"\\ud800"}`)).toEqual(['lastDocument']);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json\t;x',
    'application/json; charset=utf-16',
    'application/jsonp',
    'nonsense',
  ])('S20: refuses the content type %s', async (type) => {
    for (const path of [report, TOKEN]) {
      expect((await post(service, path, PERIOD, { 'content-type': type })).status).toBe(415);
    }
  });

  it('S20: refuses a body that names no content type; no body needs none', async () => {
    const port = portOf(service);
    const head = `POST ${report} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n`;
    expect((await sendRaw(port, `${head}Content-Length: 2\r\n\r\n{}`)).status).toBe(415);
    expect((await sendRaw(port, `${head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`)).status).toBe(415);
    const empty = await sendRaw(port, `${head}Content-Length: 0\r\n\r\n`);
    expect(empty.text).toContain('"isValid":false');
  });

  it('S21: inflates nothing', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    for (const body of [Buffer.from(JSON.stringify(PERIOD)), bomb]) {
      for (const encoding of ['gzip', 'deflate', 'br', 'gzip, identity']) {
        const response = await postBytes(report, body, { 'content-encoding': encoding });
        expect(response.status).toBe(415);
      }
    }
  });

  it('S28: syntax of databases in any field is a fault or nothing', async () => {
    for (const text of [`"`, `*`, `NEAR(`, `--`, `'; DROP TABLE inbound_record; --`, '%', '_', '\u0000']) {
      expect(await readFaults({ ...PERIOD, lastDocument: text })).toEqual(['lastDocument']);
      expect(await readFaults({ startDate: text, endDate: `${PERIOD.endDate}${text}` })).toEqual([
        'startDate',
        'endDate',
      ]);
      const path = `/api/ServiceReporting/ExecuteReport/${encodeURIComponent(text)}/x`;
      expect((await post(service, path, PERIOD)).status).toBe(401);
    }
    expect(await readFaults({ ...PERIOD, size: 1 })).toEqual([]);
  });

  it('S28: a cursor that was altered anywhere, or is of another report, is refused', async () => {
    const whole = toPeriod(Date.now() - 7 * 86_400_000, Date.now());
    const readCursor = async (path: string): Promise<string> =>
      ((await (await post(service, path, { ...whole, size: 1 })).json()) as ReportResponse).lastDocument;
    const cursor = await readCursor(report);
    const altered = Array.from(cursor, (character, at) => {
      const other = character === 'A' ? 'B' : 'A';
      return cursor.slice(0, at) + other + cursor.slice(at + 1);
    });
    const foreign = await readCursor(toReportAddress(service, 'outbound-detail'));
    for (const lastDocument of [...altered, cursor.slice(1), `${cursor}A`, foreign]) {
      expect(await readFaults({ ...whole, lastDocument })).toEqual(['lastDocument']);
    }
    expect(await readFaults({ ...whole, lastDocument: cursor })).toEqual([]);
  });
});
