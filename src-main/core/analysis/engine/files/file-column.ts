import type { NamedField } from '../../../../common/model/records/value-name.ts';
import {
  REPORTS,
  type DetailKind,
  type FieldName,
  type ReportField,
} from '../../../../common/reporting/reports.ts';
import { OTHER_FIELDS_COLUMN } from '../../../../common/sql/sql-tables.ts';
import { quoteText } from '../engine-database.ts';
import { toDateTextSql } from '../engine-tables.ts';
import type { ResolvedScope } from '../resolved-scope.ts';

/** What of a record stands in a column of a file. */
export type FileValue =
  | { readonly kind: 'field'; readonly name: FieldName<DetailKind> }
  /** The instant; `hasText` says that the text as received stands where there is none. */
  | { readonly kind: 'moment'; readonly zone: string; readonly hasText: boolean }
  | { readonly kind: 'other-fields' | 'mark' | 'note' }
  /** What is at a path in a body or in an own table, as one text. */
  | { readonly kind: 'path'; readonly path: string }
  /** A person's own name of a number. */
  | {
      readonly kind: 'name';
      readonly field: NamedField;
      readonly names: readonly { readonly value: string; readonly name: string }[];
    };

/** A column of a file that the engine writes. */
export interface FileColumn {
  readonly name: string;
  readonly value: FileValue;
}

/** Names a value in a statement; quotes in the name are doubled. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The column of a field in the tables of a direction, an expression for the date as received. */
function toFieldSql(name: FieldName<DetailKind>, direction: ResolvedScope['direction']): string {
  if (name === 'dateText') return toDateTextSql();
  const fields: Readonly<Record<string, ReportField>> = REPORTS[`${direction}-detail`].fields;
  return fields[name]?.column ?? 'NULL';
}

/** The value of a column as SQL over a record's columns, of its own type: a moment is an instant. */
export function toValueSql(value: FileValue, direction: ResolvedScope['direction']): string {
  switch (value.kind) {
    case 'field':
      return toFieldSql(value.name, direction);
    case 'moment':
      return 'make_timestamptz(date_ms * 1000)';
    case 'other-fields':
      return OTHER_FIELDS_COLUMN;
    case 'mark':
    case 'note':
      return `marked.${value.kind}`;
    case 'path':
      return quoteName(value.path);
    case 'name': {
      const cases = value.names.map(
        (entry) => `WHEN ${quoteText(entry.value)} THEN ${quoteText(entry.name)}`,
      );
      const number = `CAST(${toFieldSql(value.field, direction)} AS VARCHAR)`;
      return cases.length === 0 ? 'CAST(NULL AS VARCHAR)' : `CASE ${number} ${cases.join(' ')} END`;
    }
  }
}
