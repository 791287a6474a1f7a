import { type Static, Type } from 'typebox';
import { DETAIL_KINDS, DIRECTIONS, REPORT_KINDS } from '../../reporting/reports.ts';
import { IMPORTED_FORMATS } from '../exports/export-options.ts';
import { Nullable } from '../nullable.ts';
import { Period } from '../period.ts';

const ImportFormat = Type.Enum([...IMPORTED_FORMATS, 'portable']);

/** Where the records of a snapshot came from that was imported, and not received from the service. */
export const ImportedFrom = Type.Object({
  /** The file's name as the person knew it. */
  fileName: Type.String(),
  format: ImportFormat,
  /** SHA-256 of the whole file, in hex. */
  fileSha256: Type.String(),
  importedAtMs: Type.Integer(),
  /** What the file says of where it was made; null where it says nothing. */
  connectionName: Nullable(Type.String()),
  serviceAddress: Nullable(Type.String()),
  exportedAtMs: Nullable(Type.Integer()),
  /** The period that it had before a person stated that it holds all records of another one; see `snapshots/state-complete`. */
  periodBefore: Type.Optional(Period),
});
export type ImportedFrom = Static<typeof ImportedFrom>;

/** What is kept as the tenant of imported records whose file names none. */
export const TENANT_NOT_STATED = 0;

/** Stands for the address of a service that a file doesn't name. */
export const ADDRESS_NOT_STATED = 'imported';

/** The tenant of records; null where they were imported and no file says it. */
export function toKnownTenant(tenant: number, isImported: boolean): number | null {
  return isImported && tenant === TENANT_NOT_STATED ? null : tenant;
}

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

/** Remarks of a file that says itself that it lacks records: nobody can state that it holds all of them. */
const LACKING = new Set(['import-filtered', 'import-incomplete']);

/** A person stated that the snapshot holds all records of its period, which nothing verifies. */
export const STATED_REMARK = 'stated-complete';

/** True where a person stated that a snapshot holds all records of its period. */
export function isStated({ remarks }: Pick<Snapshot, 'remarks'>): boolean {
  return remarks.some(({ code }) => code === STATED_REMARK);
}

/** True where a person may state it, or state another period: of what was imported without a word on it. */
export function canBeStated(snapshot: Pick<Snapshot, 'imported' | 'state' | 'remarks'>): boolean {
  const { imported, state, remarks } = snapshot;
  if (imported === undefined || remarks.some(({ code }) => LACKING.has(code))) return false;
  return state === 'incomplete' || isStated(snapshot);
}

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

/** The most changes that a reading shows one by one. */
export const MAX_READING_EXAMPLES = 20;

const Value = Type.Union([Type.String(), Type.Number(), Type.Null()]);

const ReadingExample = Type.Object({
  /** From 0; place of the entry in its page, from 0. */
  pageNumber: Type.Integer(),
  place: Type.Integer(),
  /** As in `fields`. */
  field: Type.String(),
  before: Value,
  after: Value,
});
export type ReadingExample = Static<typeof ReadingExample>;

/** What reading the stored pages of a snapshot again changed. */
export const SnapshotReading = Type.Object({
  atMs: Type.Integer(),
  /** Dates without a zone were read in this one. */
  zone: Type.String(),
  /** The zone in which they had been read; the same one where it has not changed. */
  zoneBefore: Type.String(),
  /** True where the work was cancelled: pages after the last one read are as they were. */
  isPartial: Type.Boolean(),
  /** Pages read, whatever came of it, and those of them that were stored anew. */
  pageCount: Type.Integer(),
  changedPages: Type.Integer(),
  /** Records that were readable before and are now, with another value in any field. */
  changedRecords: Type.Integer(),
  newlyReadable: Type.Integer(),
  noLongerReadable: Type.Integer(),
  /**
   * How many records changed, by the field's name inside the application: `dateMs` for the instant of a date, `payload`
   * for its preview, `textLength` for the length of long texts.
   */
  fields: Type.Array(Type.Object({ field: Type.String(), count: Type.Integer() })),
  examples: Type.Array(ReadingExample, { maxItems: MAX_READING_EXAMPLES }),
  /** Pages whose bytes are damaged or missing, or that today's reader refuses; left as they are. */
  unreadPages: Type.Integer(),
  /** Pages in which today's reader finds other entries, or more records while the download is not complete. */
  leftPages: Type.Integer(),
});
export type SnapshotReading = Static<typeof SnapshotReading>;

