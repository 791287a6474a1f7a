import {
  CSV_SEPARATORS,
  EXPORT_FORMATS,
  EXPORT_PRESETS,
  RFC_4180,
  toPresetLayout,
  type CsvDialect,
  type ExportDates,
  type ExportFormat,
  type ExportLayout,
  type ExportPreset,
} from '../../../../src-main/common/model/exports/export-options.ts';

const STORAGE_KEY = 'channelscope.export';

/** What a person chose for a file; columns are chosen anew for each. */
export interface ExportChoices {
  readonly format: ExportFormat;
  readonly preset: ExportPreset | 'own';
  readonly csv: CsvDialect;
  readonly dates: ExportDates;
  readonly fieldNames: 'original' | 'corrected';
  readonly manifest: boolean;
  readonly includePayload: boolean;
  readonly includeNames: boolean;
  readonly includeMarks: boolean;
}

const FIRST: ExportChoices = {
  format: 'csv',
  preset: 'rfc4180',
  csv: RFC_4180,
  dates: 'both',
  fieldNames: 'original',
  manifest: false,
  includePayload: true,
  includeNames: false,
  includeMarks: false,
};

/** Returns the choices with those of a preset. */
export function applyPreset(
  choices: ExportChoices,
  preset: ExportPreset,
  decimalSign: string,
): ExportChoices {
  const { csv = RFC_4180, dates = 'both', manifest = false } = toPresetLayout(preset, decimalSign);
  return { ...choices, preset, csv, dates, manifest, fieldNames: 'original' };
}

/** Returns the layout that the choices ask for. */
export function toLayout(
  { format, csv, dates, fieldNames, manifest }: ExportChoices,
  columns: readonly string[] | null,
): ExportLayout {
  return {
    fieldNames,
    dates,
    manifest,
    ...(format === 'csv' ? { csv } : {}),
    ...(columns === null ? {} : { columns: [...columns] }),
  };
}

/** The decimal sign of a language and region, such as that of the window. */
export function findDecimalSign(locale: string): string {
  const parts = new Intl.NumberFormat(locale).formatToParts(1.5);
  return parts.find(({ type }) => type === 'decimal')?.value ?? '.';
}

/** Reads the choices of last time; what no longer is one is the first choice again. */
export function readChoices(): ExportChoices {
  const stored = readStored();
  const pick = <Value>(value: unknown, options: readonly Value[], otherwise: Value): Value =>
    options.find((option) => option === value) ?? otherwise;
  const isOn = (name: keyof ExportChoices): boolean =>
    pick(stored[name], [true, false], FIRST[name] === true);
  const csv = (stored['csv'] ?? {}) as Readonly<Record<string, unknown>>;
  return {
    format: pick(stored['format'], EXPORT_FORMATS, FIRST.format),
    preset: pick(stored['preset'], [...EXPORT_PRESETS, 'own'], FIRST.preset),
    csv: {
      separator: pick(csv['separator'], CSV_SEPARATORS, RFC_4180.separator),
      decimalSign: pick(csv['decimalSign'], ['.', ','] as const, RFC_4180.decimalSign),
      byteOrderMark: csv['byteOrderMark'] === true,
      quoting: pick(csv['quoting'], ['text', 'needed', 'all'] as const, RFC_4180.quoting),
      guard: csv['guard'] !== false,
    },
    dates: pick(stored['dates'], ['received', 'readable', 'both'] as const, FIRST.dates),
    fieldNames: pick(stored['fieldNames'], ['original', 'corrected'] as const, FIRST.fieldNames),
    manifest: isOn('manifest'),
    includePayload: isOn('includePayload'),
    includeNames: isOn('includeNames'),
    includeMarks: isOn('includeMarks'),
  };
}

/** Keeps the choices for the next file. */
export function keepChoices(choices: ExportChoices): void {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(choices));
  } catch {
    // Without storage they are forgotten.
  }
}

function readStored(): Readonly<Record<string, unknown>> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}');
    return typeof stored === 'object' && stored !== null ? (stored as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
