import { type Static, Type } from 'typebox';
import { MINUTE_MS } from '../../time/durations.ts';
import type { TimeSpan } from '../../time/time-span.ts';
import { ErrorInfo } from '../error-info.ts';
import { Nullable } from '../nullable.ts';
import { Period } from '../period.ts';
import { DetailKindSchema, Remark, SnapshotState } from './snapshot.ts';

const DownloadState = Type.Union([
  /** Waits for another download of the same report and connection. */
  Type.Literal('queued'),
  Type.Literal('running'),
  /** Under way, but waiting to try again: `failure` is the reason, `retryAtMs` the time. */
  Type.Literal('waiting'),
  /** Stopped by the person, or by something that only a person can mend, such as a full disk (`failure`). */
  Type.Literal('paused'),
  /** Over. How it ended is the snapshot's state. */
  Type.Literal('ended'),
]);

/** The download that fills, or filled, a detail snapshot; there is one for each of them. */
export const Download = Type.Object({
  snapshotId: Type.Integer(),
  connectionId: Type.String(),
  report: DetailKindSchema,
  period: Period,
  state: DownloadState,
  snapshotState: SnapshotState,
  /** The task of this run of the application that works on it, or did last; null for one of an earlier run. */
  taskId: Nullable(Type.String()),
  /** Days fetched at a time, a part of one for hours; null for the period in one piece. */
  sliceDays: Nullable(Type.Number()),
  sliceCount: Type.Integer(),
  /** Slices that were read to their end. */
  slicesDone: Type.Integer(),
  recordCount: Type.Integer(),
  /** The service's total; an estimate while slices are still to come. */
  totalDocument: Nullable(Type.Integer()),
  /** Records requested in a page, once failures made it less than the connection's page size; null until then. */
  pageSize: Nullable(Type.Integer()),
  /** `downloads/resume` goes on from the stored cursor. */
  canResume: Type.Boolean(),
  /** How often it went on after an interruption. */
  resumedCount: Type.Integer(),
  queuedAtMs: Type.Integer(),
  endedAtMs: Nullable(Type.Integer()),
  retryAtMs: Nullable(Type.Integer()),
  /** What it waits for, why it was paused, or why it ended early. */
  failure: Nullable(ErrorInfo),
});
export type Download = Static<typeof Download>;

/** What a download would take, forecast from a small page before it is started. */
export const DownloadPlan = Type.Object({
  /** The service's own figure; null when it reports none. */
  recordCount: Nullable(Type.Integer()),
  /** Round figures such as 10,000 may be a cap of the service: then there may be more. */
  isAtLeast: Type.Boolean(),
  /** Requests at the connection's page size. */
  pageCount: Nullable(Type.Integer()),
  /** Bytes over the network, and on the disk. */
  receivedBytes: Nullable(Type.Integer()),
  diskBytes: Nullable(Type.Integer()),
  /** Free on the disk of the data folder; null where the system doesn't report it. */
  freeBytes: Nullable(Type.Integer()),
  durationMs: Nullable(Type.Integer()),
  /** `measured`: from earlier downloads of this connection and report. `assumed`: from the records of that page and typical speed. */
  basis: Type.Union([Type.Literal('measured'), Type.Literal('assumed')]),
  /** Time that the one request took. */
  roundTripMs: Type.Integer(),
  /** Days to fetch at a time, a part of one for hours; null where one piece is right. */
  suggestedSliceDays: Nullable(Type.Number()),
});
export type DownloadPlan = Static<typeof DownloadPlan>;

/** One slice of a download as it went: dates as they were requested, both ends included. */
const CertifiedSlice = Type.Object({
  startDate: Type.String(),
  endDate: Type.String(),
  pageCount: Type.Integer(),
  recordCount: Type.Integer(),
  firstTotal: Nullable(Type.Integer()),
  lastTotal: Nullable(Type.Integer()),
});

