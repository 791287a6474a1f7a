import { VARCHAR, type DuckDBConnection } from '@duckdb/node-api';
import {
  LISTED_FIELDS,
  MAX_LISTED,
  type FieldValues,
  type ListedField,
  type RecordFields,
} from '../../../../common/model/records/record-fields.ts';
import type { FieldCondition, RecordFilter } from '../../../../common/model/records/record-filter.ts';
import { readRows } from '../engine-database.ts';
import { findColumn, OUTCOME_COLUMN } from '../engine-tables.ts';
import { toFilterSql } from '../filter-sql.ts';
import { toSourceSql, type FilteredRecords } from '../resolved-scope.ts';
import { readDistribution } from './read-distribution.ts';

const TIMED_FIELDS = ['responseTimeMs', 'botLatencyMs'] as const;

interface ListedColumn {
  readonly field: ListedField;
  readonly name: string;
  readonly isText: boolean;
}

type Value = string | number | null;
/** Place of the field, a value and its records; or no value, the records without one, all records, and distinct values. */
type Row = [place: number, value: Value, count: number, recordCount: number | null, distinct: number | null];

/** Reads the most frequent values of each field that records have, and how long they took. */
export async function readFields(
  connection: DuckDBConnection,
  records: FilteredRecords,
): Promise<RecordFields> {
  const { direction } = records.scope;
  const columns = LISTED_FIELDS.flatMap((field): ListedColumn[] => {
    const column = findColumn(field, direction);
    return column === null
      ? []
      : [{ field, name: column.name, isText: column.type === VARCHAR || column === OUTCOME_COLUMN }];
  });
  const values: FieldValues[] = [];
  let recordCount = 0;
  // Whole numbers have few combinations: one pass counts all of them.
  const numbers = columns.filter(({ isText }) => !isText);
  const passes = [numbers, ...columns.filter(({ isText }) => isText).map((column) => [column])];
  for (const own of passes) {
    const rows = await readTop(connection, records, own);
    for (const [place, { field }] of own.entries()) {
      const ofField = rows.filter(([at]) => at === place);
      const total = ofField.find(([, , , all]) => all !== null);
      recordCount = total?.[3] ?? recordCount;
      values.push({
        field,
        distinctCount: total?.[4] ?? 0,
        values: ofField.flatMap(([, value, count]) => (value === null ? [] : [{ value, count }])),
        blankCount: total?.[2] ?? 0,
        excluded: [],
      });
    }
  }
  for (const found of values) {
    const column = columns.find(({ field }) => field === found.field);
    if (column !== undefined) found.excluded = await readExcluded(connection, records, column);
  }
  const times: RecordFields['times'] = [];
  for (const field of TIMED_FIELDS) {
    if (findColumn(field, direction) === null) continue;
    times.push({ field, distribution: await readDistribution(connection, records, field) });
  }
  return { recordCount, values, times };
}

function readTop(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  columns: readonly ListedColumn[],
): Promise<Row[]> {
  const where = toFilterSql(filter, scope.direction);
  const names = columns.map(toValueSql);
  const selects = columns.map(
    ({ name }, place) =>
      `SELECT * FROM (
         SELECT ${place} AS place, value, records, NULL::BIGINT AS whole, NULL::BIGINT AS different FROM of_${name}
         WHERE value IS NOT NULL ORDER BY records DESC, value LIMIT ${MAX_LISTED}
       )
       UNION ALL SELECT ${place}, NULL, coalesce(sum(records) FILTER (value IS NULL), 0)::BIGINT,
         coalesce(sum(records), 0)::BIGINT, count(value) FROM of_${name}`,
  );
  const combined = `SELECT ${columns.map(({ name }) => name).join(', ')}, count(*) AS records
    FROM ${toSourceSql(scope, names, where)} GROUP BY ALL`;
  // Those of a single field are its values: grouped once more, many texts would take twice as long.
  const counted = columns.map(({ name }) => {
    const sums = `SELECT ${name}, sum(records)::BIGINT FROM combinations GROUP BY ${name}`;
    return `of_${name}(value, records) AS MATERIALIZED (${columns.length === 1 ? combined : sums})`;
  });
  const combinations = columns.length === 1 ? '' : `combinations AS MATERIALIZED (${combined}), `;
  return readRows<Row>(
    connection,
    `WITH ${combinations}${counted.join(', ')} ${selects.join(' UNION ALL ')}`,
    where.values,
  );
}

/** Counts what each value that is left out by name would add, all others left out as they are. */
async function readExcluded(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  { field, name, isText }: ListedColumn,
): Promise<FieldValues['excluded']> {
  const excluded = filter.conditions.flatMap((condition) => listExcluded(condition, field));
  if (excluded.length === 0) return [];
  const conditions = filter.conditions.flatMap((condition) => withoutExcluded(condition, field));
  const alone: RecordFilter = { conditions: [...conditions, { field, values: excluded }] };
  const where = toFilterSql(alone, scope.direction);
  const rows = await readRows<[value: Value, count: number]>(
    connection,
    `SELECT ${name}, count(*) AS records FROM ${toSourceSql(scope, [toValueSql({ name, isText })], where)}
     GROUP BY ${name}`,
    where.values,
  );
  const counts = new Map(rows);
  const known = excluded.map((value) => {
    if (value === null || value === '') return null;
    return isText ? String(value) : value;
  });
  return [...new Set(known)]
    .map((value) => ({ value, count: counts.get(value) ?? 0 }))
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_LISTED);
}

function listExcluded({ field, exclude, values = [] }: FieldCondition, own: ListedField): Value[] {
  return field === own && exclude === true ? values : [];
}

/** A condition without the values that it leaves out; a class, a range or a text beside them still is. */
function withoutExcluded(condition: FieldCondition, own: ListedField): FieldCondition[] {
  if (listExcluded(condition, own).length === 0) return [condition];
  const rest = { ...condition };
  delete rest.values;
  const isOpen = [rest.anyCase, rest.classes, rest.min, rest.max, rest.text].some(
    (part) => part !== undefined,
  );
  return isOpen ? [rest] : [];
}

/** An empty text is no value. */
function toValueSql({ name, isText }: Pick<ListedColumn, 'name' | 'isText'>): string {
  if (name === OUTCOME_COLUMN.name) return `${name}::VARCHAR AS ${name}`;
  return isText ? `nullif(${name}, '') AS ${name}` : name;
}
