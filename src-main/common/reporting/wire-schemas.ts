import { Type, type Static } from 'typebox';

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

/** Specification, section "Inbound health detail record". Times in milliseconds. */
export const InboundDetailDocument = Type.Object(
  {
    Id: Type.String(),
    Date: Type.String(),
    Channel: Type.Integer(),
    Service: Type.Integer(),
    Client: Type.String(),
    ReponseTime: Type.Number(),
    ReponseCode: Type.Integer(),
    Error: Type.String(),
    BotLatency: Type.Integer(),
    Payload: Type.String(),
    Origin: Type.String(),
  },
  exactly,
);
export type InboundDetailDocument = Static<typeof InboundDetailDocument>;

/** Specification, section "Outbound health detail record". `ActionId` is "-1" for channel requests. */
export const OutboundDetailDocument = Type.Object(
  {
    Id: Type.String(),
    Date: Type.String(),
    Channel: Type.Integer(),
    Service: Type.Integer(),
    Client: Type.String(),
    ReponseTime: Type.Number(),
    ReponseCode: Type.Integer(),
    Error: Type.String(),
    ActionId: Type.String(),
    Payload: Type.String(),
    Reponse: Type.String(),
    Origin: Type.String(),
  },
  exactly,
);
export type OutboundDetailDocument = Static<typeof OutboundDetailDocument>;

/** Specification, section "Inbound health summary record". `Count` is a string of digits. */
export const InboundSummaryDocument = Type.Object(
  {
    Id: Type.String(),
    ReponseCode: Type.Integer(),
    Channel: Type.Integer(),
    Service: Type.Integer(),
    Origin: Type.String(),
    Count: Type.String({ pattern: '^[0-9]+$' }),
    AvegareReponseTime: Type.Number(),
    AvegareBotLatency: Type.Integer(),
  },
  exactly,
);
export type InboundSummaryDocument = Static<typeof InboundSummaryDocument>;

/** Specification, section "Outbound health summary record". */
export const OutboundSummaryDocument = Type.Object(
  {
    Id: Type.String(),
    ReponseCode: Type.Integer(),
    Channel: Type.Integer(),
    Service: Type.Integer(),
    Count: Type.String({ pattern: '^[0-9]+$' }),
    AvegareReponseTime: Type.Number(),
  },
  exactly,
);
export type OutboundSummaryDocument = Static<typeof OutboundSummaryDocument>;

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
export const StatusResponse = Type.Object(
  {
    InternalReponseTime: Type.Integer(),
    Status: Type.Union([Type.Literal('up'), Type.Literal('down')]),
    TrafficInformation: Type.String(),
    Sessions: Type.Integer(),
    Division: Type.Integer(),
    Channel: Type.Integer(),
    Service: Type.Integer(),
    ConnectorStatus: Type.Union([Type.Literal('up'), Type.Literal('down')]),
  },
  exactly,
);
export type StatusResponse = Static<typeof StatusResponse>;

/** One element of the JSON array inside `TrafficInformation` (decision 2). */
export const TrafficGroup = Type.Object(
  { Division: Type.Integer(), Channel: Type.Integer(), Service: Type.Integer(), Sessions: Type.Integer() },
  exactly,
);
export type TrafficGroup = Static<typeof TrafficGroup>;
