import type { DuckDBConnection } from '@duckdb/node-api';
import {
  LISTED_FIELDS,
  MAX_LISTED,
  type Affected,
  type FieldValues,
  type ListedField,
  type RecordFields,
} from '../../../../common/model/records/record-fields.ts';
import type {
  FieldCondition,
  FilterPart,
  RecordFilter,
} from '../../../../common/model/records/record-filter.ts';
import { isGroup, listPlain, saysAnything } from '../../../../common/query/filter-tree.ts';
import { readRows } from '../engine-database.ts';
import { findColumn, OUTCOME_COLUMN } from '../engine-tables.ts';
import { toFilterSql } from '../filter-sql.ts';
import { toSourceSql, type FilteredRecords } from '../resolved-scope.ts';
import { readDistribution } from './read-series.ts';

const TIMED_FIELDS = ['responseTimeMs', 'botLatencyMs'] as const;

interface ListedColumn {
  readonly field: ListedField;
  readonly name: string;
  readonly isText: boolean;
}

type Value = string | number | null;
/** Place of the field, a value and its records; or no value, the records without one, all records, and distinct values. */
type Row = [place: number, value: Value, count: number, recordCount: number | null, distinct: number | null];

/**
 * Reads the most frequent values of each field that records have, and how long they took; with the sessions or clients
 * of each value where that is asked for.
 */
export async function readFields(
  connection: DuckDBConnection,
  records: FilteredRecords,
  affected?: Affected,
): Promise<RecordFields> {
  const { direction } = records.scope;
  const columns = LISTED_FIELDS.flatMap((field): ListedColumn[] => {
    const column = findColumn(field, direction);
    return column === null
      ? []
      : [{ field, name: column.name, isText: column.type === 'VARCHAR' || column === OUTCOME_COLUMN }];
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
    if (column === undefined) continue;
    found.excluded = await readExcluded(connection, records, column);
    if (affected !== undefined) await addAffected(connection, records, { column, found, affected });
  }
  const times: RecordFields['times'] = [];
  for (const field of TIMED_FIELDS) {
    if (findColumn(field, direction) === null) continue;
    times.push({ field, distribution: await readDistribution(connection, records, field) });
  }
  if (affected === undefined) return { recordCount, values, times };
  const all = await countAffected(connection, records, affected);
  return { recordCount, affected: all.get(ALL) ?? 0, values, times };
}

const AFFECTED_COLUMNS: Readonly<Record<Affected, string>> = { sessions: 'session_id', clients: 'client' };
/** Stands for all records where none of a field's values is asked for. */
const ALL = '';

/** Counts the sessions or clients of the values that are listed of a field. */
async function addAffected(
  connection: DuckDBConnection,
  records: FilteredRecords,
  {
    column,
    found,
    affected,
  }: { readonly column: ListedColumn; readonly found: FieldValues; readonly affected: Affected },
): Promise<void> {
  const counts = await countAffected(connection, records, affected, {
    column,
    values: found.values.map(({ value }) => value),
  });
  found.values = found.values.map((one) => ({ ...one, affected: counts.get(one.value) ?? 0 }));
  found.blankAffected = counts.get(null) ?? 0;
}

/** Sessions or clients by value of a field, null for none; of all records where no field is named. */
async function countAffected(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  affected: Affected,
  field?: { readonly column: ListedColumn; readonly values: readonly (string | number)[] },
): Promise<ReadonlyMap<Value, number>> {
  const where = toFilterSql(filter, scope.direction);
  const unit = AFFECTED_COLUMNS[affected];
  const value = field === undefined ? `'${ALL}'` : toValueSql(field.column).replace(/ AS \w+$/, '');
  const bound = [...where.values];
  const listed = (field?.values ?? []).map(
    (one) => `$${bound.push(typeof one === 'number' && Number.isInteger(one) ? BigInt(one) : one)}`,
  );
  const among = [
    'value IS NULL',
    ...(field === undefined ? ['true'] : listed.length === 0 ? [] : [`value IN (${listed.join(', ')})`]),
  ];
  // Of millions of texts, their hashes are counted in half the time.
  const rows = await readRows<[Value, number]>(
    connection,
    `SELECT value, count(DISTINCT hash(unit)) FILTER (unit <> '')
     FROM ${toSourceSql(scope, [`${value} AS value`, `${unit} AS unit`], where)}
     WHERE ${among.join(' OR ')} GROUP BY value`,
    bound,
  );
  return new Map(rows);
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
  const excluded = listPlain(filter).flatMap((condition) => listExcluded(condition, field));
  if (excluded.length === 0) return [];
  const conditions = filter.conditions.flatMap((part): FilterPart[] =>
    isGroup(part) ? [part] : withoutExcluded(part, field),
  );
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
  return saysAnything(rest) ? [rest] : [];
}

/** An empty text is no value. */
function toValueSql({ name, isText }: Pick<ListedColumn, 'name' | 'isText'>): string {
  if (name === OUTCOME_COLUMN.name) return `${name}::VARCHAR AS ${name}`;
  return isText ? `nullif(${name}, '') AS ${name}` : name;
}
