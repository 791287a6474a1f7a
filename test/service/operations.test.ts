import { afterAll, beforeAll, expect, it } from 'vitest';
import { Value } from 'typebox/value';
import { REPORT_KINDS } from '../../src-main/common/reporting/reports.ts';
import {
  InboundDetailDocument,
  InboundSummaryDocument,
  OutboundDetailDocument,
  OutboundSummaryDocument,
  StatusResponse,
  TokenResponse,
} from '../../src-main/common/reporting/wire-documents.ts';
import type { RunningService } from '../../src-main/service/start-service.ts';
import { describeOverHttp } from '../support/service/engines.ts';
import { startTestService } from '../support/service/running-service.ts';
import { callReport, post, toPeriod, toReportAddress } from '../support/service/service-calls.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 15, 30, 12, 345);
const MONTH = toPeriod(NOW_MS - 30 * 86_400_000, NOW_MS);

describeOverHttp('the six operations', (engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startTestService({ ...engine, now: () => NOW_MS });
  });
  afterAll(() => service.stop());

  const createToken = (change: object = {}): Promise<Response> =>
    post(service, '/api/ServiceReporting/CreateToken', {
      accessToken: service.accessToken,
      accessTokenSecret: service.accessTokenSecret,
      tenant: service.tenant,
      ...change,
    });

  it('operation 1 creates a token that the others accept', async () => {
    const response = await createToken();
    expect(response.status).toBe(200);
    const body = Value.Parse(TokenResponse, await response.json());
    const answer = await post(service, toReportAddress(service, 'inbound-detail'), MONTH, {
      authorization: `bearer ${body.token}`,
    });
    expect(answer.status).toBe(200);
  });

  it.each([{ accessToken: 'wrong' }, { accessTokenSecret: 'wrong' }, { tenant: 1002 }])(
    'operation 1 responds 401 with no body for %o',
    async (change) => {
      await expectEmpty401(await createToken(change));
    },
  );

  it('operation 2 returns the tenant status with the specified types', async () => {
    const response = await post(service, '/api/ServiceReporting/Status/1001');
    const status = Value.Parse(StatusResponse, await response.json());
    expect(status.Sessions).toBeGreaterThan(0);
  });

  it('operation 2 returns a response time however long ago the newest request was', async () => {
    let clockMs = NOW_MS;
    const idle = await startTestService({ now: () => clockMs, records: 300 });
    try {
      clockMs += 3 * 86_400_000;
      const response = await post(idle, '/api/ServiceReporting/Status/1001');
      const status = Value.Parse(StatusResponse, await response.json());
      expect(status.Sessions).toBe(0);
      expect(status.InternalReponseTime).toBeGreaterThan(20);
      expect(status.InternalReponseTime).toBeLessThan(5_000);
    } finally {
      await idle.stop();
    }
  });

  it('operation 2 counts tens of sessions even at night', async () => {
    const nightMs = Date.UTC(2026, 10, 22, 3);
    const night = await startTestService({ now: () => nightMs, records: 200_000, days: 30 });
    try {
      const response = await post(night, '/api/ServiceReporting/Status/1001');
      const status = Value.Parse(StatusResponse, await response.json());
      expect(status.Sessions).toBeGreaterThan(20);
      expect(status.Sessions).toBeLessThan(500);
    } finally {
      await night.stop();
    }
  });

  it('operation 3 returns inbound detail records', async () => {
    const page = await callReport(service, 'inbound-detail', { ...MONTH, size: 50 });
    expect(page).toMatchObject({ isValid: true, totalDocument: 2000 });
    expect(page.documents).toHaveLength(50);
    expect(page.documents.every((each) => Value.Check(InboundDetailDocument, each))).toBe(true);
    for (const each of page.documents as InboundDetailDocument[]) JSON.parse(each.Payload);
  });

  it('operation 4 returns inbound summary records', async () => {
    const page = await callReport(service, 'inbound-summary', { ...MONTH, size: 10_000 });
    expect(page.documents).toHaveLength(page.totalDocument);
    const inbound = page.documents.filter((each) => Value.Check(InboundSummaryDocument, each));
    expect(inbound.length).toBeGreaterThan(20);
  });

  it('operation 5 returns outbound detail records', async () => {
    const page = await callReport(service, 'outbound-detail', { ...MONTH, size: 1000 });
    const documents = page.documents.filter((each) => Value.Check(OutboundDetailDocument, each));
    expect(documents).toHaveLength(1000);
    const actions = new Set(documents.map((each) => each.ActionId));
    expect(actions).toContain('-1');
    expect([...actions].filter((each) => Number(each) > 0).length).toBeGreaterThan(5);
  });

  it('operation 6 returns outbound summary records', async () => {
    const page = await callReport(service, 'outbound-summary', { ...MONTH, size: 10_000 });
    const outbound = page.documents.filter((each) => Value.Check(OutboundSummaryDocument, each));
    expect(outbound.length).toBeGreaterThan(20);
  });

  it.each(['Status/1001', 'Status/77', ...REPORT_KINDS])(
    '%s responds 401 with no body',
    async (operation) => {
      const path = operation.startsWith('Status')
        ? `/api/ServiceReporting/${operation}`
        : toReportAddress(service, operation as 'inbound-detail');
      await expectEmpty401(await post(service, path, MONTH, { authorization: 'bearer unknown' }));
    },
  );
});

async function expectEmpty401(response: Response): Promise<void> {
  expect(response.status).toBe(401);
  expect(response.headers.get('content-length')).toBe('0');
  expect(response.headers.get('content-type')).toBeNull();
  expect(await response.text()).toBe('');
}
