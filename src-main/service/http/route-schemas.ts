import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { Type } from 'typebox';
import { REPORTS, type ReportKind } from '../../common/reporting/reports.ts';
import {
  InboundDetailDocument,
  InboundSummaryDocument,
  OutboundDetailDocument,
  OutboundSummaryDocument,
  Problem,
  ReportRequest,
  ReportResponse,
  RequestFault,
  StatusResponse,
  TokenRequest,
  TokenResponse,
  toWireDocument,
  toWireStatus,
  TrafficGroup,
  writeTraffic,
} from '../../common/reporting/wire-documents.ts';
import { toReason } from '../../node/http/problem.ts';
import { DEFAULT_SIZE, MAXIMUM_PAGE_SIZE, type ServedReport } from '../reports/report-catalog.ts';

const RETRY_AFTER = {
  'Retry-After': { type: 'integer', minimum: 1, description: 'Whole seconds to wait.' },
};

/** Responses of every operation, because they are sent before it is known which one is meant. */
const COMMON_RESPONSES: Readonly<Record<string, object>> = {
  400: describeProblem(400, 'The request is not one of HTTP/1.1 for a path of this service.'),
  408: describeProblem(408, 'Headers took longer than 5 seconds, or the whole request longer than 10.'),
  413: describeProblem(413, 'The body is larger than 65,536 bytes.'),
  414: describeProblem(414, 'The target is longer than 4,096 characters, or a part of it longer than 100.'),
  417: describeEmpty('An expectation other than 100-continue.'),
  421: describeEmpty('The Host is not an address that the service listens on, or is given twice.'),
  431: describeProblem(431, 'Headers of more than 16,384 bytes or 64 lines.'),
  500: describeProblem(500, 'A fault of the service.'),
  503: {
    ...describeProblem(503, 'Too many requests at once, closing, or the store can not be read.'),
    headers: RETRY_AFTER,
  },
};

/** Bodies that are not JSON in UTF-8 (decision 17). */
const UNSUPPORTED_BODY = describeProblem(415, 'The body is not uncompressed JSON in UTF-8.');

/** Wrong credentials, tokens and tenants (specification, section Errors). */
const UNAUTHORISED = describeEmpty(
  'Unauthorized: wrong credentials, an unknown or expired token, or another tenant.',
);

/** Guessing is slowed down (decision 24). */
const SLOWED_DOWN: object = {
  ...describeEmpty('10 refusals within a minute from this address.'),
  headers: RETRY_AFTER,
};

const COMMON = {
  sessionId: '0f3c2f5e-7a51-4a39-8d10-9a2f6f0a7c11',
  channel: 2,
  service: 3,
  responseCode: 200,
  origin: 'web',
};
const DETAIL = { ...COMMON, client: 'client-0042', error: '' };
const SUMMARY = { ...COMMON, count: '1204', averageResponseTimeMs: 201.25 };
const DOCUMENTS = {
  'inbound-detail': toWireDocument('inbound-detail', {
    ...DETAIL,
    dateText: '2026-11-20T10:15:30.123Z',
    responseTimeMs: 182.417,
    botLatencyMs: 64,
    payload: '{"type":"text","text":"Hello"}',
  }),
  'inbound-summary': toWireDocument('inbound-summary', { ...SUMMARY, averageBotLatencyMs: 71 }),
  'outbound-detail': toWireDocument('outbound-detail', {
    ...DETAIL,
    dateText: '2026-11-20T10:15:30.305Z',
    responseTimeMs: 95.2,
    actionId: '-1',
    payload: '{"type":"text","text":"Good morning"}',
    response: '{"status":"accepted"}',
  }),
  'outbound-summary': toWireDocument('outbound-summary', SUMMARY),
};

const TOKEN_REQUEST_EXAMPLE: TokenRequest = {
  accessToken: 'the access token of the tenant',
  accessTokenSecret: 'the secret that belongs to it',
  tenant: 1001,
};

const TOKEN_RESPONSE_EXAMPLE: TokenResponse = { token: 'an opaque text' };

/** A request for the first page, and one that leaves out what may be left out. */
const REPORT_REQUEST_EXAMPLES: Readonly<Record<string, { readonly value: ReportRequest }>> = {
  first: {
    value: { startDate: '2026-11-20 00:00:00', endDate: '2026-11-20 23:59:59', size: 1000, lastDocument: '' },
  },
  least: { value: { startDate: '2026-11-20 00:00:00', endDate: '2026-11-20 23:59:59' } },
};

