import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { type CivilTime, fromCivilTime, isRealCivilTime, toCivilTime } from '../time/civil-time.ts';
import {
  type FieldName,
  type FieldType,
  listFields,
  mapKinds,
  REPORT_KINDS,
  type ReportFields,
  type ReportKind,
  REPORTS,
  STATUS_FIELDS,
  type WireField,
} from './reports.ts';

/** Values of a wire object by their names inside. */
type WireValues<Fields, Wire> = {
  readonly [Name in keyof Fields]: Fields[Name] extends {
    readonly wireName: infer WireName extends keyof Wire;
  }
    ? Wire[WireName]
    : never;
};

/** A document of a report, in the spelling and order of the specification, from values by their names inside. */
export function toWireDocument<Kind extends ReportKind>(
  kind: Kind,
  values: WireValues<ReportFields<Kind>, WireDocument<Kind>>,
): WireDocument<Kind> {
  return rename(REPORTS[kind].fields, values) as WireDocument<Kind>;
}

/** A tenant status, in the spelling and order of the specification. Times in milliseconds. */
export function toWireStatus(values: WireValues<typeof STATUS_FIELDS, StatusResponse>): StatusResponse {
  return rename(STATUS_FIELDS, values) as StatusResponse;
}

const { division, channel, service, sessions } = STATUS_FIELDS;
const TRAFFIC_FIELDS = { division, channel, service, sessions };

/** Returns groups of sessions as the text of a tenant status (decision 2). */
export function writeTraffic(
  groups: readonly Readonly<Record<keyof typeof TRAFFIC_FIELDS, number>>[],
): string {
  return JSON.stringify(groups.map((group) => rename(TRAFFIC_FIELDS, group)));
}

function rename(
  fields: Readonly<Record<string, WireField>>,
  values: Readonly<Record<string, unknown>>,
): object {
  return Object.fromEntries(Object.entries(fields).map(([name, { wireName }]) => [wireName, values[name]]));
}

/**
 * What stands before the value of each field in the JSON text of a document: `{"Id":`, then `,"Date":`.
 * For writers that never build a document as an object.
 */
export const DOCUMENT_PREFIXES = mapKinds(REPORT_KINDS, toPrefixes) as {
  readonly [Kind in ReportKind]: Readonly<Record<FieldName<Kind>, string>>;
};

function toPrefixes(kind: ReportKind): Readonly<Record<string, string>> {
  const prefixes = listFields(kind).map(([name, { wireName }], place) => [
    name,
    `${place === 0 ? '{' : ','}${JSON.stringify(wireName)}:`,
  ]);
  return Object.fromEntries(prefixes) as Record<string, string>;
}

/** The corrected spelling of a wire name, or the name itself where the specification spells it right. */
export function correctWireName(wireName: string): string {
  return CORRECTED_NAMES.get(wireName) ?? wireName;
}

const CORRECTED_NAMES = new Map<string, string>();
for (const fields of [...REPORT_KINDS.map((kind) => REPORTS[kind].fields), STATUS_FIELDS]) {
  for (const { wireName, otherNames } of Object.values<WireField>(fields)) {
    const corrected = otherNames?.[0];
    if (corrected !== undefined) CORRECTED_NAMES.set(wireName, corrected);
  }
}

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
type WireDocument<Kind extends ReportKind> = WireObject<ReportFields<Kind>>;
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

const WIRE_DATE = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})$/;

/** Why a text is not a date of a report request. */
type WireDateFault = 'misformed' | 'impossible';

/**
 * Reads `YYYY-MM-DD HH:MM:SS` (specification, "Report request body") field by field: 31 June is an
 * error, never 1 July.
 */
export function parseWireDate(text: string): CivilTime | WireDateFault {
  const match = WIRE_DATE.exec(text);
  if (match === null) return 'misformed';
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const civil = { year, month, day, hour, minute, second, millisecond: 0 };
  return isRealCivilTime(civil) ? civil : 'impossible';
}

/** Writes a civil time as `YYYY-MM-DD HH:MM:SS`; milliseconds are cut. */
export function formatWireDate(time: CivilTime): string {
  const pad = (value: number, length: number): string => String(value).padStart(length, '0');
  const date = `${pad(time.year, 4)}-${pad(time.month, 2)}-${pad(time.day, 2)}`;
  return `${date} ${pad(time.hour, 2)}:${pad(time.minute, 2)}:${pad(time.second, 2)}`;
}

/** The request date for an instant, in the zone of the service (decision 4). */
export function toWireDate(epochMs: number, zone: string): string {
  return formatWireDate(toCivilTime(epochMs, zone));
}

/** The instant that a valid request date names in the zone of the service, or why it names none. */
export function fromWireDate(text: string, zone: string): number | WireDateFault {
  const civil = parseWireDate(text);
  return typeof civil === 'string' ? civil : fromCivilTime(civil, zone);
}
