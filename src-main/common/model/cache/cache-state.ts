import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';

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
