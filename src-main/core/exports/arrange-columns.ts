import { AppError } from '../../common/contract/errors.ts';
import type { Input } from '../../common/contract/index.ts';
import type { RecordDetail } from '../../common/model/records/record.ts';
import type { SummaryGroup } from '../../common/model/records/summary.ts';
import { isNamedField, type ValueName } from '../../common/model/records/value-name.ts';
import {
  listFields,
  type DetailKind,
  type ReportKind,
  type SummaryKind,
} from '../../common/reporting/reports.ts';
import { correctWireName } from '../../common/reporting/wire-documents.ts';
import {
  addZonedDate,
  MARK_COLUMNS,
  OTHER_FIELDS,
  selectDetailColumns,
  selectSummaryColumns,
  toPathColumn,
  type ExportColumn,
} from './export-columns.ts';

/** What of an export's input its columns depend on. */
export type ColumnChoice = Pick<
  Input<'exports/start'>,
  'includePayload' | 'includeMarks' | 'paths' | 'isSummary' | 'zone' | 'layout'
>;

/** Leaves out of an export's input what is no matter of its columns. */
export function toColumnChoice({
  includePayload,
  includeMarks = false,
  paths = [],
  isSummary = false,
  zone,
  layout = {},
}: ColumnChoice): ColumnChoice {
  const choice = { includePayload, includeMarks, paths, isSummary, layout };
  return zone === undefined ? choice : { ...choice, zone };
}

/** The columns of a file, and the names of all that could be chosen for it. */
interface ArrangedColumns<Row> {
  readonly columns: readonly ExportColumn<Row>[];
  readonly available: readonly string[];
}

/** Returns the columns of detail records that an export asks for. Throws `app.invalid-input` where none is left. */
export function arrangeDetailColumns(
  report: DetailKind,
  input: ColumnChoice,
  names: readonly ValueName[],
): ArrangedColumns<RecordDetail> {
  const { includePayload, includeMarks = false, paths = [], zone, layout = {} } = input;
  const all = [
    ...selectDetailColumns(report, includePayload),
    OTHER_FIELDS,
    ...(includeMarks ? MARK_COLUMNS : []),
    ...paths.map(toPathColumn),
  ];
  const { dates = 'both' } = layout;
  const chosen = chooseColumns(all, layout.columns);
  const place = dates === 'both' ? 'behind' : 'instead';
  const dated =
    zone === undefined || dates === 'received' ? chosen : addZonedDate(chosen, report, zone, place);
  return { columns: finish(dated, report, names, layout.fieldNames), available: listNames(all) };
}

/** The same for the groups of a summary. */
export function arrangeSummaryColumns(
  report: SummaryKind,
  { isSummary = false, layout = {} }: ColumnChoice,
  names: readonly ValueName[],
): ArrangedColumns<SummaryGroup> {
  // What is computed has the fields of the specification only.
  const all = [...selectSummaryColumns(report), ...(isSummary ? [] : [OTHER_FIELDS])];
  const chosen = chooseColumns(all, layout.columns);
  return { columns: finish(chosen, report, names, layout.fieldNames), available: listNames(all) };
}

/** Returns the columns with these names; all of them where none are given. Throws `app.invalid-input`. */
export function chooseColumns<Column extends { readonly name: string }>(
  columns: readonly Column[],
  names: readonly string[] | undefined,
): readonly Column[] {
  if (names === undefined) return columns;
  const chosen = columns.filter(({ name }) => names.includes(name));
  if (chosen.length === 0) {
    throw new AppError('app.invalid-input', 'An export needs a column that its records have.', {
      columns: listNames(columns).join(', '),
    });
  }
  return chosen;
}

function listNames(columns: readonly { readonly name: string }[]): string[] {
  return columns.map(({ name }) => name);
}

function finish<Row>(
  columns: readonly ExportColumn<Row>[],
  report: ReportKind,
  names: readonly ValueName[],
  fieldNames: 'original' | 'corrected' = 'original',
): readonly ExportColumn<Row>[] {
  const named = names.length === 0 ? columns : addNameColumns(columns, report, names);
  if (fieldNames === 'original') return named;
  const wireNames = new Set(listFields(report).map(([, { wireName }]) => wireName));
  return named.map((column) =>
    wireNames.has(column.name) ? { ...column, name: correctWireName(column.name) } : column,
  );
}

/** Returns the columns with one behind each number that can be named: the person's own name of it. */
function addNameColumns<Row>(
  columns: readonly ExportColumn<Row>[],
  report: ReportKind,
  names: readonly ValueName[],
): readonly ExportColumn<Row>[] {
  const byNumber = new Map(names.map(({ field, value, name }) => [`${field}:${value}`, name]));
  const fields = new Map(
    listFields(report).flatMap(([field, { wireName }]) => (isNamedField(field) ? [[wireName, field]] : [])),
  );
  return columns.flatMap((column) => {
    const field = fields.get(column.name);
    if (field === undefined) return [column];
    const named: ExportColumn<Row> = {
      name: `${column.name} name`,
      type: 'text',
      read: (row) => byNumber.get(`${field}:${String(column.read(row))}`) ?? null,
      value: {
        kind: 'name',
        field,
        names: names.flatMap((entry) =>
          entry.field === field ? [{ value: entry.value, name: entry.name }] : [],
        ),
      },
    };
    return [column, named];
  });
}
