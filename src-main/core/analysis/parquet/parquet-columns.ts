import { OTHER_FIELDS_NAME } from '../../../common/model/exports/export-options.ts';
import { listFields, REPORT_KINDS } from '../../../common/reporting/reports.ts';
import { OTHER_FIELDS_COLUMN, UTC_COLUMN } from '../../../common/sql/sql-tables.ts';
import { nameZonedField } from '../../../common/time/format-moment.ts';
import { quoteText } from '../engine/engine-database.ts';
import { quoteName } from '../engine/files/file-column.ts';

/** A column of a Parquet file, its type as DuckDB names it. */
export interface ParquetColumn {
  readonly name: string;
  readonly type: string;
}

const WHOLE = /^U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)$/;
const FRACTION = /^(?:FLOAT|DOUBLE)$/;

/** True for a column of numbers whose digits JavaScript writes in its own way. */
export function isFraction({ type }: ParquetColumn): boolean {
  return FRACTION.test(type);
}

/**
 * The names under which the columns are read. Files of a dataset have those of the SQL screen, for which the service's
 * own are put; a file with such columns beside others keeps all of its names.
 */
export function nameRecordColumns(columns: readonly ParquetColumn[]): readonly string[] {
  const names = columns.map(({ name }) => name);
  const own = new Map<string, string>([
    [UTC_COLUMN, nameZonedField('Date', 'UTC')],
    [OTHER_FIELDS_COLUMN, OTHER_FIELDS_NAME],
  ]);
  for (const kind of REPORT_KINDS) {
    for (const [, { column, wireName }] of listFields(kind)) own.set(column, wireName);
  }
  return names.every((name) => own.has(name)) ? names.map((name) => own.get(name) ?? name) : names;
}

/** An expression for a record as one line of JSON, each column under its name in `names`. */
export function toLineSql(columns: readonly ParquetColumn[], names: readonly string[]): string {
  const members = columns.map((column, place) => {
    const key = `${place === 0 ? '' : ','}${JSON.stringify(names[place])}:`;
    return `${quoteText(key)}, coalesce(${toJsonSql(column)}, 'null')`;
  });
  return `concat('{', ${[...members, "'}'"].join(', ')})`;
}

/** The JSON of a value; instants are written as services write them, in UTC where the column says that they are. */
function toJsonSql({ name, type }: ParquetColumn): string {
  const sql = quoteName(name);
  if (WHOLE.test(type) || type.startsWith('DECIMAL')) return `CAST(${sql} AS VARCHAR)`;
  if (FRACTION.test(type)) {
    const text = `CAST(${sql} AS VARCHAR)`;
    return `CASE WHEN isfinite(${sql}) THEN ${text} ELSE '"' || ${text} || '"' END`;
  }
  if (type === 'TIMESTAMP WITH TIME ZONE') return toInstantSql(`make_timestamp(epoch_us(${sql}))`, 'Z');
  if (type.startsWith('TIMESTAMP')) return toInstantSql(`CAST(${sql} AS TIMESTAMP)`, '');
  return `CAST(to_json(${sql}) AS VARCHAR)`;
}

function toInstantSql(sql: string, zone: string): string {
  const write = (fraction: string): string => `strftime(${sql}, '"%Y-%m-%dT%H:%M:%S.${fraction}${zone}"')`;
  return `CASE WHEN epoch_us(${sql}) % 1000 = 0 THEN ${write('%g')} ELSE ${write('%f')} END`;
}
