import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';
import {
  DEFAULT_EVIDENCE,
  EvidenceMasking,
  hidesSomething,
  type EvidenceOptions,
} from './evidence-options.ts';
import {
  CsvDialect,
  ExportDates,
  ExportFormat,
  isDocumentFormat,
  RFC_4180,
  toPresetLayout,
  type BuiltInPreset,
  type ExportLayout,
} from './export-options.ts';

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
    preset: format === 'csv' ? 'rfc4180' : null,
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
    ...(format === 'csv' ? { csv } : {}),
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
