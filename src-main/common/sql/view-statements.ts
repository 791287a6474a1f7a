import { isBodyField } from '../model/records/body-path.ts';
import type { ErrorGrouping } from '../model/records/error-family.ts';
import type { RecordOrder } from '../model/records/record.ts';
import type { Language } from '../model/settings/language.ts';
import type { RecordFilter } from '../model/records/record-filter.ts';
import { SQL_MAX_ROWS } from '../model/records/sql.ts';
import { withoutField } from '../query/filter-tree.ts';
import { isGuid, type Direction } from '../reporting/reports.ts';
import {
  findSqlColumn,
  isPartlySaid,
  listClockOffsets,
  quoteText,
  type StatementClock,
  toClockText,
  toConditionsSql,
  toPathText,
} from './filter-statement.ts';
import { ERROR_FAMILY_COLUMN, SQL_TABLES, UTC_COLUMN } from './sql-tables.ts';

/** Returns what texts are sorted by: the order of a language's dictionaries, in any letter case. */
export function toTextOrderSql(column: string, language: Language = 'en'): string {
  return `fold_case(${column}) COLLATE ${language}`;
}

/** What a view of records shows, as a statement: the same records in the same order. */
export function toRecordsStatement(view: {
  readonly direction: Direction;
  readonly filter: RecordFilter;
  readonly order: RecordOrder;
  readonly rowCount: number;
  readonly clock: StatementClock;
}): string {
  const { direction, filter, order, rowCount, clock } = view;
  const columns = SQL_TABLES.find(({ name }) => name === direction)?.columns ?? [];
  const keys = order.flatMap(({ column, descending, language }) => {
    const side = descending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST';
    if (isBodyField(column)) {
      const value = toPathText(column, direction);
      if (value === null) return [];
      return [`body_number(${value}) ${side}`, `${toTextOrderSql(`nullif(${value}, '')`, language)} ${side}`];
    }
    const found = column === 'received' ? null : findSqlColumn(column, direction);
    if (found === null) return [];
    const key = found.type === 'text' ? toTextOrderSql(found.name, language) : found.name;
    return [`${key} ${side}`];
  });
  return joinLines([
    toRemark(filter),
    `SELECT ${columns.map(({ name }) => name).join(', ')}`,
    `FROM ${direction}`,
    toWhere(toConditionsSql(filter, direction, clock)),
    keys.length === 0 ? '' : `ORDER BY ${keys.join(', ')}`,
    // More rows than that are not kept, and a limit makes an order quick.
    rowCount > SQL_MAX_ROWS ? `LIMIT ${SQL_MAX_ROWS}` : '',
  ]);
}

/** The computed summary as a statement: inbound groups have an origin and a bot latency. */
export function toComputedStatement(
  direction: Direction,
  filter: RecordFilter,
  clock: StatementClock,
): string {
  const isInbound = direction === 'inbound';
  return joinLines([
    toRemark(filter),
    `SELECT channel, service, ${isInbound ? 'origin, ' : ''}response_code,`,
    '  count(*) AS requests,',
    `  avg(response_time_ms) AS average_response_time_ms${isInbound ? ',' : ''}`,
    isInbound ? '  avg(bot_latency_ms) AS average_bot_latency_ms' : '',
    `FROM ${direction}`,
    toWhere(toConditionsSql(filter, direction, clock)),
    'GROUP BY ALL',
    'ORDER BY requests DESC',
  ]);
}

/** The summary that the service reported for exactly this period, as a statement. */
export function toReportedStatement(
  direction: Direction,
  filter: RecordFilter,
  clock: StatementClock,
): string {
  const toTime = (atMs: number): string => `TIMESTAMP '${toClockText(atMs, clock.zone)}'`;
  const isInbound = direction === 'inbound';
  return joinLines([
    `SELECT channel, service, ${isInbound ? 'origin, ' : ''}response_code, requests,`,
    `  average_response_time_ms${isInbound ? ', average_bot_latency_ms' : ''}`,
    'FROM summaries',
    toWhere([
      `direction = '${direction}'`,
      `period_from = ${toTime(clock.fromMs)}`,
      `period_to = ${toTime(clock.toMs)}`,
      ...toConditionsSql(filter, direction, clock),
    ]),
    'ORDER BY requests DESC',
  ]);
}

