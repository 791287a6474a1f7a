import { isNamedField, type ValueName } from '../../common/model/records/value-name.ts';
import { listFields, type ReportKind } from '../../common/reporting/reports.ts';
import type { ExportColumn } from './export-columns.ts';

/** Returns the columns with one behind each number that can be named: the person's own name of it. */
export function addNameColumns<Row>(
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