/** What became of each snapshot that a task was to read again. */
export const ReadingOutcome = Type.Object({
  changedIds: Type.Array(Type.Integer()),
  unchangedIds: Type.Array(Type.Integer()),
  /** Left out, since they were being downloaded. */
  skippedIds: Type.Array(Type.Integer()),
});
export type ReadingOutcome = Static<typeof ReadingOutcome>;

/** True where anything that is shown of the snapshot may be another than before. */
export function hasChanged(reading: SnapshotReading): boolean {
  return reading.changedPages > 0 || reading.zone !== reading.zoneBefore;
}

/** A snapshot that retention removed, as it was. */
const RetiredSnapshot = Type.Object({
  id: Type.Integer(),
  connectionId: Type.String(),
  report: Type.String(),
  name: Type.String(),
  startDate: Type.String(),
  endDate: Type.String(),
  recordCount: Type.Integer(),
  /** Older than the days set, or the oldest while the cache was larger than the size set. */
  reason: Type.Union([Type.Literal('age'), Type.Literal('size')]),
});
export type RetiredSnapshot = Static<typeof RetiredSnapshot>;

/** A damaged database that was moved out of the way; nothing ever deletes it. */
const PutAside = Type.Object({
  /** Absolute path of the folder that holds the database, its log, and `report.json`. */
  folder: Type.String(),
  atMs: Type.Integer(),
  /**
   * Selects the words: `other-schema` for a cache from before the first release; `empty`, `other-application`,
   * `header`, `quick-check`, `missing-table`, or SQLite's code for a damaged one.
   */
  damage: Type.String(),
});

/** How the cache as a whole is. */
export const CacheState = Type.Object({
  /**
   * ready: all works. out-of-space: what is cached can be read, writing is tried again every 30 s.
   * recovering: damage was met, and the file is being opened again. folder-gone: the data folder was removed or
   * replaced; what is cached can be read until the application ends, and nothing is written.
   */
  mode: Type.Union([
    Type.Literal('ready'),
    Type.Literal('out-of-space'),
    Type.Literal('recovering'),
    Type.Literal('folder-gone'),
  ]),
  /** When this cache was opened; another value means that ids of views are no longer good. */
  startedAtMs: Type.Integer(),
  /** Free space of the disk, as of the last look (every 30 s); null where the system doesn't report it. */
  freeBytes: Nullable(Type.Integer()),
  /** Below 500 MB free: a large download may fill the disk. */
  lowSpace: Type.Boolean(),
  /** The write-ahead log is over 64 MiB: another program reads the cache and keeps it from being folded in. */
  largeLog: Type.Boolean(),
  /** Damage met since the application was started; null for none. */
  putAside: Nullable(PutAside),
  /** What was brought over from it; null before, or when nothing could be. */
  salvaged: Nullable(
    Type.Object({ snapshots: Type.Integer(), records: Type.Integer(), lostPages: Type.Integer() }),
  ),
  /** Folders of damaged files, of all times, and what they take on the disk. */
  damagedCount: Type.Integer(),
  damagedBytes: Type.Integer(),
  /** What retention removed last since the application was started; null before it removed anything. */
  retired: Nullable(Type.Object({ atMs: Type.Integer(), snapshots: Type.Array(RetiredSnapshot) })),
  /** Last check of the whole file; null when there was none. */
  fileCheck: Nullable(Type.Object({ atMs: Type.Integer(), sound: Type.Boolean() })),
});
export type CacheState = Static<typeof CacheState>;
