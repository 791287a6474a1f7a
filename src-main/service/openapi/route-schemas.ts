import type { FastifySchema } from 'fastify';
import { REPORTS } from '../../common/reporting/reports.ts';
import { TokenRequest } from '../../common/reporting/wire-schemas.ts';
import { DEFAULT_SIZE, MAXIMUM_PAGE_SIZE } from '../reports/read-report-request.ts';
import type { ServedReport } from '../reports/report-catalog.ts';
import { refer, toEnvelopeSchema } from './component-schemas.ts';
import {
  COMMON_RESPONSES,
  describeProblem,
  describeSuccess,
  SLOWED_DOWN,
  UNAUTHORISED,
  UNSUPPORTED_BODY,
} from './describe-responses.ts';
import {
  REPORT_REQUEST_EXAMPLES,
  STATUS_EXAMPLE,
  TOKEN_REQUEST_EXAMPLE,
  TOKEN_RESPONSE_EXAMPLE,
  toReportExamples,
} from './examples.ts';

export const CREATE_TOKEN_SCHEMA: FastifySchema = {
  operationId: 'createToken',
  summary: 'Operation 1: create token',
  security: [],
  body: { allOf: [refer('TokenRequest')], examples: [TOKEN_REQUEST_EXAMPLE] },
  response: {
    ...COMMON_RESPONSES,
    200: describeSuccess('The token.', refer('TokenResponse'), { token: { value: TOKEN_RESPONSE_EXAMPLE } }),
    400: describeProblem(
      400,
      'The request is malformed, or the body is not as specified; `errors` says where.',
    ),
    401: UNAUTHORISED,
    415: UNSUPPORTED_BODY,
    429: SLOWED_DOWN,
  },
};

/** Returns the schema of operation 2. */
export function toStatusSchema(tenant: number): FastifySchema {
  return {
    operationId: 'getTenantStatus',
    summary: 'Operation 2: tenant status report',
    description: 'TrafficInformation holds a JSON array of TrafficGroup as text. A body is ignored.',
    params: toTenantSchema(tenant),
    response: {
      ...COMMON_RESPONSES,
      200: describeSuccess('The status.', refer('StatusResponse'), { status: { value: STATUS_EXAMPLE } }),
      401: UNAUTHORISED,
    },
  };
}

/** Returns the schema of the operations, 3 to 6, that a report is served by. */
export function toReportSchema(tenant: number, report: ServedReport): FastifySchema {
  const numbers = report.kinds.map((kind) => REPORTS[kind].operation);
  return {
    operationId: toOperationId(report),
    summary: `Operation ${numbers.join(' and ')}: ${report.name}`,
    description:
      'The identifier may be written in any letter case; the response to an unknown one is 404 with no body.',
    params: toTenantSchema(tenant),
    body: {
      allOf: [refer('ReportRequest')],
      description:
        `Both ends of the period are included at whole seconds. ${String(DEFAULT_SIZE)} documents when size is ` +
        `left out, at most ${String(MAXIMUM_PAGE_SIZE)}. Further fields are ignored.`,
      'x-examples': REPORT_REQUEST_EXAMPLES,
    },
    response: {
      ...COMMON_RESPONSES,
      200: describeSuccess(
        'A page. isValid is false, with errors and no documents, when the body is not valid.',
        toEnvelopeSchema(report),
        toReportExamples(report),
      ),
      401: UNAUTHORISED,
      415: UNSUPPORTED_BODY,
    },
  };
}

export const DESCRIPTION_SCHEMA: FastifySchema = {
  operationId: 'getDescription',
  summary: 'This description',
  security: [],
  response: {
    ...COMMON_RESPONSES,
    200: describeSuccess('OpenAPI 3.1.', { type: 'object' }, { least: { value: { openapi: '3.1.0' } } }),
  },
};

function toTenantSchema(tenant: number): object {
  const description = 'Numeric identifier of the tenant.';
  const schema = { ...TokenRequest.properties.tenant, description, examples: [tenant] };
  return { type: 'object', properties: { tenant: schema } };
}

function toOperationId({ kinds: [only = 'inbound-summary', ...others] }: ServedReport): string {
  const { direction, level } = REPORTS[only];
  const whose = others.length > 0 ? 'inboundAndOutbound' : direction;
  return `${whose}${level === 'detail' ? 'Detail' : 'Summary'}`;
}