const TRAFFIC = { division: 1, channel: 2, service: 3, sessions: 57 };
const STATUS_EXAMPLE: StatusResponse = toWireStatus({
  ...TRAFFIC,
  internalResponseTimeMs: 212,
  platform: 'up',
  traffic: writeTraffic([TRAFFIC]),
  connector: 'up',
});

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

/** A page and a refusal of a report. */
function toReportExamples(
  report: ServedReport,
): Readonly<Record<'page' | 'refusal', { readonly value: ReportResponse }>> {
  const documents = report.kinds.map((kind) => DOCUMENTS[kind]);
  const head = { executionTime: 1.25, idReport: report.idReport, nameVisualization: report.name };
  const rest = { pageCount: null, lastDocument: '' };
  const errors = [{ field: 'endDate', message: 'The date is missing.' }];
  const totalDocument = documents.length;
  return {
    page: { value: { isValid: true, ...head, totalDocument, ...rest, documents } },
    refusal: { value: { isValid: false, ...head, totalDocument: 0, ...rest, documents: [], errors } },
  };
}

/** Returns a response of 200 in JSON. */
function describeSuccess(description: string, schema: object, examples: object): object {
  return { description, content: { 'application/json': { schema, examples } } };
}

/** Returns a problem document with what is wrong (RFC 9457). */
function describeProblem(status: number, description: string): object {
  const title = toReason(status);
  const example = { type: 'about:blank', title, status };
  return {
    description,
    content: { 'application/problem+json': { schema: refer('Problem'), example } },
  };
}

function describeEmpty(description: string): object {
  return { description: `${description} No body.`, type: 'null' };
}

/**
 * Collects the schemas of the routes that are added afterwards, inside `app.after`. They only describe: the
 * routes check what arrives and write what is sent themselves.
 */
export function collectSchemas(app: FastifyInstance, requireToken: boolean): void {
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  app.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Reporting and health monitoring service',
        version: '1',
        description:
          'Status of a messaging platform and its connector, and the health of incoming and outgoing requests.',
      },
      servers: [{ url: '/' }],
      // Without a header an operation responds unless tokens are required (decision 13).
      security: requireToken ? [{ token: [] }] : [{ token: [] }, {}],
      components: {
        schemas: COMPONENT_SCHEMAS,
        securitySchemes: {
          token: {
            type: 'http',
            scheme: 'bearer',
            description: 'The token that operation 1 returns.',
          },
        },
      },
    },
  });
}

/** Returns the service in the words of OpenAPI 3.1, as JSON. To be called once the app is ready. */
export function writeDescription(app: FastifyInstance): string {
  // The library has no way to say that a header of a response is always there.
  return JSON.stringify(app.swagger(), (name, value: object) =>
    name === 'Retry-After' ? { ...value, required: true } : value,
  );
}

/** The schemas that requests are checked with and responses are typed by, under the names that refer to them. */
const COMPONENT_SCHEMAS = {
  TokenRequest,
  TokenResponse,
  ReportRequest,
  RequestFault,
  InboundDetailDocument,
  OutboundDetailDocument,
  InboundSummaryDocument,
  OutboundSummaryDocument,
  StatusResponse,
  TrafficGroup,
  Problem,
};

type ComponentName = keyof typeof COMPONENT_SCHEMAS;

/** Refers to a schema of the components. */
function refer(name: ComponentName): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

/** The envelope of one report: the common one with that report's documents. */
function toEnvelopeSchema(report: ServedReport): object {
  const [only, ...others] = report.kinds.map((kind) => refer(DOCUMENT_NAMES[kind]));
  const items = others.length === 0 ? only : { oneOf: [only, ...others] };
  const { documents, errors, ...common } = ReportResponse.properties;
  const envelope = Type.Object(
    { ...common, documents: { ...documents, items }, errors: { ...errors, items: refer('RequestFault') } },
    { additionalProperties: false },
  );
  return { ...envelope, required: ReportResponse.required };
}

const DOCUMENT_NAMES: Readonly<Record<ReportKind, ComponentName>> = {
  'inbound-detail': 'InboundDetailDocument',
  'inbound-summary': 'InboundSummaryDocument',
  'outbound-detail': 'OutboundDetailDocument',
  'outbound-summary': 'OutboundSummaryDocument',
};
