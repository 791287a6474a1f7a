import { AppError } from '../../../common/contract/errors.ts';
import {
  CONTENT_NAMES,
  isContentName,
  NARROW_NAMES,
  type ContentName,
  type NarrowName,
} from '../../../common/reporting/field-values.ts';
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

/** Records of a snapshot have the ids [snapshotId * SPAN, (snapshotId + 1) * SPAN): safe integers up to snapshot 2^21. */
export const RECORD_ID_SPAN = 2 ** 32;
export const PREVIEW_CHARACTERS = 120;

export type TextName = ContentName | 'preview' | 'extra';

/** A column of the cache, and what of a record it holds. */
export interface StoredColumn<Name extends string> {
  readonly name: Name;
  readonly column: string;
}

/**
 * Where the records of a report are kept. Checksums of pages run over the columns of `records`, then
 * those of `texts`, in this order; see REPORTS.
 */
interface RecordTables {
  readonly records: string;
  readonly recordColumns: readonly StoredColumn<NarrowName | 'dateMs'>[];
  readonly texts: string;
  readonly textColumns: readonly StoredColumn<TextName>[];
}

/** The tables of each report, as the migrations create them. */
export const RECORD_TABLES = mapKinds(DETAIL_KINDS, (kind): RecordTables => {
  const fields: Readonly<Partial<Record<NarrowName | ContentName, ReportField>>> = REPORTS[kind].fields;
  const prefix = kind.replace(/-detail$/, '');
  const recordColumns: StoredColumn<NarrowName | 'dateMs'>[] = [];
  const textColumns: StoredColumn<TextName>[] = [
    { name: 'preview', column: 'preview' },
    { name: 'extra', column: 'extra' },
  ];
  for (const name of REPORTS[kind].storedOrder) {
    const { column = '', type } = fields[name] ?? {};
    if (isContentName(name)) textColumns.push({ name, column });
    else recordColumns.push({ name, column });
    if (type === 'date') recordColumns.push({ name: 'dateMs', column: 'date_ms' });
  }
  return { records: `${prefix}_records`, recordColumns, texts: `${prefix}_texts`, textColumns };
});

/** The report of a snapshot of single records. Throws AppError `app.invalid-input` for a summary. */
export function toDetailKind(report: ReportKind): DetailKind {
  if (isDetailKind(report)) return report;
  throw new AppError('app.invalid-input', 'The snapshot is one of a summary.', { report });
}

/** The id of a record. */
export function toRecordId(snapshotId: number, seq: number): number {
  return snapshotId * RECORD_ID_SPAN + seq;
}

function listColumns<Name extends string>(
  names: readonly Name[],
  columns: readonly StoredColumn<Name>[],
  table: 'r' | 't',
): string {
  const selected = names.map((name) => {
    const stored = columns.find((candidate) => candidate.name === name);
    return `${stored === undefined ? 'NULL' : `${table}.${stored.column}`} AS ${name}`;
  });
  return selected.join(', ');
}

/** Narrow columns of the records `r` by name inside; null for those that the report lacks. */
export function listRecordColumns(kind: DetailKind, names: readonly (NarrowName | 'dateMs')[]): string {
  return listColumns(names, RECORD_TABLES[kind].recordColumns, 'r');
}

const ROW_COLUMNS = mapKinds(
  DETAIL_KINDS,
  (kind) =>
    `r.record_id / ${RECORD_ID_SPAN} AS snapshotId, r.record_id % ${RECORD_ID_SPAN} AS seq, ${listRecordColumns(kind, [...NARROW_NAMES, 'dateMs'])}, ` +
    `coalesce(t.preview, substr(t.payload, 1, ${PREVIEW_CHARACTERS})) AS payloadPreview`,
);

/** A statement that reads rows as `RecordRow`, up to its condition on `r`. */
export function selectRows(kind: DetailKind, more = ''): string {
  const { records, texts } = RECORD_TABLES[kind];
  return `SELECT ${ROW_COLUMNS[kind]}${more} FROM ${records} AS r JOIN ${texts} AS t ON t.record_id = r.record_id`;
}

/** Columns beside those of a row that a whole record is made of, for `selectRows`. */
export const TEXT_COLUMNS = mapKinds(
  DETAIL_KINDS,
  (kind) => `, ${listColumns([...CONTENT_NAMES, 'extra'], RECORD_TABLES[kind].textColumns, 't')}`,
);

const groupFields = new Map<string, ReportField>(SUMMARY_KINDS.flatMap((kind) => listFields(kind)));

/** Columns of a summary's groups, whichever report it is of; checksums run over them in this order. */
export const GROUP_COLUMNS: readonly StoredColumn<FieldName<SummaryKind>>[] = [
  ...new Set(SUMMARY_KINDS.flatMap((kind) => REPORTS[kind].storedOrder)),
].map((name) => ({ name, column: groupFields.get(name)?.column ?? '' }));
