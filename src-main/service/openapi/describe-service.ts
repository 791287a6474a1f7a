import { CREATE_TOKEN_PATH, toReportPath, toStatusPath } from '../../common/reporting/paths.ts';
import { REPORTS } from '../../common/reporting/reports.ts';
import { DEFAULT_SIZE, MAXIMUM_PAGE_SIZE } from '../reports/read-report-request.ts';
import type { ServedReport } from '../reports/report-catalog.ts';
import { COMPONENT_SCHEMAS, refer, toEnvelopeSchema } from './component-schemas.ts';
import {
  COMMON_ANSWERS,
  describeProblem,
  describeSuccess,
  SLOWED_DOWN,
  UNAUTHORISED,
  UNSUPPORTED_BODY,
} from './describe-answers.ts';
import {
  REPORT_REQUEST_EXAMPLES,
  STATUS_EXAMPLE,
  TOKEN_REQUEST_EXAMPLE,
  TOKEN_RESPONSE_EXAMPLE,
  toReportExamples,
} from './examples.ts';
import { OPENAPI_PATH } from './openapi-path.ts';

/** The service in the words of OpenAPI 3.1, written from the schemas that it checks requests with. */
export function describeService(
  tenant: number,
  catalog: readonly ServedReport[],
  requireToken: boolean,
): object {
  // Without a header an operation answers unless tokens are required (decision 13).
  const security = requireToken ? [{ token: [] }] : [{ token: [] }, {}];
  const reports = catalog.map((report) => [
    toTemplate(toReportPath(tenant, report.idReport), tenant),
    { parameters: [toTenantParameter(tenant)], post: { ...describeReport(report), security } },
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Reporting and health monitoring service',
      version: '1',
      description:
        'Status of a messaging platform and its connector, and the health of incoming and outgoing requests.',
    },
    servers: [{ url: '/' }],
    paths: {
      [CREATE_TOKEN_PATH]: { post: describeCreateToken() },
      [toTemplate(toStatusPath(tenant), tenant)]: {
        parameters: [toTenantParameter(tenant)],
        post: { ...describeStatus(), security },
      },
      ...(Object.fromEntries(reports) as Record<string, object>),
      [OPENAPI_PATH]: { get: describeDescription() },
    },
    components: {
      schemas: COMPONENT_SCHEMAS,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token that operation 1 answers with.' },
      },
    },
  };
}

function toTemplate(path: string, tenant: number): string {
  return path.replace(`/${String(tenant)}`, '/{tenant}');
}

function toTenantParameter(tenant: number): object {
  return {
    name: 'tenant',
    in: 'path',
    required: true,
    description: 'Numeric identifier of the tenant.',
    schema: COMPONENT_SCHEMAS.TokenRequest.properties.tenant,
    example: tenant,
  };
}

function describeCreateToken(): object {
  return {
    operationId: 'createToken',
    summary: 'Operation 1: create token',
    security: [],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: refer('TokenRequest'), example: TOKEN_REQUEST_EXAMPLE } },
    },
    responses: {
      ...COMMON_ANSWERS,
      200: describeSuccess('The token.', refer('TokenResponse'), {
        token: { value: TOKEN_RESPONSE_EXAMPLE },
      }),
      400: describeProblem(
        400,
        'The request is malformed, or the body is not as specified; `errors` says where.',
      ),
      401: UNAUTHORISED,
      415: UNSUPPORTED_BODY,
      429: SLOWED_DOWN,
    },
  };
}

function describeStatus(): object {
  return {
    operationId: 'getTenantStatus',
    summary: 'Operation 2: tenant status report',
    description: 'TrafficInformation holds a JSON array of TrafficGroup as text. A body is ignored.',
    responses: {
      ...COMMON_ANSWERS,
      200: describeSuccess('The status.', refer('StatusResponse'), { status: { value: STATUS_EXAMPLE } }),
      401: UNAUTHORISED,
    },
  };
}

function describeReport(report: ServedReport): object {
  const numbers = report.kinds.map((kind) => REPORTS[kind].operation);
  return {
    operationId: toOperationId(report),
    summary: `Operation ${numbers.join(' and ')}: ${report.name}`,
    description:
      'The identifier may be written in any letter case; an unknown one is answered with 404 and no body.',
    requestBody: {
      required: true,
      description:
        `Both ends of the period are included at whole seconds. ${String(DEFAULT_SIZE)} documents when size is ` +
        `left out, at most ${String(MAXIMUM_PAGE_SIZE)}. Further fields are ignored.`,
      content: {
        'application/json': { schema: refer('ReportRequest'), examples: REPORT_REQUEST_EXAMPLES },
      },
    },
    responses: {
      ...COMMON_ANSWERS,
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

function toOperationId({ kinds: [only = 'inbound-summary', ...others] }: ServedReport): string {
  const { direction, level } = REPORTS[only];
  const whose = others.length > 0 ? 'inboundAndOutbound' : direction;
  return `${whose}${level === 'detail' ? 'Detail' : 'Summary'}`;
}

function describeDescription(): object {
  return {
    operationId: 'getDescription',
    summary: 'This description',
    security: [],
    responses: {
      ...COMMON_ANSWERS,
      200: describeSuccess('OpenAPI 3.1.', { type: 'object' }, { least: { value: { openapi: '3.1.0' } } }),
    },
  };
}