/** The requests of every half hour in both directions, and the inbound ones that failed, as a statement. */
export function toVolumeStatement(clock: StatementClock): string {
  // A clock that is put back shows two half hours under one time.
  const isPlain = listClockOffsets(clock.fromMs, clock.toMs, clock.zone).length === 1;
  const date = isPlain ? 'date' : UTC_COLUMN;
  return joinLines([
    'WITH traffic AS (',
    `  SELECT ${date} AS moment, 'inbound' AS direction, outcome FROM inbound`,
    `  UNION ALL SELECT ${date}, 'outbound', outcome FROM outbound`,
    ')',
    'SELECT time_bucket(INTERVAL 30 MINUTE, moment) AS half_hour,',
    "  count(*) FILTER (direction = 'inbound') AS inbound_requests,",
    "  count(*) FILTER (direction = 'outbound') AS outbound_requests,",
    "  count(*) FILTER (outcome = 'failed') AS failed",
    'FROM traffic',
    'GROUP BY half_hour',
    'ORDER BY half_hour',
  ]);
}

/** A view's errors by family, code, channel or service as a statement; the filter's own conditions on these don't hide others. */
export function toErrorsStatement(
  direction: Direction,
  filter: RecordFilter,
  clock: StatementClock,
  by: 'errorFamily' | ErrorGrouping,
): string {
  const others = withoutField(filter, by);
  const column = findSqlColumn(by, direction)?.name ?? ERROR_FAMILY_COLUMN;
  const lists = { channel: 'channels', service: 'services', [ERROR_FAMILY_COLUMN]: 'families' };
  return joinLines([
    toRemark(others),
    `SELECT ${column},`,
    '  count(*) AS requests,',
    '  round(100.0 * requests / sum(requests) OVER (), 1) AS percent,',
    '  min(date) AS first_seen,',
    '  max(date) AS last_seen,',
    Object.entries(lists)
      .filter(([name]) => name !== column)
      .map(([name, plural]) => `  list_sort(list(DISTINCT ${name})) AS ${plural}`)
      .join(',\n'),
    `FROM ${direction}`,
    toWhere([`${ERROR_FAMILY_COLUMN} <> ''`, ...toConditionsSql(others, direction, clock)]),
    `GROUP BY ${column}`,
    `ORDER BY requests DESC, ${column}`,
  ]);
}

/** The requests of a session in both directions as a statement, in their order. */
export function toSessionStatement(sessionId: string): string {
  // A GUID means the same in any letter case.
  const isOfSession = isGuid(sessionId)
    ? `lower(session_id) = ${quoteText(sessionId.toLowerCase())}`
    : `session_id = ${quoteText(sessionId)}`;
  const shared = 'response_code, channel, service, client, error';
  return joinLines([
    `SELECT date, 'inbound' AS direction, bot_latency_ms, response_time_ms, ${shared}, payload`,
    'FROM inbound',
    toWhere([isOfSession]),
    'UNION ALL',
    `SELECT date, 'outbound', NULL, response_time_ms, ${shared}, payload`,
    'FROM outbound',
    toWhere([isOfSession]),
    'ORDER BY date, direction',
  ]);
}

function toRemark(filter: RecordFilter): string {
  return isPartlySaid(filter)
    ? '-- Marks and notes are in none of these tables. What the filter says of them is left out.'
    : '';
}

function toWhere(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.join('\n  AND ')}`;
}

function joinLines(lines: readonly string[]): string {
  return lines.filter((line) => line !== '').join('\n');
}
