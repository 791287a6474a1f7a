/**
 * The four reports of the service, described once: schemas, reading, the cache's columns, checksums,
 * comparisons, exports and the bundled service's own documents follow from this table.
 */

/**
 * What a field holds. `content` is text of any length, which the cache keeps apart from the narrow fields;
 * `digits` is text that mostly holds a number; `count` is text that always holds a number of requests;
 * `state` is `up` or `down`.
 */
export type FieldType = 'text' | 'content' | 'digits' | 'count' | 'date' | 'state' | 'integer' | 'number';

/** A field of a JSON object that the service sends. */
export interface WireField {
  /** The name exactly as the specification spells it. */
  readonly wireName: string;
  /** Further spellings that are read, the corrected one first (decision 23). Letter case never matters. */
  readonly otherNames?: readonly string[];
  readonly type: FieldType;
  /** Also sent as null, by an imported record that lacks it; samples and the specification have it always. */
  readonly orNull?: true;
  readonly unit?: 'ms';
}

export interface ReportField extends WireField {
  /** Column in the cache's tables. */
  readonly column: string;
  /**
   * Became known after records were stored: checksums and marks run over it as over any field that the specification
   * doesn't define, so that those of stored records stay what they are.
   */
  readonly isLater?: true;
}

interface Report {
  /** Single records, or groups of them. */
  readonly level: 'detail' | 'summary';
  readonly direction: 'inbound' | 'outbound';
  /** Number of the operation in the specification, section "Endpoints". */
  readonly operation: number;
  /** Report identifier as specified; both summaries share one (decision 11). */
  readonly identifier: string;
  /** Name under which the bundled service serves it. */
  readonly title: string;
  /** By name inside the application, in the order of the specification, which is the order of checksums too. */
  readonly fields: Readonly<Record<string, ReportField>>;
}

const sessionId = { wireName: 'Id', type: 'text', column: 'session_id' } as const;
const channel = { wireName: 'Channel', type: 'integer', column: 'channel' } as const;
const service = { wireName: 'Service', type: 'integer', column: 'service' } as const;
const origin = { wireName: 'Origin', type: 'text', column: 'origin' } as const;
const payload = { wireName: 'Payload', type: 'content', column: 'payload' } as const;
const responseCode = {
  wireName: 'ReponseCode',
  otherNames: ['ResponseCode'],
  type: 'integer',
  orNull: true,
  column: 'response_code',
} as const;

const detailStart = {
  sessionId,
  dateText: { wireName: 'Date', type: 'date', column: 'date_text' },
  channel,
  service,
  client: { wireName: 'Client', type: 'text', column: 'client' },
  responseTimeMs: {
    wireName: 'ReponseTime',
    otherNames: ['ResponseTime'],
    type: 'number',
    unit: 'ms',
    column: 'response_time_ms',
  },
  responseCode,
  error: { wireName: 'Error', type: 'text', column: 'error' },
} as const;

const summaryStart = { sessionId, responseCode, channel, service } as const;
const summaryFigures = {
  count: { wireName: 'Count', type: 'count', column: 'request_count' },
  averageResponseTimeMs: {
    wireName: 'AvegareReponseTime',
    otherNames: ['AverageResponseTime', 'AverageReponseTime', 'AvegareResponseTime'],
    type: 'number',
    unit: 'ms',
    column: 'average_response_time_ms',
  },
} as const;

export const REPORTS = {
  'inbound-detail': {
    level: 'detail',
    direction: 'inbound',
    operation: 3,
    identifier: '29CDB989-6221-4742-96CA-1A878545B5A3',
    title: 'Inbound health detail',
    fields: {
      ...detailStart,
      botLatencyMs: { wireName: 'BotLatency', type: 'integer', unit: 'ms', column: 'bot_latency_ms' },
      payload,
      origin,
    },
  },
  'inbound-summary': {
    level: 'summary',
    direction: 'inbound',
    operation: 4,
    identifier: '7B9D4B85-0176-428B-BFED-9618940D473A',
    title: 'Inbound health summary',
    fields: {
      ...summaryStart,
      origin,
      ...summaryFigures,
      averageBotLatencyMs: {
        wireName: 'AvegareBotLatency',
        otherNames: ['AverageBotLatency'],
        type: 'integer',
        unit: 'ms',
        column: 'average_bot_latency_ms',
      },
    },
  },
  'outbound-detail': {
    level: 'detail',
    direction: 'outbound',
    operation: 5,
    identifier: '69FD4E08-7BD1-45B3-9370-1EF0DC774EB5',
    title: 'Outbound health detail',
    fields: {
      ...detailStart,
      actionId: { wireName: 'ActionId', type: 'digits', column: 'action_id' },
      payload,
      response: { wireName: 'Reponse', otherNames: ['Response'], type: 'content', column: 'response' },
      origin,
    },
  },
  'outbound-summary': {
    level: 'summary',
    direction: 'outbound',
    operation: 6,
    identifier: '7B9D4B85-0176-428B-BFED-9618940D473A',
    title: 'Outbound health summary',
    fields: { ...summaryStart, ...summaryFigures },
  },
} as const satisfies Readonly<Record<string, Report>>;

