import type {
  InboundDetailDocument,
  InboundSummaryDocument,
  OutboundDetailDocument,
  OutboundSummaryDocument,
  ReportRequest,
  ReportResponse,
  StatusResponse,
  TokenRequest,
  TokenResponse,
} from '../../common/reporting/wire-schemas.ts';
import type { ServedReport } from '../reports/report-catalog.ts';

const SESSION = '0f3c2f5e-7a51-4a39-8d10-9a2f6f0a7c11';
const WHERE = { Channel: 2, Service: 3 };

const INBOUND_DETAIL: InboundDetailDocument = {
  Id: SESSION,
  Date: '2026-11-20T10:15:30.123Z',
  ...WHERE,
  Client: 'client-0042',
  ReponseTime: 182.417,
  ReponseCode: 200,
  Error: '',
  BotLatency: 64,
  Payload: '{"type":"text","text":"Hello"}',
  Origin: 'web',
};
const OUTBOUND_DETAIL: OutboundDetailDocument = {
  Id: SESSION,
  Date: '2026-11-20T10:15:30.305Z',
  ...WHERE,
  Client: 'client-0042',
  ReponseTime: 95.2,
  ReponseCode: 200,
  Error: '',
  ActionId: '-1',
  Payload: '{"type":"text","text":"Good morning"}',
  Reponse: '{"status":"accepted"}',
  Origin: 'web',
};
const SUMMARY: OutboundSummaryDocument = {
  Id: SESSION,
  ReponseCode: 200,
  ...WHERE,
  Count: '1204',
  AvegareReponseTime: 201.25,
};
const INBOUND_SUMMARY: InboundSummaryDocument = { ...SUMMARY, Origin: 'web', AvegareBotLatency: 71 };

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

export const STATUS_EXAMPLE: StatusResponse = {
  InternalReponseTime: 212,
  Status: 'up',
  TrafficInformation: JSON.stringify([{ Division: 1, ...WHERE, Sessions: 57 }]),
  Sessions: 57,
  Division: 1,
  ...WHERE,
  ConnectorStatus: 'up',
};

const DOCUMENTS = {
  'inbound-detail': INBOUND_DETAIL,
  'inbound-summary': INBOUND_SUMMARY,
  'outbound-detail': OUTBOUND_DETAIL,
  'outbound-summary': SUMMARY,
};

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
