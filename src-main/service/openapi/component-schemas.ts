import { Type } from 'typebox';
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
  TrafficGroup,
} from '../../common/reporting/wire-schemas.ts';
import type { ReportKind } from '../../common/reporting/reports.ts';
import type { ServedReport } from '../reports/report-catalog.ts';

/** The schemas that requests are checked with and responses are typed by, under the names that refer to them. */
export const COMPONENT_SCHEMAS = {
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

export type ComponentName = keyof typeof COMPONENT_SCHEMAS;

/** Refers to a schema of the components. */
export function refer(name: ComponentName): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

/** The envelope of one report: the common one with that report's documents. */
export function toEnvelopeSchema(report: ServedReport): object {
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
