import { toWireDocument, toWireStatus, writeTraffic } from '../../common/reporting/wire-documents.ts';
import type {
  ReportRequest,
  ReportResponse,
  StatusResponse,
  TokenRequest,
  TokenResponse,
} from '../../common/reporting/wire-schemas.ts';
import type { ServedReport } from '../reports/report-catalog.ts';

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

export const TOKEN_REQUEST_EXAMPLE: TokenRequest = {
  accessToken: 'the access token of the tenant',
  accessTokenSecret: 'the secret that belongs to it',
  tenant: 1001,
};

export const TOKEN_RESPONSE_EXAMPLE: TokenResponse = { token: 'an opaque text' };

/** A request for the first page, and one that leaves out what may be left out. */
export const REPORT_REQUEST_EXAMPLES: Readonly<Record<string, { readonly value: ReportRequest }>> = {
  first: {
    value: { startDate: '2026-11-20 00:00:00', endDate: '2026-11-20 23:59:59', size: 1000, lastDocument: '' },
  },
  least: { value: { startDate: '2026-11-20 00:00:00', endDate: '2026-11-20 23:59:59' } },
};

const TRAFFIC = { division: 1, channel: 2, service: 3, sessions: 57 };
export const STATUS_EXAMPLE: StatusResponse = toWireStatus({
  ...TRAFFIC,
  internalResponseTimeMs: 212,
  platform: 'up',
  traffic: writeTraffic([TRAFFIC]),
  connector: 'up',
});

/** A page and a refusal of a report. */
export function toReportExamples(
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
