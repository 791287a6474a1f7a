import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  REPORT_KINDS,
  SPECIFIED_REPORT_IDENTIFIERS,
  isGuid,
} from '../../src-main/common/reporting/reports.ts';
import type {
  InboundDetailDocument,
  InboundSummaryDocument,
  OutboundDetailDocument,
  StatusResponse,
} from '../../src-main/common/reporting/wire-documents.ts';
import type { RunningService } from '../../src-main/service/start-service.ts';
import { describeOverHttp } from '../support/service/engines.ts';
import { startTestService } from '../support/service/running-service.ts';
import { callReport, post, toPeriod, toReportAddress, walkReport } from '../support/service/service-calls.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 20, 15, 30, 12, 345);
const WEEK = toPeriod(NOW_MS - 7 * DAY_MS, NOW_MS);
const TOKEN = '/api/ServiceReporting/CreateToken';
const STATUS = '/api/ServiceReporting/Status/1001';

/** What the specification says in so many words and no other file here tests; titles name its sections. */
describeOverHttp('the specification', (engine) => {
  let service: RunningService;
  let strict: RunningService;
  beforeAll(async () => {
    service = await startTestService({ ...engine, now: () => NOW_MS });
    strict = await startTestService({ ...engine, now: () => NOW_MS, requireToken: true, records: 200 });
  });
  afterAll(async () => {
    await service.stop();
    await strict.stop();
  });
  const toTokenRequest = (of: RunningService): Record<string, unknown> => {
    const { accessToken, accessTokenSecret, tenant } = of;
    return { accessToken, accessTokenSecret, tenant };
  };

  describe('Token request body', () => {
    it.each(['accessToken', 'accessTokenSecret', 'tenant'])('%s is required', async (field) => {
      const response = await post(service, TOKEN, { ...toTokenRequest(service), [field]: undefined });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ errors: [{ field }] });
    });

    it('is a JSON object: text, text and a number', async () => {
      const given = toTokenRequest(service);
      for (const change of [{ accessToken: 7 }, { accessTokenSecret: null }, { tenant: '1001' }]) {
        expect((await post(service, TOKEN, { ...given, ...change })).status).toBe(400);
      }
    });
  });

  it('Token response body: token, a text, and nothing else', async () => {
    const response = await post(service, TOKEN, toTokenRequest(service));
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({ token: expect.stringMatching(/./) as string });
  });

  describe('Report request body', () => {
    it('an empty lastDocument asks for the first page, as one left out does', async () => {
      for (const kind of REPORT_KINDS) {
        const first = await callReport(service, kind, WEEK);
        const { documents } = await callReport(service, kind, { ...WEEK, lastDocument: '' });
        expect(documents).toEqual(first.documents);
      }
    });

    it('size is the number of records', async () => {
      for (const size of [1, 2, 99, 101]) {
        expect((await callReport(service, 'outbound-detail', { ...WEEK, size })).documents).toHaveLength(
          size,
        );
      }
    });

    it.each(['startDate', 'endDate'])('%s is required in all four reports', async (field) => {
      for (const kind of REPORT_KINDS) {
        const page = await callReport(service, kind, { ...WEEK, [field]: undefined });
        expect([page.isValid, page.errors?.map((fault) => fault.field)]).toEqual([false, [field]]);
      }
    });

    it.each([
      ...[
        '2026-11-20',
        '2026-11-20 10:15',
        '2026-11-20 10:15:30.000',
        ' 2026-11-20 10:15:30',
        '20-11-2026 10:15:30',
      ],
      ...[
        '2026-13-01 00:00:00',
        '2026-02-29 00:00:00',
        '2026-11-20 24:00:00',
        '2026-11-20 10:60:00',
        '2026-00-10 00:00:00',
      ],
    ])('the date %s is not one written as YYYY-MM-DD HH:MM:SS', async (startDate) => {
      const page = await callReport(service, 'inbound-detail', { ...WEEK, startDate });
      expect(page.errors).toMatchObject([{ field: 'startDate' }]);
    });
  });

  describe('Report response envelope', () => {
    it.each(REPORT_KINDS)('%s: identifier, name, time and an exact total', async (kind) => {
      const startedMs = performance.now();
      const page = await callReport(service, kind, { ...WEEK, size: 1 });
      expect(page.executionTime).toBeGreaterThanOrEqual(0);
      expect(page.executionTime).toBeLessThan(performance.now() - startedMs);
      expect(page.idReport).toBe(SPECIFIED_REPORT_IDENTIFIERS[kind]);
      expect(isGuid(page.idReport)).toBe(true);
      expect(page.nameVisualization).toMatch(/health/i);
      expect(page.pageCount).toBeNull();
      const all = await walkReport(service, kind, WEEK, 500, ({ totalDocument }) => {
        expect(totalDocument).toBe(page.totalDocument);
      });
      expect(all).toHaveLength(page.totalDocument);
    });

    it('isValid is true when the body is valid, and there are no errors then', async () => {
      const page = await callReport(service, 'inbound-detail', WEEK);
      expect(page.isValid).toBe(true);
      expect(page).not.toHaveProperty('errors');
    });
  });

  describe('Records', () => {
    it('of detail reports are requests of the period, with a session each', async () => {
      const inbound = await walkReport<InboundDetailDocument>(service, 'inbound-detail', WEEK, 10_000);
      const outbound = await walkReport<OutboundDetailDocument>(service, 'outbound-detail', WEEK, 10_000);
      expect(inbound.length).toBeGreaterThan(0);
      expect(outbound.length).toBeGreaterThan(0);
      for (const each of [...inbound, ...outbound]) {
        expect(isGuid(each.Id)).toBe(true);
        expect(each.Client).not.toBe('');
        expect(each.Origin).not.toBe('');
        expect(each.ReponseTime).toBeGreaterThan(0);
        expect(Date.parse(each.Date)).toBeGreaterThanOrEqual(NOW_MS - 7 * DAY_MS - 1_000);
        expect(Date.parse(each.Date)).toBeLessThan(NOW_MS);
        expect(each.Error === '', `Error of ${each.ReponseCode}`).toBe(each.ReponseCode < 400);
      }
      for (const each of outbound) expect(each.ActionId).toMatch(/^(-1|\d+)$/);
    });

    it('of summaries are one for each channel, service, origin (inbound) and response code', async () => {
      const { documents } = await callReport(service, 'inbound-summary', { ...WEEK, size: 10_000 });
      const keys = (documents as InboundSummaryDocument[]).map((each) =>
        [each.Channel, each.Service, each.ReponseCode, 'Origin' in each ? each.Origin : null].join('|'),
      );
      expect(keys.length).toBeGreaterThan(0);
      expect(new Set(keys).size).toBe(keys.length);
      expect((documents as InboundSummaryDocument[]).every((each) => isGuid(each.Id))).toBe(true);
    });
  });

  it('States and transitions: up and down, in these letters', async () => {
    const status = (await (await post(service, STATUS)).json()) as StatusResponse;
    expect(['up', 'down']).toContain(status.Status);
    expect(['up', 'down']).toContain(status.ConnectorStatus);
  });

  describe('Endpoints', () => {
    it('no query-string parameters are described: none changes a response', async () => {
      const path = toReportAddress(service, 'inbound-detail');
      const plain = (await (await post(service, path, WEEK)).json()) as { documents: unknown };
      const response = await post(service, `${path}?size=1&lastDocument=x&tenant=2`, WEEK);
      expect(await response.json()).toMatchObject({ documents: plain.documents });
    });

    it('the paths are exactly these', async () => {
      const paths = [TOKEN, STATUS, toReportAddress(service, 'inbound-detail')];
      for (const path of paths) {
        for (const other of [
          `${path}/`,
          path.replace('/api', '/API'),
          path.replace('/api', '/v1/api'),
          `/x${path}`,
        ]) {
          expect((await post(service, other, WEEK)).status).toBe(404);
        }
      }
    });
  });

  describe('Authentication', () => {
    it('operation 1 needs no token, also where the others do, and reads none', async () => {
      for (const headers of [{}, { authorization: 'bearer unknown' }]) {
        expect(
          (await post(strict, TOKEN, toTokenRequest(strict), headers as Record<string, string>)).status,
        ).toBe(200);
      }
    });

    it('operations 2 to 6 respond with a token, and 401 with no body without one where it is required', async () => {
      const { token } = (await (await post(strict, TOKEN, toTokenRequest(strict))).json()) as {
        token: string;
      };
      const paths = [STATUS, ...REPORT_KINDS.map((kind) => toReportAddress(strict, kind))];
      for (const path of paths) {
        const refused = await post(strict, path, WEEK);
        expect([refused.status, await refused.text()]).toEqual([401, '']);
        const answered = await post(strict, path, WEEK, { authorization: `bearer ${token}` });
        expect(answered.status).toBe(200);
        expect(answered.headers.get('content-type')).toBe('application/json; charset=utf-8');
      }
    });

    it('credentials are per tenant: those of one are refused for another', async () => {
      const given = toTokenRequest(service);
      for (const tenant of [1002, 0, 10_010]) {
        const refused = await post(service, TOKEN, { ...given, tenant });
        expect([refused.status, await refused.text()]).toEqual([401, '']);
      }
      const foreign = await post(service, TOKEN, toTokenRequest(strict));
      expect(foreign.status).toBe(401);
    });
  });

  it('decision 25, service: the table of deprecations is served nowhere, nor what it names', async () => {
    for (const path of [
      '/api/ServiceReporting/Deprecations',
      '/api/v2/conversations/messages/inbound/open',
    ]) {
      expect((await post(service, path, {})).status).toBe(404);
    }
  });

  it('a simulation can be set by nobody over HTTP', async () => {
    for (const path of [
      '/simulation',
      '/api/simulation',
      '/api/ServiceReporting/Simulation',
      `${STATUS}/down`,
    ]) {
      expect((await post(service, path, { platformDown: true })).status).toBe(404);
    }
    expect(await (await post(service, STATUS, { Status: 'down' })).json()).toMatchObject({ Status: 'up' });
  });

  it('decision 29, service: never redirects', async () => {
    const paths = ['', '/', '/api', `${STATUS}/`, `${TOKEN}/..`, '/%2f%2fevil.example', '//evil.example'];
    const statuses: number[] = [];
    for (const path of paths) {
      const response = await fetch(`${service.url}${path}`, { method: 'POST', redirect: 'manual' });
      expect(response.headers.get('location')).toBeNull();
      statuses.push(response.status);
    }
    expect(statuses).toEqual([404, 404, 404, 404, 404, 404, 400]);
  });
});
