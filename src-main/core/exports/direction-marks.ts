import type { ExportColumn, ExportValue } from './export-columns.ts';

/** Characters that make a viewer show others in another order: marks, embeddings, overrides and isolates. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Columns that note the direction marks in the texts that are read through them. */
interface WatchedColumns<Row> {
  readonly columns: readonly ExportColumn<Row>[];
  /** The marks met so far, such as `U+202E`, in order. */
  list(): readonly string[];
}

/** Watches columns: a file keeps its texts as they are, and its reader should know what can reorder them. */
export function watchDirectionMarks<Row>(columns: readonly ExportColumn<Row>[]): WatchedColumns<Row> {
  const met = new Set<string>();
  const watch = (value: ExportValue): ExportValue => {
    if (typeof value === 'string') for (const mark of value.match(DIRECTION_MARKS) ?? []) met.add(mark);
    return value;
  };
  return {
    columns: columns.map((column): ExportColumn<Row> => {
      const { read, readFields } = column;
      const watched: ExportColumn<Row> = { ...column, read: (row) => watch(read(row)) };
      if (readFields === undefined) return watched;
      return {
        ...watched,
        readFields: (row) => {
          watched.read(row);
          return readFields(row);
        },
      };
    }),
    list: () =>
      [...met].sort().map((mark) => `U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`),
  };
}
