import { type Static, Type } from 'typebox';
import { foldCase } from '../../fold-case.ts';
import { Nullable } from '../nullable.ts';
import { MAX_SESSION_ID_CHARACTERS } from '../records/conversation.ts';

/** What is known of a format, wherever it is written, offered or read. */
interface FormatRow {
  /** In English, for the guide and the dialogs of the system. */
  readonly name: string;
  /** What the name of a file ends with. */
  readonly extension: string;
  /** Records; or a document about detail records: what is measured of them, or a pack of that and the records for a ticket. */
  readonly holds: 'records' | 'report' | 'pack';
  /** What writes it: row by row a writer of `WRITERS`, the engine, either of them with the same characters, or code of its own. */
  readonly writer: 'rows' | 'engine' | 'either' | 'own';
  /** `typed` has instants, which need no clock; `shown` has texts, or what looks like the clock that is shown. */
  readonly dates: 'shown' | 'typed';
  /** Written with a `CsvDialect`, and with the presets for one. */
  readonly hasDialect: boolean;
  /** It says nothing about itself that a reader would see. */
  readonly isSilent: boolean;
  /** The Library reads it back. */
  readonly isImported: boolean;
}

const RECORDS = { holds: 'records', dates: 'shown', hasDialect: false } as const;
const DOCUMENT = { ...RECORDS, writer: 'own', isSilent: false, isImported: false } as const;

/** The formats, in the order in which they are offered. */
export const FORMATS = {
  csv: {
    ...RECORDS,
    name: 'CSV',
    extension: 'csv',
    writer: 'either',
    hasDialect: true,
    isSilent: true,
    isImported: true,
  },
  xlsx: {
    ...RECORDS,
    name: 'Excel',
    extension: 'xlsx',
    writer: 'rows',
    isSilent: false,
    isImported: false,
  },
  json: {
    ...RECORDS,
    name: 'JSON',
    extension: 'json',
    writer: 'either',
    isSilent: false,
    isImported: true,
  },
  ndjson: {
    ...RECORDS,
    name: 'NDJSON',
    extension: 'ndjson',
    writer: 'either',
    isSilent: true,
    isImported: true,
  },
  parquet: {
    ...RECORDS,
    name: 'Parquet',
    extension: 'parquet',
    writer: 'engine',
    dates: 'typed',
    isSilent: true,
    isImported: true,
  },
  html: { ...DOCUMENT, name: 'HTML', extension: 'html', holds: 'report' },
  pdf: { ...DOCUMENT, name: 'PDF', extension: 'pdf', holds: 'report' },
  evidence: { ...DOCUMENT, name: 'evidence pack', extension: 'zip', holds: 'pack' },
} as const satisfies Readonly<Record<string, FormatRow>>;

type Formats = typeof FORMATS;
export type ExportFormat = keyof Formats;
type FormatsWith<Facts extends Partial<FormatRow>> = {
  [Format in ExportFormat]: Formats[Format] extends Facts ? Format : never;
}[ExportFormat];
/** Files of records. */
export type RecordFormat = FormatsWith<{ holds: 'records' }>;
export type DocumentFormat = Exclude<ExportFormat, RecordFormat>;
/** Formats that are written row by row, at least where the engine declines. */
export type RowFormat = FormatsWith<{ writer: 'rows' | 'either' }>;
/** Formats that the engine writes. */
type EngineFormat = FormatsWith<{ writer: 'engine' | 'either' }>;
/** Formats that the Library reads. */
export type ImportedFormat = FormatsWith<{ isImported: true }>;

/** Returns what is known of a format. */
export function toFormatRow(format: ExportFormat): FormatRow {
  return FORMATS[format];
}

export const EXPORT_FORMATS = Object.keys(FORMATS) as readonly ExportFormat[];
export const ExportFormat = Type.Enum([...EXPORT_FORMATS]);
export const RECORD_FORMATS = EXPORT_FORMATS.filter(
  (format) => !isDocumentFormat(format),
) as readonly RecordFormat[];
export const RecordFormat = Type.Enum([...RECORD_FORMATS]);
export const IMPORTED_FORMATS = EXPORT_FORMATS.filter(
  (format) => toFormatRow(format).isImported,
) as readonly ImportedFormat[];

/** How the names of files end that the Library reads, also such as it doesn't write. */
export const IMPORTED_EXTENSIONS: readonly string[] = [
  ...IMPORTED_FORMATS.map((format) => FORMATS[format].extension),
  'jsonl',
  'channelscope',
];

/** True for a document, whose columns nobody chooses. */
export function isDocumentFormat(format: ExportFormat): format is DocumentFormat {
  return toFormatRow(format).holds !== 'records';
}

/** True for a format that is written row by row, at least where the engine declines. */
export function isRowFormat(format: ExportFormat): format is RowFormat {
  const { writer } = toFormatRow(format);
  return writer === 'rows' || writer === 'either';
}

