import { Validator } from '@seriousme/openapi-schema-validator';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPORT_KINDS } from '../../src-main/common/reporting/reports.ts';
import { ReportRequest, TokenRequest } from '../../src-main/common/reporting/wire-documents.ts';
import type { RunningService } from '../../src-main/service/start-service.ts';
import { startBareService } from '../support/service/random-traffic.ts';
import { startTestService } from '../support/service/running-service.ts';
import { post, toPeriod, toReportAddress } from '../support/service/service-calls.ts';
import { ServiceDescription, type GivenAnswer } from '../support/service/service-description.ts';

const WEEK = toPeriod(Date.now() - 7 * 86_400_000, Date.now());
const TOKEN = '/api/ServiceReporting/CreateToken';
const STATUS = '/api/ServiceReporting/Status/1001';

describe('the description of the service', () => {
  let service: RunningService;
  let description: ServiceDescription;
  beforeAll(async () => {
    service = await startTestService({ records: 300, requireToken: true });
    description = await ServiceDescription.read(service);
  });
  afterAll(() => service.stop());

  it('is valid OpenAPI 3.1, and needs no token', async () => {
    const response = await fetch(`${service.url}/openapi.json`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const document = (await response.json()) as Record<string, unknown>;
    expect(document['openapi']).toMatch(/^3\.1\./);
    expect(await new Validator().validate(document)).toEqual({ valid: true });
  });

  it('describes the six operations, the two summaries in one where they share an identifier', async () => {
    const toIds = ({ operations }: ServiceDescription): string[] =>
      operations.map((each) => each.operationId);
    const [first, status, ...reports] = toIds(description);
    expect([first, status]).toEqual(['createToken', 'getTenantStatus']);
    expect(reports.toSorted()).toEqual(
      ['getDescription', 'inboundAndOutboundSummary', 'inboundDetail', 'outboundDetail'].toSorted(),
    );
    const separate = await startTestService({ quirks: ['separate-outbound-summary'], records: 10 });
    const own = await ServiceDescription.read(separate);
    await separate.stop();
    expect(toIds(own)).toEqual(expect.arrayContaining(['inboundSummary', 'outboundSummary']));
    expect(own.operations).toHaveLength(7);
    expect(await new Validator().validate({ ...own.document })).toEqual({ valid: true });
  });

  it('holds the very schemas that requests are checked with', () => {
    const { schemas } = description.document['components'] as { schemas: object };
    expect(schemas).toMatchObject(
      JSON.parse(JSON.stringify({ TokenRequest, ReportRequest })) as Record<string, unknown>,
    );
  });

  it('gives examples that fit, of every request and every response with a body', () => {
    for (const { operationId, bodySchema, bodyExamples, answers } of description.operations) {
      for (const example of bodyExamples) {
        expect(description.fits(bodySchema!, example), operationId).toBe(true);
      }
      for (const [status, { content = {} }] of Object.entries(answers)) {
        for (const { schema, example, examples = {} } of Object.values(content)) {
          const values =
            example === undefined ? Object.values(examples).map((each) => each.value) : [example];
          expect(values.length, `${operationId} ${status}`).toBeGreaterThan(0);
          for (const value of values) expect(description.fits(schema, value), operationId).toBe(true);
        }
      }
    }
  });

  it('leaves no route out', async () => {
    const bare = await startBareService();
    const { routes } = bare;
    await bare.stop();
    // A report has a route of its own; other letter cases of its identifier share one.
    expect(routes.match(/\S+ \((POST|GET)\)/g)?.toSorted()).toEqual([
      '/api/ServiceReporting/CreateToken (POST)',
      '/api/ServiceReporting/ExecuteReport/:tenant/29CDB989-6221-4742-96CA-1A878545B5A3 (POST)',
      '/api/ServiceReporting/ExecuteReport/:tenant/69FD4E08-7BD1-45B3-9370-1EF0DC774EB5 (POST)',
      '/api/ServiceReporting/ExecuteReport/:tenant/7B9D4B85-0176-428B-BFED-9618940D473A (POST)',
      '/api/ServiceReporting/ExecuteReport/:tenant/:report (POST)',
      '/api/ServiceReporting/Status/:tenant (POST)',
      '/openapi.json (GET)',
    ]);
  });

  it('names the responses of each operation', () => {
    const common = [400, 408, 413, 414, 417, 421, 431, 500, 503];
    const toStatuses = (id: string): number[] =>
      Object.keys(description.operations.find((each) => each.operationId === id)!.answers).map(Number);
    const sorted = (...own: number[]): number[] => [...common, ...own].toSorted((a, b) => a - b);
    expect(toStatuses('createToken')).toEqual(sorted(200, 401, 415, 429));
    expect(toStatuses('getTenantStatus')).toEqual(sorted(200, 401));
    expect(toStatuses('inboundDetail')).toEqual(sorted(200, 401, 415));
    expect(toStatuses('getDescription')).toEqual(sorted(200));
  });

  it('fits what the service really returns', async () => {
    const { accessToken, accessTokenSecret, tenant } = service;
    const created = await post(service, TOKEN, { accessToken, accessTokenSecret, tenant });
    const { token } = (await created.clone().json()) as { token: string };
    const authorization = `bearer ${token}`;
    const expectDescribed = async (path: string, response: Response, status: number): Promise<void> => {
      const answer: GivenAnswer = {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.text(),
      };
      expect([answer.status, description.findFault('POST', path, answer)]).toEqual([status, null]);
    };
    await expectDescribed(TOKEN, created, 200);
    await expectDescribed(TOKEN, await post(service, TOKEN, { tenant }), 400);
    await expectDescribed(TOKEN, await post(service, TOKEN, {}, { 'content-type': 'text/plain' }), 415);
    await expectDescribed(TOKEN, await post(service, TOKEN, 'x'.repeat(70_000)), 413);
    const wrong = { accessToken, accessTokenSecret: 'wrong', tenant };
    for (let index = 0; index < 10; index += 1) {
      await expectDescribed(TOKEN, await post(service, TOKEN, wrong), 401);
    }
    await expectDescribed(TOKEN, await post(service, TOKEN, wrong), 429);
    await expectDescribed(STATUS, await post(service, STATUS), 401);
    await expectDescribed(STATUS, await post(service, STATUS, '?', { authorization }), 200);
    for (const kind of REPORT_KINDS) {
      const path = toReportAddress(service, kind);
      for (const body of [WEEK, { ...WEEK, size: 7 }, { ...WEEK, size: -7 }, '{']) {
        await expectDescribed(path, await post(service, path, body, { authorization }), 200);
        await expectDescribed(path.toLowerCase(), await post(service, path.toLowerCase(), body), 404);
      }
      await expectDescribed(path, await post(service, path, WEEK), 401);
      await expectDescribed(path, await post(service, `${path}?${'a'.repeat(5_000)}`, WEEK), 414);
    }
  });

  it('is worth the name: it refuses what is not as specified', () => {
    const answer = {
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: '{}',
    };
    expect(description.findFault('POST', STATUS, answer)).toContain('not by its schema');
    expect(description.findFault('POST', STATUS, { ...answer, status: 402 })).toContain('402');
    expect(Value.Check(ReportRequest, { startDate: '2026-11-20T00:00:00', endDate: '' })).toBe(false);
  });
});
