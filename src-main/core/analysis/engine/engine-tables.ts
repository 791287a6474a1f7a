import { BIGINT, DOUBLE, ENUM, VARCHAR, type DuckDBType } from '@duckdb/node-api';
import type { FilterField } from '../../../common/model/records/record-filter.ts';
import { OUTCOMES } from '../../../common/reporting/outcome.ts';
import { BODY_MACROS } from '../../../common/sql/body-sql.ts';
import { OTHER_FIELDS_COLUMN, OUTCOME_COLUMN_NAME } from '../../../common/sql/sql-tables.ts';
import { listFoldCaseSql } from './fold-case-sql.ts';
import {
  REPORTS,
  listFields,
  type DetailKind,
  type Direction,
  type ReportField,
} from '../../../common/reporting/reports.ts';

/** Raised whenever a table or macro below or the meaning of a column changes: the file is then fed anew. */
export const ENGINE_SCHEMA = 13;

/** The date as received; empty where it is the instant in the form that most services write, as in the cache. */
export const DATE_TEXT_COLUMN = 'date_text';

/** The date as received, between quotes if any; `kept` is what becomes of one that is kept as text. */
export function toDateTextSql(kept = DATE_TEXT_COLUMN, quote: '' | '"' = ''): string {
  return `CASE WHEN ${DATE_TEXT_COLUMN} = '' AND date_ms IS NOT NULL
    THEN strftime(epoch_ms(date_ms), '${quote}%Y-%m-%dT%H:%M:%S.%gZ${quote}') ELSE ${kept} END`;
}

export interface EngineColumn {
  readonly name: string;
  readonly type: DuckDBType;
}

/** Columns of a direction's table that come from the cache, in the order in which they are fed. */
export const ENGINE_COLUMNS: Readonly<Record<Direction, readonly EngineColumn[]>> = {
  inbound: listColumns('inbound-detail'),
  outbound: listColumns('outbound-detail'),
};

/** After the columns of the cache: the family of the record's error, found while it is fed. */
export const PATTERN_COLUMN: EngineColumn = { name: 'error_pattern', type: VARCHAR };

/** Then what became of the request, by the rules of its connection. */
export const OUTCOME_COLUMN: EngineColumn = { name: OUTCOME_COLUMN_NAME, type: ENUM([...OUTCOMES]) };

/** Whether a record failed: the only place that says so in SQL of the engine. */
export const FAILED_SQL = `${OUTCOME_COLUMN_NAME} = 'failed'::outcome`;

/** After it: what paths in bodies have, of those that are asked for; see `kept_paths`. */
export const PATH_COLUMNS: readonly EngineColumn[] = Array.from({ length: 12 }, (_, slot) => ({
  name: `path_${slot}`,
  type: VARCHAR,
}));

function listColumns(kind: DetailKind): EngineColumn[] {
  const fields = listFields(kind)
    .filter(([name]) => name !== 'dateText')
    .map(([, { column, type, unit }]) => ({ name: column, type: toType(type, unit) }));
  return [
    { name: 'record_id', type: BIGINT },
    { name: 'date_ms', type: BIGINT },
    { name: DATE_TEXT_COLUMN, type: VARCHAR },
    ...fields,
    { name: OTHER_FIELDS_COLUMN, type: VARCHAR },
  ];
}

/** Times may have fractions whatever the specification says (decision 22). */
function toType(type: ReportField['type'], unit: ReportField['unit']): DuckDBType {
  if (type === 'number' || unit === 'ms') return DOUBLE;
  return type === 'integer' ? BIGINT : VARCHAR;
}

/**
 * Conditions on the records of each class that charts and tables show, in the order of CODE_CLASSES, as `toShownClass`
 * tells them apart: by outcome first, by the code where that is one of HTTP. What none holds for is in the last class.
 */
export const SHOWN_CLASS_SQL = [
  "outcome = 'ok'::outcome AND coalesce(response_code NOT BETWEEN 300 AND 399, true)",
  "outcome = 'ok'::outcome AND response_code BETWEEN 300 AND 399",
  `${FAILED_SQL} AND response_code BETWEEN 400 AND 499`,
  `${FAILED_SQL} AND coalesce(response_code NOT BETWEEN 400 AND 499, true)`,
] as const;

/** The column of a field, or null where the direction does not have it. */
export function findColumn(field: FilterField, direction: Direction): EngineColumn | null {
  const fields: Readonly<Record<string, ReportField>> = REPORTS[`${direction}-detail`].fields;
  if (field === 'errorFamily') return PATTERN_COLUMN;
  if (field === 'outcome') return OUTCOME_COLUMN;
  const name = field === 'dateMs' ? 'date_ms' : fields[field]?.column;
  return ENGINE_COLUMNS[direction].find((column) => column.name === name) ?? null;
}

/** Statements that make the tables and macros of an empty file. */
export function listTableSql(): string[] {
  const tables = Object.entries(ENGINE_COLUMNS).map(
    ([direction, columns]) =>
      `CREATE TABLE ${direction} (${[
        ...[...columns, PATTERN_COLUMN].map(({ name, type }) => `${name} ${type.toString()}`),
        `${OUTCOME_COLUMN.name} outcome`,
        ...PATH_COLUMNS.map(({ name }) => `${name} VARCHAR`),
      ].join(', ')})`,
  );
  return [
    'CREATE TABLE engine_state (schema_version INTEGER, cache_identity VARCHAR)',
    // Records of each snapshot that are here; always the first ones of it.
    `CREATE TABLE fed_snapshots (snapshot_id BIGINT, direction VARCHAR, started_at_ms BIGINT, record_count BIGINT,
       reading BIGINT, is_in_order BOOLEAN, last_date_ms BIGINT, first_date_ms BIGINT, until_ms BIGINT)`,
    // Patterns of a connection's errors in the order in which they came, each with the pattern that names its family.
    `CREATE TABLE error_families (connection_id VARCHAR, direction VARCHAR, pattern VARCHAR, family VARCHAR,
       place BIGINT)`,
    // What a person's changes made of families: each name with one that its records have now.
    `CREATE TABLE family_names (connection_id VARCHAR, direction VARCHAR, name VARCHAR, family VARCHAR)`,
    // By which changes the records of a connection got their families.
    `CREATE TABLE family_changes (connection_id VARCHAR, direction VARCHAR, changes VARCHAR)`,
    // By which rules the records of a connection were decided.
    `CREATE TABLE outcome_rules (connection_id VARCHAR, direction VARCHAR, rules VARCHAR)`,
    // The paths whose values are in columns of their own, and which of them were used last.
    'CREATE TABLE kept_paths (direction VARCHAR, path VARCHAR, slot INTEGER, used BIGINT)',
    // What stood out at the end of days, as long as the records that it was told of stay as they are.
    `CREATE TABLE finding_days (connection_id VARCHAR, until_ms BIGINT, key VARCHAR, found VARCHAR)`,
    `CREATE TYPE outcome AS ENUM (${OUTCOMES.map((outcome) => `'${outcome}'`).join(', ')})`,
    ...tables,
    ...listFoldCaseSql(),
    ...BODY_MACROS,
  ];
}
