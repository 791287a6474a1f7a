import type { ErrorInfo } from '../../common/contract/errors.ts';
import type { Input, Output } from '../../common/contract/index.ts';
import type { CacheState, RetiredSnapshot } from '../../common/model/cache-state.ts';
import type { Period } from '../../common/model/period.ts';
import type {
  Facets,
  RecordDetail,
  RecordFilter,
  RecordOrder,
  RecordRow,
  SessionRequest,
  TimeBucket,
} from '../../common/model/record.ts';
import type { Snapshot, SnapshotState } from '../../common/model/snapshot.ts';
import type { StatusHistory, StatusSample } from '../../common/model/status.ts';
import type { Summary } from '../../common/model/summary.ts';
import type { DetailKind, ReportKind } from '../../common/reporting/reports.ts';
import type { DownloadCache } from './download-cache.ts';
import type { Purge } from './write/remove-snapshots.ts';
import type { PageCheck } from './read/verify-pages.ts';

export interface NewSnapshot {
  readonly connectionId: string;
  readonly tenant: number;
  readonly report: ReportKind;
  readonly period: Period;
  readonly startedAtMs: number;
  /** The period reaches up to "now". */
  readonly stillOpen: boolean;
}

/** Provenance of a page, kept with it in the journal. */
export interface PageToStore {
  readonly snapshotId: number;
  readonly cursorSent: string;
  readonly requestedAtMs: number;
  readonly receivedAtMs: number;
  readonly status: number;
  /** Zone of dates that carry none. */
  readonly zone: string;
  /** Records asked for, so that a shorter page can be told. */
  readonly sizeAsked?: number;
}

/** What is known once a page is parsed, before it is written. */
export interface PageHead {
  readonly recordCount: number;
  readonly totalDocument: number | null;
  /** The cursor of the next page; null at the end of the report. */
  readonly nextCursor: string | null;
  /** Why the walk ends here; null while it goes on. */
  readonly end: 'empty-page' | 'no-cursor' | 'total-reached' | 'cursor-repeated' | null;
}

/** A row of an export, in batches, in the order of the view. */
export type ExportRow = RecordDetail;

/**
 * The cache: one writer thread and reader threads over one SQLite file. Every method answers a promise;
 * failures are AppErrors with a `cache.*` code. Nothing large crosses to the calling thread but exports.
 */
export interface Cache {
  /** Queue, walks and journal figures of downloads. */
  readonly downloads: DownloadCache;
  createSnapshot(snapshot: NewSnapshot): Promise<Snapshot>;
  /**
   * Hands one received page over; the buffer is transferred. `head` settles once it is parsed, so that the
   * next page can be asked for; `stored` once records, page and cursor are committed together. Both reject
   * with the same AppError for a page that can't be read (`client.html`, `client.not-json`,
   * `client.invalid-request`, `client.unexpected-shape`); then nothing was written.
   */
  storePage(page: PageToStore, bytes: ArrayBuffer): { head: Promise<PageHead>; stored: Promise<Snapshot> };
  finishSnapshot(snapshotId: number, state: SnapshotState, failure: ErrorInfo | null): Promise<Snapshot>;
  getSnapshot(snapshotId: number): Promise<Snapshot>;
  listSnapshots(connectionId: string | null): Promise<Snapshot[]>;
  annotateSnapshot(change: Input<'snapshots/annotate'>): Promise<Snapshot>;
  /** Hides snapshots until they are restored, or deleted for good by `purgeRemoved`. */
  removeSnapshots(snapshotIds: readonly number[], nowMs: number): Promise<void>;
  /** Answers those that are back. */
  restoreSnapshots(snapshotIds: readonly number[]): Promise<Snapshot[]>;
  /** Deletes for good what was removed at `untilMs` or before, and gives the space back. */
  purgeRemoved(untilMs: number): Promise<Purge>;
  /** Removes everything that was cached of a connection. */
  removeConnection(connectionId: string): Promise<void>;
  /** Works the checksum of every page out again; `onProgress` hears the records done. Keeps nothing. */
  verifyPages(
    snapshotId: number,
    options: { signal: AbortSignal; onProgress(records: number): void },
  ): Promise<PageCheck>;
  saveVerification(snapshotId: number, atMs: number, check: PageCheck): Promise<Snapshot>;
  /** SQLite's check of the whole file. A damaged one is put aside, and a clean one begun. */
  checkFile(signal: AbortSignal): Promise<{ sound: boolean }>;
  compareSnapshots(olderId: number, newerId: number): Promise<Output<'snapshots/compare'>>;
  readJournal(place: Input<'snapshots/read-journal'>): Promise<Output<'snapshots/read-journal'>>;
  readSetAside(place: Input<'snapshots/read-set-aside'>): Promise<Output<'snapshots/read-set-aside'>>;
  readState(): CacheState;
  /** Hears when the state becomes another one; the answer stops it. */
  watchState(listener: (state: CacheState) => void): () => void;
  /** Tries to write, looks at the disk and folds the log in; it happens every 30 s by itself. */
  retry(): Promise<CacheState>;
  /** Tells with the state what retention removed. */
  noteRetired(retired: { atMs: number; snapshots: RetiredSnapshot[] }): void;
  readStorage(): Promise<Output<'snapshots/read-storage'>>;

  openView(
    snapshotId: number,
    filter: RecordFilter,
    order: RecordOrder,
  ): Promise<{ viewId: string; rowCount: number; totalCount: number }>;
  readRows(viewId: string, start: number, end: number): Promise<RecordRow[]>;
  closeView(viewId: string): Promise<void>;
  readHistogram(viewId: string, buckets: number): Promise<TimeBucket[]>;
  readFacets(snapshotId: number): Promise<Facets>;
  readRecord(snapshotId: number, seq: number): Promise<RecordDetail>;
  readSession(connectionId: string, sessionId: string): Promise<SessionRequest[]>;
  /** Batches of whole records for an export; reading the next one waits for the caller. */
  readForExport(viewId: string, includePayload: boolean, signal: AbortSignal): AsyncIterable<ExportRow[]>;

  readSummary(snapshotId: number): Promise<Summary>;
  computeSummary(snapshotId: number): Promise<Summary>;
  /** Records of a direction in equal spans over all detail snapshots; overlapping snapshots count once. */
  readVolume(
    connectionId: string,
    report: DetailKind,
    fromMs: number,
    toMs: number,
    buckets: number,
  ): Promise<{ buckets: TimeBucket[]; coverage: number }>;
  readAttention(connectionId: string): Promise<Output<'overview/read-attention'>>;

  addStatusSample(sample: StatusSample): Promise<void>;
  readStatusHistory(
    connectionId: string,
    nowMs: number,
    spanMs: number,
    ticks: number,
  ): Promise<StatusHistory>;
  close(): Promise<void>;
}
