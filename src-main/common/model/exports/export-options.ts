import { Type, type Static } from 'typebox';

/** Files of records. */
export const RECORD_FORMATS = ['csv', 'xlsx', 'json', 'ndjson', 'parquet'] as const;
export const RecordFormat = Type.Enum([...RECORD_FORMATS]);
export type RecordFormat = Static<typeof RecordFormat>;
/** Documents about detail records: what is measured of them, and a pack of it and of the records for a support ticket. */
const DOCUMENT_FORMATS = ['html', 'pdf', 'evidence'] as const;
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];

export const EXPORT_FORMATS = [...RECORD_FORMATS, ...DOCUMENT_FORMATS] as const;
export const ExportFormat = Type.Enum([...EXPORT_FORMATS]);
export type ExportFormat = Static<typeof ExportFormat>;

/** Formats that say nothing about themselves that a reader would see. */
export const SILENT_FORMATS: ReadonlySet<ExportFormat> = new Set<ExportFormat>(['csv', 'ndjson', 'parquet']);

/** True for a document, whose columns nobody chooses. */
export function isDocumentFormat(format: ExportFormat): format is DocumentFormat {
  return DOCUMENT_FORMATS.some((known) => known === format);
}

/** What the name of a file of a format ends with. */
export function toFileExtension(format: ExportFormat): string {
  return format === 'evidence' ? 'zip' : format;
}

/** What an exported file calls the column of what the specification doesn't define; a file that is imported has it so. */
export const OTHER_FIELDS_NAME = 'Other fields';

export const CSV_SEPARATORS = [',', ';', '\t', '|'] as const;

/** How a CSV file is written; lines end with CRLF, and the text is UTF-8. */
export const CsvDialect = Type.Object({
  separator: Type.Enum([...CSV_SEPARATORS]),
  decimalSign: Type.Enum(['.', ',']),
  /** Excel takes a file without the mark for one in the computer's own encoding. */
  byteOrderMark: Type.Boolean(),
  /** `text` quotes every text and no number, `needed` only cells that would be read wrong without, `all` every cell. */
  quoting: Type.Enum(['text', 'needed', 'all']),
  /** Puts an apostrophe before texts that a spreadsheet would run as a formula. */
  guard: Type.Boolean(),
});
export type CsvDialect = Static<typeof CsvDialect>;

/** How dates are written: as received, as times of the clock that is shown, or as both, in two columns. */
export const ExportDates = Type.Enum(['received', 'readable', 'both']);
export type ExportDates = Static<typeof ExportDates>;

/** What of the records is written, and how; every part has a default. */
export const ExportLayout = Type.Object({
  /** `corrected` writes the names of the service's fields without its spelling mistakes. `original` by default. */
  fieldNames: Type.Optional(Type.Enum(['original', 'corrected'])),
  /** The columns to write, by the names that `exports/preview` lists, in the file's own order; all by default. */
  columns: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 200 })),
  /** `both` by default; without a zone `received`. */
  dates: Type.Optional(ExportDates),
  /** CSV only; RFC_4180 by default. */
  csv: Type.Optional(CsvDialect),
  /**
   * Writes `<file>.manifest.json` beside the file: what it holds, how complete that is, and its SHA-256. By default beside
   * CSV, NDJSON and Parquet from which something is missing: nothing in them says so.
   */
  manifest: Type.Optional(Type.Boolean()),
});
export type ExportLayout = Static<typeof ExportLayout>;

/** CSV as RFC 4180 has it, every text quoted and guarded. */
export const RFC_4180: CsvDialect = {
  separator: ',',
  decimalSign: '.',
  byteOrderMark: false,
  quoting: 'text',
  guard: true,
};

export const BUILT_IN_PRESETS = ['excel', 'rfc4180', 'channelscope'] as const;
export type BuiltInPreset = (typeof BUILT_IN_PRESETS)[number];

/**
 * Returns the layout of a preset for CSV: `excel` opens by a double click in the Excel of a region with this decimal sign,
 * `rfc4180` is what programs read, `channelscope` keeps every value as it is, for another Channelscope.
 */
export function toPresetLayout(preset: BuiltInPreset, decimalSign: string): ExportLayout {
  if (preset === 'excel') {
    const isComma = decimalSign === ',';
    const csv: CsvDialect = {
      ...RFC_4180,
      separator: isComma ? ';' : ',',
      decimalSign: isComma ? ',' : '.',
      byteOrderMark: true,
    };
    return { fieldNames: 'original', dates: 'readable', csv };
  }
  if (preset === 'rfc4180') return { fieldNames: 'original', dates: 'both', csv: RFC_4180 };
  return { fieldNames: 'original', dates: 'received', csv: { ...RFC_4180, guard: false }, manifest: true };
}
