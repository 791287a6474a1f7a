import { listFields, type Direction } from '../reporting/reports.ts';

/** What a column of SQL holds, in plain words of SQL. */
export type SqlColumnType = 'timestamp' | 'integer' | 'double' | 'text';

export interface SqlTableColumn {
  readonly name: string;
  readonly type: SqlColumnType;
}

export interface SqlTable {
  readonly name: 'inbound' | 'outbound' | 'summaries' | 'status';
  readonly columns: readonly SqlTableColumn[];
}

/** The name in SQL of the column that holds what errors fold to. */
export const ERROR_FAMILY_COLUMN = 'error_family';

/** The name in SQL of the column that holds what became of a request: `ok`, `failed`, `expected` or `unknown`. */
export const OUTCOME_COLUMN_NAME = 'outcome';

/** The name in SQL of the column that holds what the specification doesn't define, as a JSON object; null for none. */
export const OTHER_FIELDS_COLUMN = 'other_fields';

/** A clock that is put back shows an hour twice; in UTC each instant has a time of its own. */
export const UTC_COLUMN = 'date_utc';

/** The tables that a statement can read. Texts of any length are whole. */
export const SQL_TABLES: readonly SqlTable[] = [
  { name: 'inbound', columns: listRecordColumns('inbound') },
  { name: 'outbound', columns: listRecordColumns('outbound') },
  {
    name: 'summaries',
    columns: [
      { name: 'direction', type: 'text' },
      { name: 'period_from', type: 'timestamp' },
      { name: 'period_to', type: 'timestamp' },
      { name: 'fetched_at', type: 'timestamp' },
      { name: 'channel', type: 'integer' },
      { name: 'service', type: 'integer' },
      { name: 'origin', type: 'text' },
      { name: 'response_code', type: 'integer' },
      { name: 'requests', type: 'integer' },
      { name: 'average_response_time_ms', type: 'double' },
      { name: 'average_bot_latency_ms', type: 'double' },
      { name: 'session_id', type: 'text' },
      { name: OTHER_FIELDS_COLUMN, type: 'text' },
    ],
  },
  {
    name: 'status',
    columns: [
      { name: 'date', type: 'timestamp' },
      { name: 'platform', type: 'text' },
      { name: 'connector', type: 'text' },
      { name: 'round_trip_ms', type: 'integer' },
      { name: 'internal_response_time_ms', type: 'double' },
      { name: 'sessions', type: 'integer' },
      { name: 'traffic', type: 'text' },
      { name: 'failure', type: 'text' },
      { name: OTHER_FIELDS_COLUMN, type: 'text' },
    ],
  },
];

/** Columns that say which connection a row is of, where a statement is asked of several. */
export const CONNECTION_COLUMNS: readonly SqlTableColumn[] = [
  { name: 'connection', type: 'text' },
  { name: 'connection_id', type: 'text' },
];

/** The tables as a statement finds them. */
export function listSqlTables(isOfSeveral: boolean): readonly SqlTable[] {
  if (!isOfSeveral) return SQL_TABLES;
  return SQL_TABLES.map(({ name, columns }) => ({ name, columns: [...CONNECTION_COLUMNS, ...columns] }));
}

function listRecordColumns(direction: Direction): SqlTableColumn[] {
  const fields = listFields(`${direction}-detail`)
    .filter(([name]) => name !== 'dateText')
    .map(([, { column, type, unit }]): SqlTableColumn => {
      if (type === 'number' || unit === 'ms') return { name: column, type: 'double' };
      return { name: column, type: type === 'integer' ? 'integer' : 'text' };
    });
  return [
    { name: 'date', type: 'timestamp' },
    { name: UTC_COLUMN, type: 'timestamp' },
    ...fields,
    { name: OTHER_FIELDS_COLUMN, type: 'text' },
    { name: ERROR_FAMILY_COLUMN, type: 'text' },
    { name: OUTCOME_COLUMN_NAME, type: 'text' },
  ];
}
