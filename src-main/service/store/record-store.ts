import type { Direction } from '../../common/reporting/reports.ts';
import type { SharedState } from './shared-state.ts';
import type { ImportedRecord, RecordPosition, StoredRecord, TrafficBatch } from './records.ts';

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
