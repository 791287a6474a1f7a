import { Type, type Static, type TObject, type TSchema } from 'typebox';
import {
  REPORTS,
  STATUS_FIELDS,
  type FieldType,
  type ReportFields,
  type ReportKind,
  type WireField,
} from './reports.ts';

/**
 * The interface of the reporting service exactly as specified: names, spelling and types.
 * Wire spelling (`ReponseTime`, `AvegareBotLatency`) lives in this folder only.
 */
const exactly = { additionalProperties: false };

/** Specification, section "Token request body". */
export const TokenRequest = Type.Object(
  {
    accessToken: Type.String({ minLength: 1, maxLength: 1024 }),
    accessTokenSecret: Type.String({ minLength: 1, maxLength: 1024 }),
    tenant: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  },
  exactly,
);
export type TokenRequest = Static<typeof TokenRequest>;

/** Specification, section "Token response body". */
export const TokenResponse = Type.Object({ token: Type.String() }, exactly);
export type TokenResponse = Static<typeof TokenResponse>;

const RequestDate = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$' });

/**
 * Specification, section "Report request body". Dates are `YYYY-MM-DD HH:MM:SS`, size is a number of records.
 * Further fields are ignored.
 */
export const ReportRequest = Type.Object({
  startDate: RequestDate,
  endDate: RequestDate,
  size: Type.Optional(Type.Integer({ minimum: 1 })),
  lastDocument: Type.Optional(Type.String()),
});
export type ReportRequest = Static<typeof ReportRequest>;

/** How values of each type of field are written. */
const FIELD_SCHEMAS = {
  text: Type.String(),
  content: Type.String(),
  digits: Type.String(),
  count: Type.String({ pattern: '^[0-9]+$' }),
  date: Type.String(),
  state: Type.Union([Type.Literal('up'), Type.Literal('down')]),
  integer: Type.Integer(),
  number: Type.Number(),
} as const satisfies Record<FieldType, TSchema>;

type Fields = Readonly<Record<string, WireField>>;
/** The schema of each field under its wire name. */
type WireProperties<Of extends Fields> = {
  -readonly [Name in keyof Of as Of[Name]['wireName']]: (typeof FIELD_SCHEMAS)[Of[Name]['type']];
};

function toWireSchema<Of extends Fields>(fields: Of): TObject<WireProperties<Of>> {
  const properties = Object.values(fields).map(({ wireName, type, orNull }) => {
    const schema = FIELD_SCHEMAS[type];
    return [wireName, orNull === true ? Type.Union([schema, Type.Null()]) : schema];
  });
  return Type.Object(Object.fromEntries(properties) as WireProperties<Of>, exactly);
}

/** One record or group of each report, as specified. Times in milliseconds. */
export const InboundDetailDocument = toWireSchema(REPORTS['inbound-detail'].fields);
export const OutboundDetailDocument = toWireSchema(REPORTS['outbound-detail'].fields);
export const InboundSummaryDocument = toWireSchema(REPORTS['inbound-summary'].fields);
export const OutboundSummaryDocument = toWireSchema(REPORTS['outbound-summary'].fields);
export type InboundDetailDocument = WireDocument<'inbound-detail'>;
export type OutboundDetailDocument = WireDocument<'outbound-detail'>;
export type InboundSummaryDocument = WireDocument<'inbound-summary'>;
export type OutboundSummaryDocument = WireDocument<'outbound-summary'>;
export type WireDocument<Kind extends ReportKind> = WireObject<ReportFields<Kind>>;
type WireObject<Of extends Fields> = {
  -readonly [Name in keyof Of as Of[Name]['wireName']]: Static<(typeof FIELD_SCHEMAS)[Of[Name]['type']]>;
};

/** What is wrong with a field of a refused report request (decision 6). */
export const RequestFault = Type.Object({ field: Type.String(), message: Type.String() }, exactly);
export type RequestFault = Static<typeof RequestFault>;

/** What an answer of 400 and above tells (RFC 9457, decision 16); `errors` where fields are at fault. */
export const Problem = Type.Object(
  {
    type: Type.Literal('about:blank'),
    title: Type.String(),
    status: Type.Integer(),
    errors: Type.Optional(Type.Array(RequestFault)),
  },
  exactly,
);
export type Problem = Static<typeof Problem>;

const ReportDocument = Type.Union([
  InboundDetailDocument,
  OutboundDetailDocument,
  InboundSummaryDocument,
  OutboundSummaryDocument,
]);

/**
 * Specification, section "Report response envelope"; `documents` by decision 1, `errors` only when
 * `isValid` is false (decision 6), `pageCount` disabled (decision 21). `executionTime` in milliseconds.
 */
export const ReportResponse = Type.Object(
  {
    isValid: Type.Boolean(),
    executionTime: Type.Number(),
    idReport: Type.String(),
    nameVisualization: Type.String(),
    totalDocument: Type.Integer(),
    pageCount: Type.Null(),
    lastDocument: Type.String(),
    documents: Type.Array(ReportDocument),
    errors: Type.Optional(Type.Array(RequestFault)),
  },
  exactly,
);
export type ReportResponse = Static<typeof ReportResponse>;

/** Specification, section "Tenant status response", nested as decision 2 settles it. Times in milliseconds. */
export const StatusResponse = toWireSchema(STATUS_FIELDS);
export type StatusResponse = Static<typeof StatusResponse>;

/** One element of the JSON array inside `TrafficInformation` (decision 2). */
export const TrafficGroup = Type.Object(
  { Division: Type.Integer(), Channel: Type.Integer(), Service: Type.Integer(), Sessions: Type.Integer() },
  exactly,
);
export type TrafficGroup = Static<typeof TrafficGroup>;
