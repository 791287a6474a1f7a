import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../src-main/common/reporting/reports.ts';
import type {
  InboundDetailDocument,
  InboundSummaryDocument,
  StatusResponse,
  TrafficGroup,
} from '../../src-main/common/reporting/wire-documents.ts';
import type { RunningService } from '../../src-main/service/start-service.ts';
import { startTestService } from '../support/service/running-service.ts';
import { callReport, post, toPeriod, toReportAddress, walkReport } from '../support/service/service-calls.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 20, 15, 30, 12, 345);
const WEEK = toPeriod(NOW_MS - 7 * DAY_MS, NOW_MS);
const TOKEN_PATH = '/api/ServiceReporting/CreateToken';
const STATUS_PATH = '/api/ServiceReporting/Status/1001';

describe('what the specification leaves open', () => {
  let service: RunningService;
  let clockMs = NOW_MS;
  const now = (): number => clockMs;
  beforeAll(async () => {
    service = await startTestService({ now });
  });
  afterAll(() => service.stop());

  const createToken = async (of: RunningService = service): Promise<string> => {
    const { accessToken, accessTokenSecret, tenant } = of;
    const response = await post(of, TOKEN_PATH, { accessToken, accessTokenSecret, tenant });
    return ((await response.json()) as { token: string }).token;
  };

  it('decision 1, service: the records are in documents', async () => {
    const page = await callReport(service, 'inbound-detail', WEEK);
    expect(Object.keys(page).sort()).toEqual(
      'documents executionTime idReport isValid lastDocument nameVisualization pageCount totalDocument'.split(
        ' ',
      ),
    );
  });

  it('decision 2, service: the status is flat, groups are a JSON text, and the busiest group is named', async () => {
    const status = (await (await post(service, STATUS_PATH)).json()) as StatusResponse;
    const groups = JSON.parse(status.TrafficInformation) as TrafficGroup[];
    expect(groups.length).toBeGreaterThan(0);
    expect(status.Sessions).toBe(groups.reduce((sum, group) => sum + group.Sessions, 0));
    const busiest = groups.find(
      (group) =>
        group.Division === status.Division &&
        group.Channel === status.Channel &&
        group.Service === status.Service,
    );
    expect(busiest?.Sessions).toBe(Math.max(...groups.map((group) => group.Sessions)));
  });

  it('decision 3, service: dates are ISO 8601 in UTC with milliseconds', async () => {
    const { documents } = await callReport(service, 'inbound-detail', WEEK);
    expect(documents).toHaveLength(100);
    for (const each of documents as InboundDetailDocument[]) {
      expect(each.Date).toBe(new Date(each.Date).toISOString());
    }
  });

  it('decision 4, service: the period is in UTC, or in the zone of --time-zone', async () => {
    const shifted = await startTestService({ now, timeZone: 'America/Bogota' });
    try {
      const there = await callReport(
        shifted,
        'inbound-detail',
        toPeriod(NOW_MS - 3 * DAY_MS, NOW_MS - 2 * DAY_MS),
      );
      const shiftMs = 5 * 3_600_000;
      const here = await callReport(
        service,
        'inbound-detail',
        toPeriod(NOW_MS - 3 * DAY_MS + shiftMs, NOW_MS - 2 * DAY_MS + shiftMs),
      );
      expect(there.totalDocument).toBeGreaterThan(0);
      expect(there.documents).toEqual(here.documents);
    } finally {
      await shifted.stop();
    }
  });

  it('decision 5, service: both ends are included at whole seconds, and adjacent periods neither lose nor repeat', async () => {
    const { documents } = await callReport(service, 'inbound-detail', { ...WEEK, size: 3 });
    const second = Date.parse((documents as InboundDetailDocument[])[1]!.Date);
    const only = await callReport(service, 'inbound-detail', toPeriod(second, second));
    expect(only.documents).toContainEqual(documents[1]);
    const cutMs = Math.floor((NOW_MS - 2.37 * DAY_MS) / 1000) * 1000;
    const before = await callReport(service, 'inbound-detail', toPeriod(NOW_MS - 7 * DAY_MS, cutMs));
    const after = await callReport(service, 'inbound-detail', toPeriod(cutMs + 1000, NOW_MS));
    const whole = await callReport(service, 'inbound-detail', WEEK);
    expect(before.totalDocument + after.totalDocument).toBe(whole.totalDocument);
  });

  it.each([
    ['{"startDate":', 'body'],
    ['[]', 'body'],
    ['"text"', 'body'],
    ['', 'body'],
    [{ ...WEEK, startDate: undefined }, 'startDate'],
    [{ ...WEEK, startDate: '2026-11-20T10:00:00' }, 'startDate'],
    [{ ...WEEK, startDate: 20261120 }, 'startDate'],
    [{ ...WEEK, endDate: '2026-06-31 10:00:00' }, 'endDate'],
    [{ startDate: WEEK.endDate, endDate: WEEK.startDate }, 'startDate'],
    [{ ...WEEK, size: 0 }, 'size'],
    [{ ...WEEK, size: 1.5 }, 'size'],
    [{ ...WEEK, size: '10' }, 'size'],
    [{ ...WEEK, lastDocument: 'made-up' }, 'lastDocument'],
    [{ ...WEEK, lastDocument: 7 }, 'lastDocument'],
  ])('decision 6, service: %o is refused with isValid false', async (body, field) => {
    const page = await callReport(service, 'inbound-detail', body);
    expect(page).toMatchObject({ isValid: false, totalDocument: 0, lastDocument: '', documents: [] });
    expect(page.errors?.map((fault) => fault.field)).toEqual([field]);
  });

  it('decision 6, service: a lastDocument is good for its own report and period only, and not when altered', async () => {
    const first = await callReport(service, 'inbound-detail', { ...WEEK, size: 5 });
    const { lastDocument } = first;
    const altered = lastDocument.slice(0, -1) + (lastDocument.endsWith('A') ? 'B' : 'A');
    const tries = [
      callReport(service, 'outbound-detail', { ...WEEK, size: 5, lastDocument }),
      callReport(service, 'inbound-summary', { ...WEEK, size: 5, lastDocument }),
      callReport(service, 'inbound-detail', { ...WEEK, startDate: '2026-11-14 00:00:00', lastDocument }),
      callReport(service, 'inbound-detail', { ...WEEK, lastDocument: altered }),
    ];
    for (const page of await Promise.all(tries)) expect(page.isValid).toBe(false);
    const next = await callReport(service, 'inbound-detail', { ...WEEK, size: 7, lastDocument });
    expect(next.isValid).toBe(true);
  });

  it('decision 7, service: 100 documents when size is left out, never more than 10,000', async () => {
    expect((await callReport(service, 'inbound-detail', WEEK)).documents).toHaveLength(100);
    const large = await startTestService({ now, records: 10_500, days: 2 });
    try {
      const page = await callReport(large, 'inbound-detail', { ...WEEK, size: 1_000_000 });
      expect(page.documents).toHaveLength(10_000);
      expect(page.lastDocument).not.toBe('');
    } finally {
      await large.stop();
    }
  });

  it('decision 8, service: lastDocument is empty on the last page, also when it is exactly full', async () => {
    const exact = await callReport(service, 'inbound-detail', { ...WEEK, size: 2000 });
    expect(exact).toMatchObject({ totalDocument: 2000, lastDocument: '' });
    const short = await callReport(service, 'inbound-detail', { ...WEEK, size: 1999 });
    expect(short.lastDocument).not.toBe('');
    const empty = await callReport(service, 'inbound-detail', toPeriod(0, 1000));
    expect(empty).toMatchObject({ isValid: true, totalDocument: 0, lastDocument: '' });
  });

  it('decision 9, service: records come oldest first, the same at every page size', async () => {
    const expected = await walkReport<InboundDetailDocument>(service, 'inbound-detail', WEEK, 10_000);
    const dates = expected.map((each) => Date.parse(each.Date));
    expect(dates).toEqual(dates.toSorted((a, b) => a - b));
    for (const size of [37, 250, 999]) {
      expect(await walkReport(service, 'inbound-detail', WEEK, size)).toEqual(expected);
    }
  });

  it('decision 11, service: the shared identifier returns both summaries, inbound first', async () => {
    const { documents } = await callReport(service, 'outbound-summary', { ...WEEK, size: 10_000 });
    const hasOrigin = documents.map((each) => 'Origin' in each && 'AvegareBotLatency' in each);
    expect(hasOrigin).toContain(true);
    expect(hasOrigin).toContain(false);
    expect(hasOrigin.lastIndexOf(true)).toBeLessThan(hasOrigin.indexOf(false));
  });

  it('decision 11, service: --outbound-summary-id gives each summary an identifier of its own', async () => {
    const outboundSummaryId = '11111111-2222-3333-4444-55555555abcd';
    const separate = await startTestService({ now, outboundSummaryId });
    try {
      const inbound = await callReport(separate, 'inbound-summary', { ...WEEK, size: 10_000 });
      expect(new Set(inbound.documents.map((each) => 'Origin' in each))).toEqual(new Set([true]));
      const response = await post(separate, toReportAddress(separate, outboundSummaryId), {
        ...WEEK,
        size: 10_000,
      });
      const outbound = (await response.json()) as typeof inbound;
      expect(new Set(outbound.documents.map((each) => 'Origin' in each))).toEqual(new Set([false]));
      expect(outbound.idReport).toBe(outboundSummaryId.toUpperCase());
    } finally {
      await separate.stop();
    }
  });

  it('decision 12, service: the Id of a summary record is the session of the newest request in its group', async () => {
    const details = await walkReport<InboundDetailDocument>(service, 'inbound-detail', WEEK, 10_000);
    const { documents } = await callReport(service, 'inbound-summary', { ...WEEK, size: 10_000 });
    const groups = (documents as InboundSummaryDocument[]).filter((each) => 'Origin' in each);
    expect(groups.length).toBeGreaterThan(10);
    for (const group of groups) {
      const newest = details.findLast(
        (each) =>
          each.Channel === group.Channel &&
          each.Service === group.Service &&
          each.Origin === group.Origin &&
          each.ReponseCode === group.ReponseCode,
      );
      expect(group.Id).toBe(newest?.Id);
    }
  });

  it('decision 13, service: no header is served; a bad token or another tenant is 401; --require-token insists', async () => {
    const answered = await post(service, STATUS_PATH);
    expect(answered.status).toBe(200);
    for (const authorization of ['bearer wrong', 'Basic abc', 'bearer']) {
      expect((await post(service, STATUS_PATH, undefined, { authorization })).status).toBe(401);
    }
    expect((await post(service, '/api/ServiceReporting/Status/1002')).status).toBe(401);
    const strict = await startTestService({ now, requireToken: true });
    try {
      const refused = await post(strict, STATUS_PATH);
      expect([refused.status, await refused.text()]).toEqual([401, '']);
      const authorization = `bearer ${await createToken(strict)}`;
      expect((await post(strict, STATUS_PATH, undefined, { authorization })).status).toBe(200);
    } finally {
      await strict.stop();
    }
  });

  it('decision 13, service: listening on anything but loopback needs --require-token', async () => {
    await expect(startTestService({ now, host: '0.0.0.0' })).rejects.toThrow('--require-token');
  });

  it('decision 14, service: tokens are random and opaque and last for their minutes', async () => {
    const short = await startTestService({ now, tokenMinutes: 2 });
    try {
      const token = await createToken(short);
      expect(token).not.toBe(await createToken(short));
      const call = async (): Promise<number> =>
        (await post(short, STATUS_PATH, undefined, { authorization: `bearer ${token}` })).status;
      clockMs = NOW_MS + 119_000;
      expect(await call()).toBe(200);
      clockMs = NOW_MS + 120_000;
      expect(await call()).toBe(401);
    } finally {
      clockMs = NOW_MS;
      await short.stop();
    }
  });

  it('decision 15, service: bearer may be in any letter case', async () => {
    const token = await createToken();
    for (const word of ['bearer', 'Bearer', 'BEARER']) {
      const response = await post(service, STATUS_PATH, undefined, { authorization: `${word} ${token}` });
      expect(response.status).toBe(200);
    }
  });

  it.each([
    '{',
    '',
    [],
    {},
    { accessToken: 'a', accessTokenSecret: 'b', tenant: '1001' },
    { accessToken: 'a', tenant: 1 },
  ])('decision 16, service: CreateToken with %o is 400 with a problem document', async (body) => {
    const response = await post(service, TOKEN_PATH, body);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(await response.json()).toMatchObject({ status: 400, title: 'Bad Request' });
  });

  it('decision 17, service: JSON in UTF-8 both ways; another content type is refused', async () => {
    const response = await post(service, toReportAddress(service, 'inbound-detail'), WEEK);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const refused = await post(service, toReportAddress(service, 'inbound-detail'), WEEK, {
      'content-type': 'text/plain',
    });
    expect(refused.status).toBe(415);
  });

  it.each([undefined, '', '{}', 'not json', '<xml/>'])(
    'decision 18, service: the status ignores the body %o',
    async (body) => {
      for (const type of ['application/json', 'text/plain']) {
        const response = await post(
          service,
          STATUS_PATH,
          body,
          body === undefined ? {} : { 'content-type': type },
        );
        expect(response.status).toBe(200);
      }
    },
  );

  it('decision 19, service: 404 without a body for an unknown report, 405 with Allow for other methods', async () => {
    const unknown = await post(
      service,
      toReportAddress(service, '00000000-0000-0000-0000-000000000000'),
      WEEK,
    );
    expect([unknown.status, await unknown.text()]).toEqual([404, '']);
    const elsewhere = await post(service, '/api/ServiceReporting/Nothing');
    expect([elsewhere.status, await elsewhere.text()]).toEqual([404, '']);
    for (const path of [TOKEN_PATH, STATUS_PATH, toReportAddress(service, 'inbound-detail')]) {
      for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
        const response = await fetch(service.url + path, { method });
        expect([response.status, response.headers.get('allow'), await response.text()]).toEqual([
          405,
          'POST',
          '',
        ]);
      }
    }
  });

  it('decision 20, service: a report identifier may be in any letter case', async () => {
    const identifier = SPECIFIED_REPORT_IDENTIFIERS['inbound-detail'].toLowerCase();
    const response = await post(service, `/api/ServiceReporting/ExecuteReport/1001/${identifier}`, WEEK);
    expect(await response.json()).toMatchObject({ isValid: true, totalDocument: 2000 });
  });

  it('decision 21, service: pageCount is null', async () => {
    expect((await callReport(service, 'inbound-detail', WEEK)).pageCount).toBeNull();
  });

  it('decision 22, service: numbers are numbers and texts are texts; decision 32, service: Count is a text of digits', async () => {
    const { documents } = await callReport(service, 'inbound-summary', WEEK);
    expect(documents.length).toBeGreaterThan(10);
    for (const each of documents as InboundSummaryDocument[]) {
      expect(each.Count).toMatch(/^[1-9]\d*$/);
      expect(Number.isInteger(each.AvegareBotLatency)).toBe(true);
    }
  });

  it('decision 23, service: the spelling is that of the specification', async () => {
    const { documents } = await callReport(service, 'outbound-detail', WEEK);
    expect(Object.keys(documents[0]!).join(' ')).toBe(
      'Id Date Channel Service Client ReponseTime ReponseCode Error ActionId Payload Reponse Origin',
    );
  });

  it('decision 24, service: reports have no limit; CreateToken slows down after 10 refusals in a minute', async () => {
    let elapsedMs = 0;
    const guessed = await startTestService({ now, elapsedMs: () => elapsedMs });
    try {
      const { accessToken, accessTokenSecret, tenant } = guessed;
      const guess = (secret: string): Promise<Response> =>
        post(guessed, TOKEN_PATH, { accessToken, accessTokenSecret: secret, tenant });
      for (let attempt = 0; attempt < 10; attempt += 1) expect((await guess('wrong')).status).toBe(401);
      const slowed = await guess(accessTokenSecret);
      expect(slowed.status).toBe(429);
      expect(Number(slowed.headers.get('retry-after'))).toBe(60);
      expect((await post(guessed, STATUS_PATH)).status).toBe(200);
      elapsedMs = 60_000;
      expect((await guess(accessTokenSecret)).status).toBe(200);
    } finally {
      await guessed.stop();
    }
  });

  it('decision 26, service: many records share an Id, in both directions', async () => {
    const inbound = await walkReport<InboundDetailDocument>(service, 'inbound-detail', WEEK, 10_000);
    const outbound = await walkReport<InboundDetailDocument>(service, 'outbound-detail', WEEK, 10_000);
    const sessions = new Set(inbound.map((each) => each.Id));
    expect(sessions.size).toBeLessThan(inbound.length / 2);
    expect(new Set(outbound.map((each) => each.Id))).toEqual(sessions);
  });

  it('decision 30, service: the printed base address has no trailing slash; a foreign Host is refused', async () => {
    expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const { port } = new URL(service.url);
    for (const [host, expected] of [
      [`127.0.0.1:${port}`, 200],
      [`LOCALHOST:${port}`, 200],
      ['127.0.0.1:1', 421],
      [`evil.example:${port}`, 421],
    ] as const) {
      expect(await callWithHost(Number(port), host)).toBe(expected);
    }
  });

  it('decision 34, service: no response repeats a credential, wherever it was sent', async () => {
    const secrets = ['A-Secret+of/the="caller"', 'another-secret', await createToken()];
    const [accessToken, accessTokenSecret, token] = secrets;
    const authorization = `bearer ${String(token)}`;
    const query = `?${secrets.map(encodeURIComponent).join('&')}`;
    const report = toReportAddress(service, 'inbound-detail');
    const responses = await Promise.all([
      post(service, TOKEN_PATH, { accessToken, accessTokenSecret, tenant: service.tenant }),
      post(service, TOKEN_PATH, { accessToken, accessTokenSecret, tenant: 'none', [String(token)]: token }),
      post(service, TOKEN_PATH, secrets.join('{')),
      post(service, STATUS_PATH + query, { accessToken }, { authorization }),
      post(service, STATUS_PATH, undefined, { authorization: `bearer ${String(accessTokenSecret)}` }),
      post(service, report + query, { ...WEEK, lastDocument: token }, { authorization }),
      post(service, report, { startDate: accessToken, endDate: token, size: accessTokenSecret }),
      post(service, `/${encodeURIComponent(String(accessToken))}${query}`, secrets, { authorization }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([401, 400, 400, 200, 401, 200, 200, 404]);
    for (const response of responses) {
      const text = JSON.stringify([...response.headers]) + (await response.text());
      const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret)]);
      expect(forms.filter((form) => text.includes(form))).toEqual([]);
    }
  });
});

function callWithHost(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const call = httpRequest({
      host: '127.0.0.1',
      port,
      method: 'POST',
      path: STATUS_PATH,
      headers: { host },
    });
    call.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on('error', reject);
    call.end();
  });
}
