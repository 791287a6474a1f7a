import { readExactIso } from '../../../common/reporting/reading/read-date.ts';
import { AppError } from '../../../common/contract/errors.ts';
import {
  type ContentName,
  isContentName,
  NARROW_NAMES,
  type NarrowName,
} from '../../../common/reporting/field-names.ts';
import {
  DETAIL_KINDS,
  isDetailKind,
  listFields,
  mapKinds,
  REPORTS,
  SUMMARY_KINDS,
  type DetailKind,
  type FieldName,
  type ReportField,
  type ReportKind,
  type SummaryKind,
} from '../../../common/reporting/reports.ts';
import { RECORD_ID_SPAN } from '../../../common/model/records/record.ts';

/** A column of the cache, and what of a record it holds. */
interface StoredColumn<Name extends string> {
  readonly name: Name;
  readonly column: string;
}
interface RecordColumn extends StoredColumn<NarrowName | 'dateMs'> {
  readonly type: 'TEXT' | 'INTEGER' | 'REAL';
}

/**
 * Where the narrow fields of a report's records are kept; their long texts lie in the pages as received. Checksums run
 * over the columns, then over the texts; see `toDigested`.
 */
export interface RecordTable {
  readonly name: string;
  readonly columns: readonly RecordColumn[];
  readonly contentNames: readonly ContentName[];
  /** Fields that became known later, the narrow ones as the last columns, with the service's names of them. */
  readonly later: readonly { readonly name: NarrowName | ContentName; readonly wireName: string }[];
}

/** Returns the table for fields of a report. */
export function toRecordTable(
  name: string,
  fields: readonly (readonly [NarrowName | ContentName, ReportField])[],
): RecordTable {
  const isLater = ([, field]: (typeof fields)[number]): boolean => field.isLater === true;
  const ordered = [...fields.filter((field) => !isLater(field)), ...fields.filter(isLater)];
  return {
    name,
    columns: ordered.flatMap(([own, { column, type, unit }]): RecordColumn[] => {
      if (isContentName(own)) return [];
      if (type === 'date')
        return [
          { name: own, column, type: 'TEXT' },
          { name: 'dateMs', column: 'date_ms', type: 'INTEGER' },
        ];
      // Milliseconds may have a fraction, even where the specification calls them whole.
      if (type === 'number' || unit === 'ms') return [{ name: own, column, type: 'REAL' }];
      return [{ name: own, column, type: type === 'integer' ? 'INTEGER' : 'TEXT' }];
    }),
    contentNames: ordered.flatMap(([own]) => (isContentName(own) ? [own] : [])),
    later: fields.filter(isLater).map(([own, { wireName }]) => ({ name: own, wireName })),
  };
}

/** The table of each report. */
export const RECORD_TABLES = mapKinds(DETAIL_KINDS, (kind) =>
  toRecordTable(`${REPORTS[kind].direction}_records`, listFields(kind)),
);

/** Returns the report as one of single records. Throws AppError `app.invalid-input` for a summary. */
export function requireDetailKind(report: ReportKind): DetailKind {
  if (isDetailKind(report)) return report;
  throw new AppError('app.invalid-input', 'The snapshot is one of a summary.', { report });
}

/**
 * The value of a column of the records `r`. A date in the form that most services write is not kept as text beside
 * its instant.
 */
function selectColumn({ name, column }: StoredColumn<NarrowName | 'dateMs'>): string {
  if (name !== 'dateText') return `r.${column}`;
  const written = "strftime('%Y-%m-%dT%H:%M:%fZ', r.date_ms / 1000.0, 'unixepoch')";
  return `CASE WHEN r.date_text = '' AND r.date_ms IS NOT NULL THEN ${written} ELSE r.date_text END`;
}

/** What is stored of a date: its text, or nothing where that follows from its instant; see `selectColumn`. */
export function toStoredDate(dateText: string, dateMs: number | null): string {
  return dateMs !== null && readExactIso(dateText) === dateMs ? '' : dateText;
}

/** Narrow columns of the records `r` by name inside; null for those that the report lacks. */
function listRecordColumns(kind: DetailKind, names: readonly (NarrowName | 'dateMs')[]): string {
  const selected = names.map((name) => {
    const stored = RECORD_TABLES[kind].columns.find((candidate) => candidate.name === name);
    return `${stored === undefined ? 'NULL' : selectColumn(stored)} AS ${name}`;
  });
  return selected.join(', ');
}

/** A statement that reads rows as `RecordRow`, up to its condition on `r`. */
export function selectRows(kind: DetailKind, more = ''): string {
  const columns = listRecordColumns(kind, [...NARROW_NAMES, 'dateMs']);
  return `SELECT r.record_id / ${RECORD_ID_SPAN} AS snapshotId, r.record_id % ${RECORD_ID_SPAN} AS seq, ${columns},
    r.payload_preview AS payloadPreview${more} FROM ${RECORD_TABLES[kind].name} AS r`;
}

/** A statement that reads the narrow values of records in the order of their checksum, up to its condition on `r`. */
export function selectValues(kind: DetailKind, more = ''): string {
  const { name, columns } = RECORD_TABLES[kind];
  return `SELECT ${columns.map(selectColumn).join(', ')}${more} FROM ${name} AS r`;
}

/** Columns of a summary's groups, whichever report it is of; checksums run over them in this order. */
export const GROUP_COLUMNS: readonly StoredColumn<FieldName<SummaryKind>>[] = [
  ...new Map(SUMMARY_KINDS.flatMap((kind) => listFields(kind))),
].map(([name, { column }]) => ({ name, column }));