/** True for a format that the engine writes. */
export function isEngineFormat(format: ExportFormat): format is EngineFormat {
  const { writer } = toFormatRow(format);
  return writer === 'engine' || writer === 'either';
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
const ExportDates = Type.Enum(['received', 'readable', 'both']);
type ExportDates = Static<typeof ExportDates>;

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

/** How clients are written in a file. */
export const CLIENT_MASKS = ['pseudonym', 'shortened', 'left-out', 'received'] as const;
/** How payloads, responses and fields that the specification doesn't know are written. */
export const PAYLOAD_MASKS = ['left-out', 'masked', 'shortened', 'received'] as const;
/**
 * How error texts are written: with numbers, identifiers, quoted values and addresses folded; the same, but with the
 * numbers that are measures; or in full.
 */
export const ERROR_MASKS = ['folded', 'numbers', 'received'] as const;

/** Sessions that a pack can be asked for. */
export const MAX_EVIDENCE_SESSIONS = 50;

export const EvidenceMasking = Type.Object({
  client: Type.Enum([...CLIENT_MASKS]),
  payload: Type.Enum([...PAYLOAD_MASKS]),
  errors: Type.Enum([...ERROR_MASKS]),
});
export type EvidenceMasking = Static<typeof EvidenceMasking>;

/** Nothing is masked. */
export const AS_RECEIVED: EvidenceMasking = { client: 'received', payload: 'received', errors: 'received' };

/** Whether anything is masked at all. */
export function hidesSomething({ client, payload, errors }: EvidenceMasking): boolean {
  return client !== 'received' || payload !== 'received' || errors !== 'received';
}

/** What an evidence pack holds besides its records, and what of a person's data leaves in it. */
export const EvidenceOptions = Type.Object({
  masking: EvidenceMasking,
  /** Sessions to write in full, in both directions. */
  sessionIds: Type.Array(Type.String({ minLength: 1, maxLength: MAX_SESSION_ID_CHARACTERS }), {
    maxItems: MAX_EVIDENCE_SESSIONS,
  }),
  /** Adds the sessions that the findings name as examples. */
  withFindingSessions: Type.Boolean(),
});
export type EvidenceOptions = Static<typeof EvidenceOptions>;

/** What is taken where nothing is chosen: as little of a person's data as possible. */
export const DEFAULT_EVIDENCE: EvidenceOptions = {
  masking: { client: 'pseudonym', payload: 'left-out', errors: 'folded' },
  sessionIds: [],
  withFindingSessions: true,
};

/** How a pack is signed. */
export const PackSignature = Type.Object({
  /** SHA-256 of the public key, in hex; null while there is no key. */
  fingerprint: Nullable(Type.String()),
  /** Why it isn't signed; null where it is. */
  unsigned: Nullable(Type.Enum(['no-secret-store', 'key-unreadable'])),
});
export type PackSignature = Static<typeof PackSignature>;

/** What a file of a pack holds. */
const PACK_CONTENTS = [
  'report',
  'records',
  'findings',
  'sessions',
  'certificates',
  'manifest',
  'readme',
  'checkers',
  'sums',
] as const;

/** A file of a pack before it is written; the files of a folder are told as one. */
export const PackPreview = Type.Object({
  path: Type.String(),
  holds: Type.Enum([...PACK_CONTENTS]),
  /** How much it holds, or how many files the folder; null where that is not counted. */
  count: Nullable(Type.Integer()),
});
export type PackPreview = Static<typeof PackPreview>;

/** How a file is written, without its columns: those differ from report to report. */
export const ExportChoices = Type.Object({
  format: ExportFormat,
  /** The built-in preset, or the id of the person's own one, that they are; null where anything was changed by hand. */
  preset: Nullable(Type.String({ maxLength: 100 })),
  csv: CsvDialect,
  dates: ExportDates,
  fieldNames: Type.Enum(['original', 'corrected']),
  /** Null for what is best: beside an incomplete file that says nothing itself. */
  manifest: Nullable(Type.Boolean()),
  includePayload: Type.Boolean(),
  includeNames: Type.Boolean(),
  includeMarks: Type.Boolean(),
  /** Of an evidence pack that of DEFAULT_EVIDENCE by default, of all others nothing. */
  masking: Type.Optional(EvidenceMasking),
  /** Of a report: what fits on a page, in place of all. */
  isBrief: Type.Optional(Type.Boolean()),
});
export type ExportChoices = Static<typeof ExportChoices>;

/** What is chosen for a format until a person chooses. */
export function toFirstChoices(format: ExportFormat): ExportChoices {
  return {
    format,
    preset: toFormatRow(format).hasDialect ? 'rfc4180' : null,
    csv: RFC_4180,
    dates: 'both',
    fieldNames: 'original',
    manifest: null,
    includePayload: true,
    includeNames: false,
    includeMarks: false,
  };
}

/** Returns the choices with those of a built-in preset, in a region with this decimal sign. */
export function applyBuiltInPreset(
  choices: ExportChoices,
  preset: BuiltInPreset,
  decimalSign: string,
): ExportChoices {
  const { csv = RFC_4180, dates = 'both', manifest = null } = toPresetLayout(preset, decimalSign);
  return { ...choices, format: 'csv', preset, csv, dates, manifest, fieldNames: 'original' };
}

/** Returns the layout that the choices ask for; all columns are written without `columns`. */
export function toLayout(
  { format, csv, dates, fieldNames, manifest }: Omit<ExportChoices, 'preset'>,
  columns: readonly string[] | null,
): ExportLayout {
  return {
    fieldNames,
    dates,
    ...(manifest === null ? {} : { manifest }),
    ...(toFormatRow(format).hasDialect ? { csv } : {}),
    ...(columns === null ? {} : { columns: [...columns] }),
  };
}

/** Returns what a file masks, what an evidence pack holds besides, and how long a report is, as chosen. */
export function toContents(
  { format, masking, isBrief = false }: Pick<ExportChoices, 'format' | 'masking' | 'isBrief'>,
  sessions: Partial<Omit<EvidenceOptions, 'masking'>> = {},
): {
  readonly evidence?: EvidenceOptions;
  readonly masking?: EvidenceMasking;
  readonly isBrief?: boolean;
} {
  if (format === 'evidence')
    return { evidence: { ...DEFAULT_EVIDENCE, ...sessions, ...(masking === undefined ? {} : { masking }) } };
  return {
    ...(masking !== undefined && hidesSomething(masking) ? { masking } : {}),
    ...(isBrief && isDocumentFormat(format) ? { isBrief } : {}),
  };
}

/** Returns the choices as they are offered for the next file: what a pack held as received is masked again, unlike in other files. */
export function toNextChoices(choices: ExportChoices): ExportChoices {
  const { masking, format } = choices;
  if (format !== 'evidence' || masking === undefined || !Object.values(masking).includes('received'))
    return choices;
  const { client, payload, errors } = masking;
  const first = DEFAULT_EVIDENCE.masking;
  return {
    ...choices,
    preset: null,
    masking: {
      client: client === 'received' ? first.client : client,
      payload: payload === 'received' ? first.payload : payload,
      errors: errors === 'received' ? first.errors : errors,
    },
  };
}

/** The decimal sign of a language and region, such as `de-DE`; without one, of those that this program runs in. */
export function findDecimalSign(locale?: string): string {
  const parts = new Intl.NumberFormat(locale).formatToParts(1.5);
  return parts.find(({ type }) => type === 'decimal')?.value ?? '.';
}

export const MAX_SAVED_PRESETS = 100;
export const MAX_PRESET_NAME_CHARACTERS = 60;

export const PresetName = Type.String({ minLength: 1, maxLength: MAX_PRESET_NAME_CHARACTERS });

/** Choices for a file that the person saved; no two have one name, whatever its letter case. */
export const SavedPreset = Type.Object({
  id: Type.String(),
  name: PresetName,
  choices: ExportChoices,
});
export type SavedPreset = Static<typeof SavedPreset>;

/** Returns the preset of a name, whatever its letter case. */
export function findByName<Named extends { readonly name: string }>(
  list: readonly Named[],
  name: string,
): Named | undefined {
  const wanted = toKey(name);
  return list.find((each) => toKey(each.name) === wanted);
}

/** True for a name that the command line takes for a preset of the application itself. */
export function isBuiltInName(name: string): boolean {
  return BUILT_IN_PRESETS.some((preset) => preset === toKey(name));
}

function toKey(name: string): string {
  return foldCase(name.trim());
}

/** The reports that a dataset can hold. */
export const DATASET_REPORTS = ['inbound-detail', 'outbound-detail'] as const;
export const DatasetReport = Type.Enum([...DATASET_REPORTS]);
export type DatasetReport = Static<typeof DatasetReport>;

/** What the last update of a dataset did. */
const DatasetUpdate = Type.Object({
  endedAtMs: Type.Integer(),
  /** Days in the folder that hold records, of each report. */
  days: Type.Integer(),
  records: Type.Integer(),
  bytes: Type.Integer(),
  /** Days that this update wrote. */
  written: Type.Integer(),
  /** Days of which something is not cached, or not settled yet. */
  incomplete: Type.Integer(),
});

/** A folder of Parquet files that is kept like the cache: one file for each report and day. */
export const Dataset = Type.Object({
  id: Type.String(),
  connectionId: Type.String(),
  /** Absolute path of the folder that was chosen; that of the connection is inside it. */
  folder: Type.String(),
  reports: Type.Array(DatasetReport, { minItems: 1, maxItems: DATASET_REPORTS.length }),
  /** It is updated by itself while the application runs. */
  isKept: Type.Boolean(),
  last: Nullable(DatasetUpdate),
});
export type Dataset = Static<typeof Dataset>;
export type DatasetUpdate = Static<typeof DatasetUpdate>;