/** What a download requested and received, as evidence. Computed from the journal, so it can be computed again. */
export const Certificate = Type.Object({
  format: Type.Literal('channelscope-download-certificate'),
  version: Type.Literal(2),
  snapshotId: Type.Integer(),
  /** What was requested, and where. */
  serviceAddress: Type.String(),
  tenant: Type.Integer(),
  report: DetailKindSchema,
  /** As it was requested; empty for downloads from before it was kept. */
  reportIdentifier: Type.String(),
  idReport: Type.String(),
  nameVisualization: Type.String(),
  period: Period,
  sliceDays: Nullable(Type.Number()),
  slices: Type.Array(CertifiedSlice),
  /** What came. */
  pageCount: Type.Integer(),
  recordCount: Type.Integer(),
  receivedBytes: Type.Integer(),
  /** `totalDocument` of the first and of the last page; added up over slices. */
  firstTotal: Nullable(Type.Integer()),
  lastTotal: Nullable(Type.Integer()),
  /** Entries that could not be read as records, kept aside. */
  setAsideCount: Type.Integer(),
  /** What had to be tolerated in the records. */
  coercions: Type.Array(Remark),
  /** What was odd about cursors, pages and totals. */
  remarks: Type.Array(Remark),
  /** How it ended. */
  state: SnapshotState,
  isComplete: Type.Boolean(),
  /** Codes of the remarks and errors that kept it from being complete; empty when it is. */
  reasons: Type.Array(Type.String()),
  /** What a complete download leaves in doubt, such as a total that changed; all of it belongs beside "complete". */
  reservations: Type.Array(Remark),
  /** Records may have arrived later: it was fetched up to "now". */
  stillOpen: Type.Boolean(),
  resumedCount: Type.Integer(),
  startedAtMs: Type.Integer(),
  firstPageAtMs: Nullable(Type.Integer()),
  lastPageAtMs: Nullable(Type.Integer()),
  /** SHA-256, in hex, of the pages' SHA-256 in hex, in order, each followed by a line feed. */
  pagesSha256: Type.String(),
});
export type Certificate = Static<typeof Certificate>;

/** A certificate as it is saved: with what takes to compute its checksum again. */
export type CertificateFile = Certificate & {
  readonly howToRecompute: string;
  /** SHA-256 of the bytes of each page as received, in hex, in the order of the pages. */
  readonly pageSha256: readonly string[];
};

/** How a page was requested. It holds no secret: the token that went with it is not kept. */
export const PageRequest = Type.Object({
  method: Type.String(),
  address: Type.String(),
  /** JSON text. */
  body: Type.String(),
  /** False where an older version kept neither address nor size, and those of the connection stand for them. */
  isKept: Type.Boolean(),
});
export type PageRequest = Static<typeof PageRequest>;

/** What following goes by where it is said who fetches a span, which otherwise names a task. */
export const BY_FOLLOWING = 'following';

const TAIL_SHARE = 0.01;
const TAIL_LIMITS_MS = [MINUTE_MS, 15 * MINUTE_MS] as const;

/**
 * Returns how much of the newest part of a span that goes on counts as not fetched yet, and so as no gap: a hundredth of
 * the span, from 1 to 15 minutes.
 */
export function toMaxTailMs({ fromMs, toMs }: TimeSpan): number {
  const [leastMs, mostMs] = TAIL_LIMITS_MS;
  return Math.min(mostMs, Math.max(leastMs, (toMs - fromMs) * TAIL_SHARE));
}

/**
 * Returns the end of a span up to now that following has yet to fetch, while that is short: it counts as still open, since
 * the span moves on by as much while it is fetched. `gaps` are what was not read, in order. Null where there is none.
 */
export function findFollowedTail(
  gaps: readonly (TimeSpan & { readonly fetching: string | null })[],
  span: TimeSpan,
  nowMs: number,
): TimeSpan | null {
  const mostMs = toMaxTailMs(span);
  if (span.toMs < nowMs - mostMs) return null;
  let { toMs: fromMs } = span;
  let isFollowed = false;
  for (const gap of gaps.toReversed()) {
    if (gap.toMs !== fromMs) break;
    fromMs = gap.fromMs;
    isFollowed ||= gap.fetching === BY_FOLLOWING;
  }
  return isFollowed && span.toMs - fromMs <= mostMs ? { fromMs, toMs: span.toMs } : null;
}
