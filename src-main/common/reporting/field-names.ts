/** Wire names of a record's fields: as specified first, then corrected spellings (decision 23). */
export type FieldNames<Field extends string> = Readonly<Record<Field, readonly [string, ...string[]]>>;

/** Where the fields of one shape of object are; made once for each shape, not for each record. */
export interface ResolvedFields<Field extends string> {
  readonly keyOf: Readonly<Record<Field, string | undefined>>;
  /** Keys that no field claims. */
  readonly unknownKeys: readonly string[];
  /** Some key is not spelled as specified. */
  readonly isCorrected: boolean;
  readonly foundCount: number;
}

const shared = {
  sessionId: ['Id'],
  channel: ['Channel'],
  service: ['Service'],
  responseCode: ['ReponseCode', 'ResponseCode'],
} as const;

const detail = {
  ...shared,
  dateText: ['Date'],
  client: ['Client'],
  responseTimeMs: ['ReponseTime', 'ResponseTime'],
  error: ['Error'],
  payload: ['Payload'],
  origin: ['Origin'],
} as const;

/** Specification, sections "Inbound health detail record" and "Outbound health detail record". */
export const DETAIL_FIELDS = {
  'inbound-detail': { ...detail, botLatencyMs: ['BotLatency'] },
  'outbound-detail': { ...detail, actionId: ['ActionId'], response: ['Reponse', 'Response'] },
} as const;

/** Specification, sections "Inbound health summary record" and "Outbound health summary record". */
export const SUMMARY_FIELDS = {
  ...shared,
  origin: ['Origin'],
  count: ['Count'],
  averageResponseTimeMs: [
    'AvegareReponseTime',
    'AverageResponseTime',
    'AverageReponseTime',
    'AvegareResponseTime',
  ],
  averageBotLatencyMs: ['AvegareBotLatency', 'AverageBotLatency'],
} as const;

/** Specification, section "Report response envelope". */
export const ENVELOPE_FIELDS = {
  isValid: ['isValid'],
  executionTime: ['executionTime'],
  idReport: ['idReport'],
  nameVisualization: ['nameVisualization'],
  totalDocument: ['totalDocument', 'totalDocuments'],
  pageCount: ['pageCount'],
  lastDocument: ['lastDocument'],
} as const;

/** Specification, section "Tenant status response". */
export const STATUS_FIELDS = {
  internalResponseTimeMs: ['InternalReponseTime', 'InternalResponseTime'],
  platform: ['Status'],
  traffic: ['TrafficInformation'],
  sessions: ['Sessions'],
  division: ['Division'],
  channel: ['Channel'],
  service: ['Service'],
  connector: ['ConnectorStatus'],
} as const;

/** Letter case and separators are no difference between names. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Finds every field among the keys of an object; the exact spelling wins over any other. */
export function resolveFields<Field extends string>(
  keys: readonly string[],
  names: FieldNames<Field>,
): ResolvedFields<Field> {
  const fields = Object.keys(names) as Field[];
  const claimed = new Set<string>();
  const found = new Map<Field, string>();
  const claim = (field: Field, key: string | undefined): void => {
    if (key === undefined) return;
    found.set(field, key);
    claimed.add(key);
  };
  for (const field of fields)
    claim(
      field,
      keys.find((key) => key === names[field][0]),
    );
  const exactCount = found.size;
  for (const field of fields) {
    if (found.has(field)) continue;
    const folded = names[field].map(fold);
    claim(
      field,
      keys.find((key) => !claimed.has(key) && folded.includes(fold(key))),
    );
  }
  return {
    keyOf: Object.fromEntries(fields.map((field) => [field, found.get(field)])) as Record<
      Field,
      string | undefined
    >,
    unknownKeys: keys.filter((key) => !claimed.has(key)),
    isCorrected: found.size > exactCount,
    foundCount: found.size,
  };
}
