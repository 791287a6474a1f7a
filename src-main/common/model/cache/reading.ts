import { Type, type Static } from 'typebox';

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
