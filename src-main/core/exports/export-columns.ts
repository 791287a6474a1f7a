import type { RecordDetail } from '../../common/model/record.ts';
import type { SummaryGroup } from '../../common/model/summary.ts';
import {
  listFields,
  type DetailKind,
  type FieldType,
  type SummaryKind,
} from '../../common/reporting/reports.ts';

/** A field of an exported record: its name and type as specified, and where its value comes from. */
export interface ExportColumn<Row> {
  readonly name: string;
  /** `digits` are texts that hold a number, such as `Count` and `ActionId`. */
  readonly type: 'text' | 'number' | 'digits';
  readonly read: (row: Row) => string | number | null;
}

const COLUMN_TYPES: Readonly<Record<FieldType, ExportColumn<never>['type']>> = {
  text: 'text',
  content: 'text',
  state: 'text',
  date: 'text',
  digits: 'digits',
  count: 'digits',
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
    }));
}

/** A person's own columns, after those of the service. */
export const MARK_COLUMNS: readonly ExportColumn<RecordDetail>[] = [
  { name: 'Mark', type: 'text', read: ({ mark }) => mark?.mark ?? null },
  { name: 'Note', type: 'text', read: ({ mark }) => mark?.note ?? null },
];

/** Fields of a summary report in the order of the specification. */
export function selectSummaryColumns(report: SummaryKind): readonly ExportColumn<SummaryGroup>[] {
  return listFields(report).map(([name, { wireName, type }]) => ({
    name: wireName,
    type: COLUMN_TYPES[type],
    // A count is text in the specification.
    read: (group) => (type === 'count' ? String(group[name]) : group[name]),
  }));
}
