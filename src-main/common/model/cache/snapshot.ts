import { Type, type Static } from 'typebox';
import { DETAIL_KINDS, DIRECTIONS, REPORT_KINDS } from '../../reporting/reports.ts';
import { Nullable } from '../nullable.ts';
import { Period } from '../period.ts';
import { ImportedFrom } from './imported.ts';

export const ReportKindSchema = Type.Enum(REPORT_KINDS);
export const DetailKindSchema = Type.Enum(DETAIL_KINDS);
export const DirectionSchema = Type.Enum(DIRECTIONS);

/** Something that had to be tolerated or is worth knowing about a snapshot; `code` selects the words. */
export const Remark = Type.Object({
  code: Type.String(),
  count: Type.Optional(Type.Integer()),
  detail: Type.Optional(Type.String()),
});
export type Remark = Static<typeof Remark>;

export const SnapshotState = Type.Union([
  Type.Literal('downloading'),
  Type.Literal('paused'),
  Type.Literal('complete'),
  /** The walk ended before the service's own end, or in doubt; `remarks` hold the reasons. */
  Type.Literal('incomplete'),
  Type.Literal('failed'),
]);
export type SnapshotState = Static<typeof SnapshotState>;

/** Result of the last time that stored pages were checked; null before the first. */
const Verification = Type.Object({
  atMs: Type.Integer(),
  /** Pages whose stored records are no longer what was stored; 0 is good. */
  damagedPages: Type.Integer(),
});

/** One report of one period as it was read from the service and lies in the cache. */
export const Snapshot = Type.Object({
  id: Type.Integer(),
  connectionId: Type.String(),
  tenant: Type.Integer(),
  report: ReportKindSchema,
  period: Period,
  state: SnapshotState,
  recordCount: Type.Integer(),
  /** The newest `totalDocument`; null before the first page. */
  totalDocument: Nullable(Type.Integer()),
  pageCount: Type.Integer(),
  /** Bytes of the pages as received. */
  sizeBytes: Type.Integer(),
  startedAtMs: Type.Integer(),
  /** When the last page arrived; null before the first. */
  fetchedAtMs: Nullable(Type.Integer()),
  /** Larger than that of every snapshot that was fetched, or imported, before; no clock decides it. */
  fetchedOrder: Type.Integer(),
  idReport: Type.String(),
  nameVisualization: Type.String(),
  remarks: Type.Array(Remark),
  /** Error code of a failed snapshot. */
  failure: Nullable(Type.String()),
  /** Fetched up to "now" at the time: later records may still belong to it (decision 27). */
  stillOpen: Type.Boolean(),
  /**
   * Of a day that following fills: late records were looked for up to here, exclusive. Its period grows with what was
   * read to its end.
   */
  settledToMs: Type.Optional(Type.Integer()),
  /** The look-back that they were looked for with; absent before they were. */
  settledLookBackMs: Type.Optional(Type.Integer()),
  /** Absent for what was received from the service. */
  imported: Type.Optional(ImportedFrom),
  /** What a person called it, wrote about it, and whether retention must leave it; see `snapshots/annotate`. */
  name: Type.String(),
  note: Type.String(),
  pinned: Type.Boolean(),
  /** A reported summary that was only shown: the newest one of its period, which the Library leaves out. */
  isLook: Type.Optional(Type.Boolean()),
  /** The snapshot that this one fetched again to see what changed; null for one of its own, or once that is gone. */
  refreshOf: Nullable(Type.Integer()),
  verification: Nullable(Verification),
  /** Raised whenever stored pages were read again with another result: rows read before are old then. */
  reading: Type.Integer(),
});
export type Snapshot = Static<typeof Snapshot>;

/** When the last page of a snapshot arrived; before the first, when its download was begun. */
export function toFetchedAtMs(snapshot: Pick<Snapshot, 'fetchedAtMs' | 'startedAtMs'>): number {
  return snapshot.fetchedAtMs ?? snapshot.startedAtMs;
}

/** Records that were announced and sent, but belong to the slice before or to the second before or after the period. */
const LEFT_OUT = new Set(['seen-at-cut', 'before-period', 'after-period']);

/** The announced total without the records that are left out of the snapshot; null where none was announced. */
export function toOwnTotal({
  totalDocument,
  remarks,
}: Pick<Snapshot, 'totalDocument' | 'remarks'>): number | null {
  if (totalDocument === null) return null;
  const leftOut = remarks.reduce((sum, { code, count }) => sum + (LEFT_OUT.has(code) ? (count ?? 0) : 0), 0);
  return Math.max(0, totalDocument - leftOut);
}

/** Provenance of one page: what was requested, what was received, and what was stored of it. */
export const JournalPage = Type.Object({
  /** From 0. */
  pageNumber: Type.Integer(),
  cursorSent: Type.String(),
  cursorReceived: Nullable(Type.String()),
  /** Entries of the page, those set aside included. */
  entryCount: Type.Integer(),
  /** Place of its first record in the snapshot, and how many were stored. */
  firstSeq: Type.Integer(),
  recordCount: Type.Integer(),
  setAsideCount: Type.Integer(),
  sizeBytes: Type.Integer(),
  /** SHA-256 of the bytes as received. */
  sha256: Type.String(),
  /** SHA-256 of what was stored; null for pages stored by version 0.1.0. */
  recordsSha256: Nullable(Type.String()),
  /** The last verification found that what is stored is no longer what was stored. */
  damaged: Type.Boolean(),
  totalDocument: Nullable(Type.Integer()),
  executionTimeMs: Nullable(Type.Number()),
  status: Type.Integer(),
  requestedAtMs: Type.Integer(),
  receivedAtMs: Type.Integer(),
});
export type JournalPage = Static<typeof JournalPage>;

/** What a page says beside its records that is no field of the envelope, or could not be read. */
export const OtherFields = Type.Object({
  /** The JSON of each as received, by the names on the way to it, such as `paging.next`. */
  fields: Type.Record(Type.String(), Type.String()),
  /** How many more there were than can be shown. */
  leftOut: Type.Integer(),
});
export type OtherFields = Static<typeof OtherFields>;

/** An entry that could not be read as a record. */
export const SetAsideEntry = Type.Object({
  pageNumber: Type.Integer(),
  /** Place in the page, from 0. */
  place: Type.Integer(),
  reason: Type.String(),
  /** Its JSON as it came, at most 20,000 characters. */
  text: Type.String(),
  /** Length of the whole in characters; null where only a beginning is left, of a cache of version 0.1.0. */
  length: Nullable(Type.Integer()),
});
export type SetAsideEntry = Static<typeof SetAsideEntry>;
