import { findDateZone } from '../../../common/csv-habits.ts';
import { parseBodyPath } from '../../../common/model/records/body-path.ts';
import { isNamedField } from '../../../common/model/records/value-name.ts';
import { FIELD_NAMES, resolveFields } from '../../../common/reporting/field-names.ts';
import {
  listFields,
  REPORT_KINDS,
  type FieldType,
  type ReportKind,
} from '../../../common/reporting/reports.ts';
import { OTHER_FIELDS_NAME } from '../../../common/model/exports/export-options.ts';
import { MARK_COLUMNS } from '../../exports/export-columns.ts';
import { toUnreadable } from '../../../common/contract/errors.ts';

/** What a column of a file, or a field of its records, is. */
export type FileColumn =
  /** A field of the service. */
  | { readonly kind: 'field'; readonly wireName: string; readonly type: FieldType }
  /** Fields that the specification doesn't know, as one JSON object. */
  | { readonly kind: 'others' }
  /** The date as the clock of a zone shows it. */
  | { readonly kind: 'zoned-date'; readonly zone: string }
  /** What isn't the service's: a person's names, marks and notes, and what was read out of bodies or own tables. */
  | { readonly kind: 'own' }
  /** A field of the service that the specification doesn't know. */
  | { readonly kind: 'extra' };

const NAME = / name$/;
const MARKS = MARK_COLUMNS.map(({ name }) => name);

/**
 * Says what the columns of a file are. `own` are the file's own columns where a manifest lists them: any other name is
 * then a field that the service sent.
 */
export function describeColumns(
  names: readonly string[],
  report: ReportKind,
  own: readonly string[] | null,
): ReadonlyMap<string, FileColumn> {
  const fields = listFields(report);
  const { keyOf } = resolveFields<string>(names, FIELD_NAMES[report]);
  const columns = new Map<string, FileColumn>();
  for (const [field, { wireName, type }] of fields) {
    const name = keyOf[field];
    if (name !== undefined) columns.set(name, { kind: 'field', wireName, type });
  }
  const isNamed = new Set(fields.flatMap(([field]) => (isNamedField(field) ? (keyOf[field] ?? []) : [])));
  const hasMarks = MARKS.every((name) => names.includes(name));
  for (const name of names) {
    if (!columns.has(name)) columns.set(name, describeOther(name, isNamed, hasMarks, own));
  }
  return columns;
}

function describeOther(
  name: string,
  isNamed: ReadonlySet<string>,
  hasMarks: boolean,
  own: readonly string[] | null,
): FileColumn {
  if (own !== null && !own.includes(name)) return { kind: name === OTHER_FIELDS_NAME ? 'others' : 'extra' };
  if (name === OTHER_FIELDS_NAME) return { kind: 'others' };
  if (NAME.test(name) && isNamed.has(name.replace(NAME, ''))) return { kind: 'own' };
  if (hasMarks && MARKS.includes(name)) return { kind: 'own' };
  if (parseBodyPath(name) !== null) return { kind: 'own' };
  const zone = findDateZone(name);
  if (zone !== null) return { kind: 'zoned-date', zone };
  return { kind: 'extra' };
}

/**
 * Returns the report that records with these fields are of. Throws `imports.unreadable` where they are of none, and
 * where inbound can't be told from outbound.
 */
export function detectReport(names: readonly string[], stated: ReportKind | null): ReportKind {
  const found = (report: ReportKind): number => resolveFields<string>(names, FIELD_NAMES[report]).foundCount;
  if (Math.max(...REPORT_KINDS.map(found)) === 0) {
    throw toUnreadable(
      'Its records have none of the fields of a report. Import a CSV, JSON, NDJSON or Parquet export, or a portable snapshot.',
    );
  }
  if (stated !== null) return stated;
  const has = (report: ReportKind, field: string): boolean =>
    resolveFields<string>(names, FIELD_NAMES[report]).keyOf[field] !== undefined;
  if (has('outbound-summary', 'count') && !has('inbound-detail', 'dateText')) {
    const isInbound = has('inbound-summary', 'origin') || has('inbound-summary', 'averageBotLatencyMs');
    return isInbound ? 'inbound-summary' : 'outbound-summary';
  }
  const isInbound = has('inbound-detail', 'botLatencyMs');
  const isOutbound = has('outbound-detail', 'actionId') || has('outbound-detail', 'response');
  if (isInbound !== isOutbound) return isInbound ? 'inbound-detail' : 'outbound-detail';
  throw toUnreadable(
    'Its fields do not tell whether its records are inbound or outbound. Import it again and say which report it is of.',
  );
}
