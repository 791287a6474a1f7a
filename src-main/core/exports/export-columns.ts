import { joinJsonTexts, type JsonTexts } from '../../common/json/exact-json.ts';
import type { FileValue } from '../analysis/engine/files/file-column.ts';
import { OTHER_FIELDS_NAME } from '../../common/model/exports/export-options.ts';
import type { RecordDetail } from '../../common/model/records/record.ts';
import type { SummaryGroup } from '../../common/model/records/summary.ts';
import { nameZonedField } from '../../common/time/format-moment.ts';
import {
  listFields,
  REPORTS,
  type DetailKind,
  type FieldType,
  type SummaryKind,
} from '../../common/reporting/reports.ts';
import { createZoneMoments } from './formats/zone-moments.ts';

export type ExportValue = string | number | boolean | null;

/** A field of an exported record: its name and type as specified, and where its value comes from. */
export interface ExportColumn<Row> {
  readonly name: string;
  /** `digits` are texts that mostly hold a number, `count` ones that always do; a `moment` has `readMs` too. */
  readonly type: 'text' | 'number' | 'digits' | 'count' | 'moment';
  readonly read: (row: Row) => ExportValue;
  /** Where it holds other fields, as one JSON object: each of them. */
  readonly readFields?: (row: Row) => JsonTexts;
  /** The instant, for formats that have dates of their own; null where it isn't known. */
  readonly readMs?: (row: Row) => number | null;
  /** The zone of the clock that moments are written in. */
  readonly zone?: string;
  /** Where the engine has the value, for files that it writes itself; undefined where it doesn't. */
  readonly value?: FileValue;
}

/**
 * What is no field of the specification, and numbers that could not be read: all of it as received, since what comes in
 * later records isn't known when a file is begun. JSON has each among the record's own fields.
 */
export const OTHER_FIELDS: ExportColumn<{ readonly extra?: JsonTexts | undefined }> = {
  name: OTHER_FIELDS_NAME,
  type: 'text',
  read: ({ extra = {} }) => (Object.keys(extra).length === 0 ? null : joinJsonTexts(Object.entries(extra))),
  readFields: ({ extra = {} }) => extra,
  value: { kind: 'other-fields' },
};

const COLUMN_TYPES: Readonly<Record<FieldType, ExportColumn<never>['type']>> = {
  text: 'text',
  content: 'text',
  state: 'text',
  date: 'text',
  digits: 'digits',
  count: 'count',
  integer: 'number',
  number: 'number',
};

/** Fields of a detail report in the order of the specification; long texts only when asked for. */
export function selectDetailColumns(
  report: DetailKind,
  includePayload: boolean,
): readonly ExportColumn<RecordDetail>[] {
  return listFields(report)
    .filter(([, { type }]) => includePayload || type !== 'content')
    .map(([name, { wireName, type }]) => ({
      name: wireName,
      type: COLUMN_TYPES[type],
      read: (record) => record[name],
      value: { kind: 'field', name },
    }));
}

/**
 * Returns the columns with one behind the date, or in its place: the moment that it was read as, as the clock in a zone
 * shows it. Where a date was not understood it is empty; in the date's place it is the text as received.
 */
export function addZonedDate(
  columns: readonly ExportColumn<RecordDetail>[],
  report: DetailKind,
  zone: string,
  place: 'behind' | 'instead' = 'behind',
): readonly ExportColumn<RecordDetail>[] {
  const { wireName } = REPORTS[report].fields.dateText;
  const moments = createZoneMoments(zone);
  const zoned: ExportColumn<RecordDetail> = {
    name: nameZonedField(wireName, zone),
    type: 'moment',
    zone,
    readMs: ({ dateMs }) => dateMs,
    read: ({ dateMs, dateText }) => {
      if (dateMs !== null) return moments.format(dateMs);
      return place === 'instead' ? dateText : null;
    },
    value: { kind: 'moment', zone, hasText: place === 'instead' },
  };
  return columns.flatMap((column) => {
    if (column.name !== wireName) return [column];
    return place === 'behind' ? [column, zoned] : [zoned];
  });
}

/** A person's own columns, after those of the service. */
export const MARK_COLUMNS: readonly ExportColumn<RecordDetail>[] = [
  { name: 'Mark', type: 'text', read: ({ mark }) => mark?.mark ?? null, value: { kind: 'mark' } },
  { name: 'Note', type: 'text', read: ({ mark }) => mark?.note ?? null, value: { kind: 'note' } },
];

/** What records have at a path in their bodies or in an own table, as one text. */
export function toPathColumn(path: string): ExportColumn<RecordDetail> {
  return {
    name: path,
    type: 'text',
    read: ({ values }) => values?.[path] ?? null,
    value: { kind: 'path', path },
  };
}

/** Fields of a summary report in the order of the specification. */
export function selectSummaryColumns(report: SummaryKind): readonly ExportColumn<SummaryGroup>[] {
  return listFields(report).map(([name, { wireName, type }]) => ({
    name: wireName,
    type: COLUMN_TYPES[type],
    // A count is text in the specification.
    read: (group) => (type === 'count' ? String(group[name]) : group[name]),
  }));
}
