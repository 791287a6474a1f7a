import {
  type DetailKind,
  type Direction,
  DIRECTIONS,
  type FieldName,
  listFields,
  type ReportField,
  type ReportFields,
} from '../../common/reporting/reports.ts';

/** Records with fromMs <= date < toMs. */
export interface RecordPeriod {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface DetailQuery extends RecordPeriod {
  /** The last record of the page before; null for the first page. */
  readonly after: RecordPosition | null;
  readonly limit: number;
}

/** Part of a period's records, oldest first, ties in order of arrival (decision 9). */
export interface DetailPage {
  /** At least one while there are any; fewer than `limit` where their texts would exceed MAX_PAGE_CHARACTERS. */
  readonly records: readonly StoredRecord[];
  /** Records of the whole period at the moment of reading. */
  readonly total: number;
  /** False when no record follows the last one. */
  readonly hasMore: boolean;
}

/** Characters of imported texts in a page: what is in memory at once. */
export const MAX_PAGE_CHARACTERS = 32_000_000;

/** What a summary says of the records that share channel, service, origin and response code. */
export interface GroupTotals {
  /** Names the group for good, in this store only. */
  readonly groupId: number;
  readonly channel: number;
  readonly service: number;
  /** Empty for outbound groups, which don't distinguish origins. */
  readonly origin: string;
  readonly responseCode: number | null;
  readonly records: number;
  readonly responseTimeUs: number;
  readonly botLatencyMs: number;
  /**
   * Session of the newest record by date and arrival (decision 12): the number of a sample one, the
   * identifier of an imported one.
   */
  readonly newestSession: number | string;
}

/** Periods up to `toMs`, which is not included, over inbound records. */
export interface ActivityQuery {
  readonly sessionsFromMs: number;
  readonly healthFromMs: number;
  readonly toMs: number;
  /** Number of newest records, however old, over which the response time is averaged. */
  readonly timedRecords: number;
}

/** What the tenant status is made from: the newest inbound traffic. */
export interface Activity {
  /** Distinct sessions since `sessionsFromMs`, by channel and service in ascending order. */
  readonly sessions: readonly {
    readonly channel: number;
    readonly service: number;
    readonly sessions: number;
  }[];
  /** Records since `healthFromMs`. */
  readonly records: number;
  /** Those of them with response code 503. */
  readonly unavailable: number;
  /** Null while the store is empty. */
  readonly averageResponseTimeUs: number | null;
}

export interface StoreSize {
  readonly inboundRecords: number;
  readonly outboundRecords: number;
  readonly bytes: number;
}

/** True when a stored record is what a file holds. Only records of the same direction are compared. */
export type RecordComparer = (stored: StoredRecord, imported: ImportedRecord) => boolean;

/** Combinations of channel, service, origin and code, and origins, that a store keeps in memory. */
export const MAX_GROUPS = 50_000;

/** What became of a batch of imported records. */
export interface ImportResult {
  readonly added: number;
  readonly known: number;
}

/** One import. It recognises the records that the store held when it was opened, each of them once. */
export interface StoreImport {
  /**
   * Adds, in one transaction, the records that the store didn't hold: the n-th of equal ones only if the
   * store held fewer than n (decision 37). Throws AppError `local-service.import-failed` when the store
   * would have to know too many groups. `properties` change together with the records.
   */
  addBatch(
    records: readonly ImportedRecord[],
    properties?: Readonly<Record<string, string>>,
  ): Promise<ImportResult>;
  close(): Promise<void>;
}

/**
 * What the service needs of a store. Every method sees and leaves the store at one moment: a write is there
 * as a whole or not at all, and a page agrees with its total. Records are never changed or removed, and one
 * that arrives later has a higher arrival, so a position neither repeats nor skips what was there (decision
 * 10). Methods reject with errors of the store's own; `isTransientError` recognises those that may pass.
 */
export interface RecordStore {
  readDetailPage(direction: Direction, query: DetailQuery): Promise<DetailPage>;
  /** Every group with records in the period, in no particular order. */
  readSummary(direction: Direction, period: RecordPeriod): Promise<readonly GroupTotals[]>;
  readActivity(query: ActivityQuery): Promise<Activity>;
  writeBatch(batch: TrafficBatch): Promise<void>;
  /**
   * Writes many batches that can be made again, each in a transaction of its own. What is written is sure to
   * outlast a power failure only once all are.
   */
  writeBatches(batches: Iterable<TrafficBatch>): Promise<void>;
  /** Without a comparer, an import recognises nothing: each record given is another one. */
  openImport(isSame: RecordComparer | null): Promise<StoreImport>;
  /** What the service remembers about itself, by name. */
  readProperties(): Promise<Readonly<Record<string, string | undefined>>>;
  /** Sets these, all or none, and leaves others as they are. */
  writeProperties(properties: Readonly<Record<string, string>>): Promise<void>;
  readSize(): Promise<StoreSize>;
  /** Date of the newest inbound record in milliseconds; null while there is none. */
  readNewestMs(): Promise<number | null>;
  /** Null for a store that only one process can open. */
  readonly shared: SharedState | null;
  /** True for an error of the store that may be gone at the next attempt: busy, damaged, out of room. */
  isTransientError(error: unknown): boolean;
  /** Can be called twice. */
  close(): Promise<void>;
}

/** The fields that every record has, however it came into the store. */
interface RecordFields {
  readonly dateMs: number;
  readonly channel: number;
  readonly service: number;
  readonly origin: string;
  /** Null for a record that came without one (decision 22). */
  readonly responseCode: number | null;
  readonly responseTimeUs: number;
}

/** A sample record: its texts are derived from its numbers when it is read. */
interface SampleRecord extends RecordFields {
  /** From 1. */
  readonly session: number;
  readonly responseCode: number;
}

export interface NewInboundRecord extends SampleRecord {
  readonly botLatencyMs: number;
}

export interface NewOutboundRecord extends SampleRecord {
  /** -1 for a request executed by a channel. */
  readonly actionId: number;
}

/** Sample records in order of arrival, and properties that change together with them. */
export interface TrafficBatch {
  readonly inbound: readonly NewInboundRecord[];
  readonly outbound: readonly NewOutboundRecord[];
  readonly properties?: Readonly<Record<string, string>>;
}

type TextName = {
  [Kind in DetailKind]: {
    [Name in FieldName<Kind>]: ReportFields<Kind>[Name] extends
      | { readonly type: 'text' | 'content' | 'digits' }
      | { readonly isLater: true }
      ? Name
      : never;
  }[FieldName<Kind>];
}[DetailKind];
/** The texts of a record, and numbers that became known later; its session and its origin are numbers in a store. */
export type OwnTextName = Exclude<TextName, 'sessionId' | 'origin'>;
interface TextField extends ReportField {
  readonly name: OwnTextName;
}

/** Texts of the records of a direction, in the order in which stores keep them. */
export const TEXT_FIELDS: Readonly<Record<Direction, readonly TextField[]>> = {
  inbound: listTexts('inbound-detail'),
  outbound: listTexts('outbound-detail'),
};
/** Texts of the records of either direction. */
export const TEXT_NAMES: readonly OwnTextName[] = [
  ...new Set(DIRECTIONS.flatMap((direction) => TEXT_FIELDS[direction].map(({ name }) => name))),
];

function listTexts(kind: DetailKind): TextField[] {
  return listFields(kind).flatMap(([name, field]) => {
    const { type, isLater } = field;
    const isText = type === 'text' || type === 'content' || type === 'digits' || isLater === true;
    return isText && name !== 'sessionId' && name !== 'origin'
      ? [{ ...field, name: name as OwnTextName }]
      : [];
  });
}

/** True for a text that a file may lack without saying that there is none: a long one, or one that became known later. */
export function mayLack({ type, isLater }: ReportField): boolean {
  return type === 'content' || isLater === true;
}

/** The texts of an imported record; those that its direction lacks are empty. */
export type RecordTexts = Readonly<Record<OwnTextName | 'sessionId', string>>;

/** Where a record stands in its report: by date, ties in order of arrival. Arrivals count from 1. */
export interface RecordPosition {
  readonly dateMs: number;
  readonly arrival: number;
}

/** A record as it is read. */
export interface StoredRecord extends RecordFields, RecordPosition {
  /** Of a sample record; 0 for an imported one. */
  readonly session: number;
  /** 0 for an outbound record. */
  readonly botLatencyMs: number;
  /** Of a sample record; 0 for an inbound or imported one. */
  readonly actionId: number;
  /** Null for a sample record. */
  readonly texts: RecordTexts | null;
}

/** A detail record of a file. */
export interface ImportedRecord extends RecordFields {
  readonly direction: Direction;
  readonly sessionId: string;
  /** 0 for an outbound record. */
  readonly botLatencyMs: number;
  /** Empty where the direction has no such field; null where the file has none, and stored as an empty text then. */
  readonly texts: Readonly<Record<OwnTextName, string | null>>;
  /** 48 bits over everything but what a file may lack (`mayLack`), the same for records that are the same. */
  readonly contentHash: number;
}

/** Connections of a process to its database. */
export interface ConnectionCounts {
  readonly open: number;
  readonly idle: number;
  /** Requests that wait for one. */
  readonly waiting: number;
}

/** How long an address has to wait after refused credentials. */
export interface RefusalWait {
  /** Whole seconds; 0 when it may try now. */
  readonly seconds: number;
  /** True where it has to, whichever tenant it tries. */
  readonly isForEveryTenant: boolean;
}

/** Refused credentials of all processes on a database, by the address that they came from and the tenant they named. */
export interface SharedRefusals {
  /**
   * Counts a refusal, unless the address has to wait: of requests that come at once, at all processes, no more are
   * counted for a tenant than may be.
   */
  add(address: string, tenant: number): Promise<RefusalWait>;
  /** A tenant of null asks for the address alone. */
  read(address: string, tenant: number | null): Promise<RefusalWait>;
}

/** What the processes that serve one database know of each other. */
export interface SharedState {
  /** Sets a property to what `change` makes of it, while no other process does; returns what is kept then. */
  changeProperty(name: string, change: (value: string | undefined) => string): Promise<string>;
  readonly refusals: SharedRefusals;
  countConnections(): ConnectionCounts;
}

/** What a tenant has. */
export interface TenantRecords {
  readonly tenant: number;
  readonly inboundRecords: number;
  readonly outboundRecords: number;
  /** Date of the newest inbound record in milliseconds; null while there is none. */
  readonly newestMs: number | null;
}

/** The tenants that are kept in one place: a data folder, or a database. */
export interface TenantDirectory {
  /** By ascending number. */
  list(): Promise<TenantRecords[]>;
  /** Makes a tenant's store, empty; false when it is there already. */
  add(tenant: number): Promise<boolean>;
  /** Null for an unknown tenant. Whoever opens it closes it. */
  open(tenant: number): Promise<RecordStore | null>;
  /** Removes a tenant with everything of it; false when there is none. */
  remove(tenant: number): Promise<boolean>;
}

/** The records of a batch against what a store held when the import was opened (decision 37). */
interface BatchClaims {
  /** Offers a stored record of this content; `read` is called only where one of the batch may be the same. */
  offerImported(contentHash: number, arrival: number, read: () => StoredRecord): void;
  /** After all imported ones: offers a stored sample record of this date, which has no content hash. */
  offerSample(dateMs: number, arrival: number, read: () => StoredRecord): void;
  /** Those that nothing was found for, in the order given. */
  listFresh(): ImportedRecord[];
}

/** A record of the batch. */
interface Entry {
  readonly record: ImportedRecord;
  isKnown: boolean;
}

/**
 * Returns the function that begins a batch. Every stored record, up to `lastArrival`, stands for one of the import's
 * records at most.
 */
export function createRecordClaims(
  isSame: RecordComparer,
  lastArrival: number,
): (records: readonly ImportedRecord[]) => BatchClaims {
  const claimed = createBitSet(lastArrival + 1);
  const claim = (waiting: Entry[] | undefined, arrival: number, read: () => StoredRecord): void => {
    if (waiting === undefined || waiting.length === 0 || claimed.has(arrival)) return;
    const stored = read();
    const place = waiting.findIndex(({ record }) => isSame(stored, record));
    if (place === -1) return;
    for (const entry of waiting.splice(place, 1)) entry.isKnown = true;
    claimed.add(arrival);
  };
  return (records) => {
    const entries = records.map((record): Entry => ({ record, isKnown: false }));
    const byContent = Map.groupBy(entries, ({ record }) => record.contentHash);
    let byDate: Map<number, Entry[]> | null = null;
    const listLeft = (): Entry[] => entries.filter(({ isKnown }) => !isKnown);
    return {
      offerImported: (contentHash, arrival, read) => {
        claim(byContent.get(contentHash), arrival, read);
      },
      offerSample: (dateMs, arrival, read) => {
        byDate ??= Map.groupBy(listLeft(), ({ record }) => record.dateMs);
        claim(byDate.get(dateMs), arrival, read);
      },
      listFresh: () => listLeft().map(({ record }) => record),
    };
  };
}

/** Whole numbers from 0 below `length`, one bit each. */
function createBitSet(length: number): { has(value: number): boolean; add(value: number): void } {
  const bytes = new Uint8Array((length >>> 3) + 1);
  return {
    has: (value) => ((bytes[value >>> 3] ?? 0) & (1 << (value & 7))) !== 0,
    add: (value) => {
      bytes[value >>> 3] = (bytes[value >>> 3] ?? 0) | (1 << (value & 7));
    },
  };
}