/** Fields of the tenant status report, operation 2, by name inside (specification, "Tenant status response"). */
export const STATUS_FIELDS = {
  internalResponseTimeMs: {
    wireName: 'InternalReponseTime',
    otherNames: ['InternalResponseTime'],
    type: 'integer',
    unit: 'ms',
  },
  platform: { wireName: 'Status', type: 'state' },
  /** A JSON array of groups of sessions, as text (decision 2). */
  traffic: { wireName: 'TrafficInformation', type: 'content' },
  sessions: { wireName: 'Sessions', type: 'integer' },
  division: { wireName: 'Division', type: 'integer' },
  channel: { wireName: 'Channel', type: 'integer' },
  service: { wireName: 'Service', type: 'integer' },
  connector: { wireName: 'ConnectorStatus', type: 'state' },
} as const satisfies Readonly<Record<string, WireField>>;

export type ReportKind = keyof typeof REPORTS;
type KindAt<Level> = {
  [Kind in ReportKind]: (typeof REPORTS)[Kind]['level'] extends Level ? Kind : never;
}[ReportKind];
export type DetailKind = KindAt<'detail'>;
export type SummaryKind = KindAt<'summary'>;
export type Direction = (typeof REPORTS)[ReportKind]['direction'];

/** The fields of a report; of several reports, those that all of them have. */
export type ReportFields<Kind extends ReportKind> = (typeof REPORTS)[Kind]['fields'];
/** Names inside the application of the fields of any of these reports. */
export type FieldName<Kind extends ReportKind> = Kind extends ReportKind
  ? keyof ReportFields<Kind> & string
  : never;

export const REPORT_KINDS = Object.keys(REPORTS) as readonly ReportKind[];
export const DETAIL_KINDS = REPORT_KINDS.filter(isDetailKind);
export const SUMMARY_KINDS = REPORT_KINDS.filter(isSummaryKind);
export const DIRECTIONS: readonly Direction[] = [
  ...new Set(REPORT_KINDS.map((kind) => REPORTS[kind].direction)),
];

/** True for a report of single records. */
export function isDetailKind(kind: ReportKind): kind is DetailKind {
  return REPORTS[kind].level === 'detail';
}

/** True for a report of groups. */
export function isSummaryKind(kind: ReportKind): kind is SummaryKind {
  return REPORTS[kind].level === 'summary';
}

/** The detail report of the same direction; a detail report is its own. */
export function toDetailKind(kind: ReportKind): DetailKind {
  return `${REPORTS[kind].direction}-detail`;
}

/** Makes something for each of several reports. */
export function mapKinds<Kind extends ReportKind, Made>(
  kinds: readonly Kind[],
  make: (kind: Kind) => Made,
): Readonly<Record<Kind, Made>> {
  return Object.fromEntries(kinds.map((kind) => [kind, make(kind)])) as Record<Kind, Made>;
}

/** The fields of a report with their names inside, in the order of the specification. */
export function listFields<Kind extends ReportKind>(kind: Kind): readonly [FieldName<Kind>, ReportField][] {
  return Object.entries<ReportField>(REPORTS[kind].fields) as [FieldName<Kind>, ReportField][];
}

/** Report identifiers as the specification gives them (section "Endpoints"). */
export const SPECIFIED_REPORT_IDENTIFIERS = mapKinds(
  REPORT_KINDS,
  (kind): string => REPORTS[kind].identifier,
);

const GUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/i;

/** True for the canonical 8-4-4-4-12 form of a GUID, in any letter case. */
export function isGuid(text: string): boolean {
  return findGuid(text) === text;
}

/** The first GUID in a text; null where there is none. */
export function findGuid(text: string): string | null {
  return GUID.exec(text)?.[0] ?? null;
}

/** Where the operations of the specification begin (section "Endpoints"), relative to the base address. */
const BASE_PATH = '/api/ServiceReporting';

export const CREATE_TOKEN_PATH = `${BASE_PATH}/CreateToken`;

/** Path of the tenant status report, operation 2. A text stands for the tenant in the path of a route. */
export function toStatusPath(tenant: number | string): string {
  return `${BASE_PATH}/Status/${String(tenant)}`;
}

/** Path of one of the four reports, operations 3 to 6. The identifier is sent as given. */
export function toReportPath(tenant: number | string, reportIdentifier: string): string {
  return `${BASE_PATH}/ExecuteReport/${String(tenant)}/${reportIdentifier}`;
}
