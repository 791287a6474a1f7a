import type { CsvDialect } from '../../../common/model/exports/export-options.ts';
import type { ExportColumn } from '../export-columns.ts';

/** What a file states about itself, where its format has a place for it. */
export interface ExportAbout {
  readonly report: string;
  /** Left out where the records were imported from a file that doesn't say it. */
  readonly tenant?: number;
  readonly startDate: string;
  readonly endDate: string;
  /** The zone of the two dates. */
  readonly zone: string;
  /** The zone of the clock that dates of records are written in beside the text as received. */
  readonly clock?: string;
  /** Of a summary: it was computed of cached records, and not reported by the service. */
  readonly source?: 'computed';
  /** The query that the records match; everything where it is left out. */
  readonly filter?: string;
  /** The statement of SQL that the rows are a result of. */
  readonly statement?: string;
  /** Never `complete` where a filter left something out. */
  readonly state: string;
  readonly recordCount: number;
  /** Entries that could not be read as records, and are not among them; left out where there are none. */
  readonly unreadableEntries?: number;
  readonly exportedAt: string;
  /** What was masked, and how, in sentences; left out where everything stands as received. */
  readonly masking?: string;
}

/** Bytes of a file, or a text that is written as UTF-8. */
export type ExportPiece = string | Uint8Array;

/** Writes one file as pieces: `begin`, then rows in any number of groups, then `end`. */
export interface ExportWriter<Row, Piece extends ExportPiece = ExportPiece> {
  begin(): Piece | Promise<Piece>;
  write(rows: readonly Row[]): Piece | Promise<Piece>;
  end(): Piece | Promise<Piece>;
  /** Characters that the format can't hold and that were replaced. */
  countReplaced(): number;
  /** Texts that were longer than the format's cells and were cut. */
  countCut?(): number;
}

/** What writers are told besides the columns; each takes what concerns it. */
export interface WriterOptions {
  readonly csv?: CsvDialect | undefined;
  /** Rows of a sheet; as many as Excel takes where it is left out. */
  readonly sheetRows?: number;
}

/** A writer whose pieces are texts that are there at once. */
interface TextWriter<Row> extends ExportWriter<Row, string> {
  begin(): string;
  write(rows: readonly Row[]): string;
  end(): string;
}

/** A format: makes the writer of one file. */
export type CreateExportWriter = <Row>(
  columns: readonly ExportColumn<Row>[],
  about: ExportAbout,
  options?: WriterOptions,
) => ExportWriter<Row>;

export type CreateTextWriter = <Row>(
  columns: readonly ExportColumn<Row>[],
  about: ExportAbout,
  options?: WriterOptions,
) => TextWriter<Row>;

const UNWRITABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Replaces what a file of text can't hold, and counts it. */
interface TextCleaner {
  /** Returns the text with U+FFFD for NUL and for each half of a surrogate pair. */
  clean(text: string): string;
  countReplaced(): number;
}

/** Makes a cleaner; `pattern` finds what is replaced, where a format can hold less than others. */
export function createTextCleaner(pattern: RegExp = UNWRITABLE): TextCleaner {
  let replaced = 0;
  return {
    clean: (text) =>
      text.replace(pattern, () => {
        replaced += 1;
        return '\ufffd';
      }),
    countReplaced: () => replaced,
  };
}
