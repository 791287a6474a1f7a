import type { DuckDBConnection } from '@duckdb/node-api';
import {
  MAX_GROUPS,
  type GroupField,
  type GroupValue,
  type Latency,
  type MeasuredGroup,
  type MeasuredGroups,
} from '../../../../common/model/analysis/grouping.ts';
import type { RecordFilter } from '../../../../common/model/records/record-filter.ts';
import { readRows } from '../engine-database.ts';
import { findColumn } from '../engine-tables.ts';
import { toFilterSql } from '../filter-sql.ts';
import { toSourceSql, type RecordScope } from '../record-scope.ts';
import { toKeySql } from './key-sql.ts';
import {
  LISTS_SQL,
  makeCells,
  MAX_LISTED_VALUES,
  readListedRows,
  toCounted,
  type ListedRow,
} from './listed-rows.ts';
import { measureRanked, rankValues } from './ranked-values.ts';
import {
  joinKeys,
  NO_TIMES,
  TIMES_COLUMNS,
  toDirectTimesSql,
  toLatency,
  toTimesSql,
  type TimesCells,
} from './times-sql.ts';

type Counts = readonly [count: number, fine: number, redirected: number, faulty: number, broken: number];
type Figures = readonly [...counts: Counts, firstMs: number | null, lastMs: number | null];
/** What of a row is the same whether its times were listed or sorted. */
interface ReadGroup {
  readonly figures: Figures;
  readonly response: Latency;
  readonly botLatency: Latency;
  readonly key: readonly GroupValue[];
}
interface ReadGroups {
  readonly total: ReadGroup | undefined;
  readonly groups: readonly ReadGroup[];
  readonly groupCount: number;
}

/** Columns of counts that add up; the last class of response codes is what the others leave. */
const CLASS_RANGES = { fine: [100, 299], redirected: [300, 399], faulty: [400, 499], broken: [500, 599] };
const FIGURE_COLUMNS = ['records', ...Object.keys(CLASS_RANGES), 'first_ms', 'last_ms'];
/** The figures of a group from its counts by response code. */
const FIGURES_SQL = [
  'sum(records)::BIGINT AS records',
  ...Object.entries(CLASS_RANGES).map(
    ([name, [from, to]]) =>
      `coalesce(sum(records) FILTER (response_code BETWEEN ${from} AND ${to}), 0)::BIGINT AS ${name}`,
  ),
  'min(first_ms) AS first_ms',
  'max(last_ms) AS last_ms',
].join(', ');
const FIGURES = FIGURE_COLUMNS.map((name) => `figures.${name}`).join(', ');
const TIMES = [
  ...TIMES_COLUMNS.map((name) => `own.${name}`),
  ...TIMES_COLUMNS.map((name) => `bot.${name} AS bot_${name}`),
].join(', ');
const LISTS = 'own.listed, own.counts, bot.listed AS bot_listed, bot.counts AS bot_counts';

/** Up to how much each way of measuring times is the quickest. */
interface GroupLimits {
  readonly fewRecords: number;
  readonly listedValues: number;
}
const LIMITS: GroupLimits = { fewRecords: 131_072, listedValues: MAX_LISTED_VALUES };

/**
 * Measures the records of a scope by the values of some fields: the largest groups first, and all records together. Times
 * repeat: of many records equal ones are counted first, and what is left is ranked here, or sorted by the engine where it
 * is too much to be held.
 */
export async function groupRecords(
  connection: DuckDBConnection,
  scope: RecordScope,
  filter: RecordFilter,
  by: readonly GroupField[],
  limits = LIMITS,
): Promise<MeasuredGroups> {
  const { direction } = scope;
  const where = toFilterSql(filter, direction);
  const keys = by.map((_, place) => `key_${place}`);
  const keyColumns = by.map((field, place) => `${toKeySql(field, direction)} AS key_${place}`);
  const botColumn = findColumn('botLatencyMs', direction)?.name ?? 'NULL::DOUBLE';
  const source = toSourceSql(scope, ['*'], where);
  const make = (table: string, columns: readonly string[]): Promise<number> =>
    makeCells(
      connection,
      table,
      `SELECT ${[...keyColumns, ...columns].join(', ')} FROM ${source} ${columns.includes(RECORDS_SQL) ? 'GROUP BY ALL' : ''}`,
      where.values,
    );
  await make('code_cells', [
    'response_code',
    RECORDS_SQL,
    'min(date_ms) AS first_ms, max(date_ms) AS last_ms',
  ]);
  const [[count] = [0]] = await readRows<[number | null]>(connection, 'SELECT sum(records) FROM code_cells');
  const read = async (): Promise<ReadGroups> => {
    if ((count ?? 0) <= limits.fewRecords) {
      await make('few_records', ['response_time_ms AS own', `${botColumn} AS bot`]);
      return readMeasured(connection, keys, (name, own) =>
        toDirectTimesSql(`(SELECT *, ${name} AS value FROM few_records)`, own),
      );
    }
    const valueCount =
      (await make('own_cells', ['response_time_ms AS value', RECORDS_SQL])) +
      (await make('bot_cells', [`${botColumn} AS value`, RECORDS_SQL]));
    if (valueCount <= limits.listedValues) return readListed(connection, keys);
    return readMeasured(connection, keys, (name, own) =>
      toTimesSql(own.length > 0 ? `${name}_cells` : toValuesSql(`${name}_cells`), own),
    );
  };
  const found = await read();
  const groups = found.groups.map(toGroup);
  // A sum over nothing is null, not none.
  const isEmpty = found.total === undefined || (found.total.figures[0] as number | null) === null;
  const total = found.total === undefined || isEmpty ? NO_RECORDS : { ...toGroup(found.total), key: [] };
  const listed = groups.reduce((sum, { count }) => sum + count, 0);
  return {
    groups,
    total,
    groupCount: found.groupCount,
    unlistedCount: by.length === 0 ? 0 : total.count - listed,
  };
}

const RECORDS_SQL = 'count(*) AS records';

function toValuesSql(cells: string): string {
  return `(SELECT value, sum(records)::BIGINT AS records FROM ${cells} GROUP BY value)`;
}

type ToTimes = (name: 'own' | 'bot', keys: readonly string[]) => string;

/** Groups, or all of them together where there are no keys, with what two tables say of their times. */
function toGroupsSql(keys: readonly string[], columns: readonly string[], toTimes: ToTimes): string {
  const by = keys.length === 0 ? '' : `GROUP BY ${keys.join(', ')}`;
  const join = (table: string): string => (keys.length === 0 ? 'true' : joinKeys(keys, 'figures', table));
  const order = ['records DESC', ...keys.map((key) => `${key} NULLS FIRST`)].join(', ');
  return `SELECT ${[...columns, 'count(*) OVER ()', ...keys.map((key) => `figures.${key}`)].join(', ')}
    FROM (SELECT ${[...keys, FIGURES_SQL].join(', ')} FROM code_cells ${by}) figures
    LEFT JOIN (${toTimes('own', keys)}) own ON ${join('own')}
    LEFT JOIN (${toTimes('bot', keys)}) bot ON ${join('bot')}
    ORDER BY ${order} LIMIT ${MAX_GROUPS}`;
}

/** Lists the times of the cells, to rank them here. */
async function readListed(connection: DuckDBConnection, keys: readonly string[]): Promise<ReadGroups> {
  const read = (own: readonly string[]): Promise<ListedRow[]> =>
    readListedRows(
      connection,
      toGroupsSql(own, [FIGURES, LISTS], (name) => {
        const by = own.length === 0 ? '' : `GROUP BY ${own.join(', ')}`;
        return `SELECT ${[...own, LISTS_SQL].join(', ')} FROM ${name}_cells ${by}`;
      }),
    );
  return toGroups(await read([]), keys.length === 0 ? [] : await read(keys), (lists) => {
    const [response, botLatency] = [toCounted(lists[0], lists[1]), toCounted(lists[2], lists[3])];
    return {
      response: measureRanked(rankValues(response)),
      botLatency: measureRanked(rankValues(botLatency)),
    };
  });
}

/** Lets the engine measure the times, on the disk where need be. */
async function readMeasured(
  connection: DuckDBConnection,
  keys: readonly string[],
  toTimes: ToTimes,
): Promise<ReadGroups> {
  const read = (own: readonly string[]): Promise<ListedRow[]> =>
    readRows<ListedRow>(connection, toGroupsSql(own, [FIGURES, TIMES], toTimes));
  return toGroups(await read([]), keys.length === 0 ? [] : await read(keys), (times) => {
    const [response, botLatency] = [times.slice(0, TIMES_COLUMNS.length), times.slice(TIMES_COLUMNS.length)];
    return {
      response: toLatency(response as unknown as TimesCells),
      botLatency: toLatency(botLatency as unknown as TimesCells),
    };
  });
}

/** Rows have figures, what `toTimes` reads, the number of groups, and the key. */
function toGroups(
  [total]: readonly ListedRow[],
  rows: readonly ListedRow[],
  toTimes: (cells: ListedRow) => Pick<ReadGroup, 'response' | 'botLatency'>,
): ReadGroups {
  const keyCount = rows[0] === undefined || total === undefined ? 0 : rows[0].length - total.length;
  const toRead = (row: ListedRow, ownKeys: number): ReadGroup => ({
    figures: row.slice(0, FIGURE_COLUMNS.length) as unknown as Figures,
    ...toTimes(row.slice(FIGURE_COLUMNS.length, row.length - ownKeys - 1)),
    key: row.slice(row.length - ownKeys) as GroupValue[],
  });
  return {
    total: total === undefined ? undefined : toRead(total, 0),
    groups: rows.map((row) => toRead(row, keyCount)),
    groupCount: Number(rows[0]?.at(-keyCount - 1) ?? 0),
  };
}

function toGroup({ figures, key, ...times }: ReadGroup): MeasuredGroup {
  const [count, fine, redirected, faulty, broken, firstMs, lastMs] = figures;
  return {
    key: [...key],
    count,
    classCounts: [fine, redirected, faulty, broken, count - fine - redirected - faulty - broken],
    failures: faulty + broken,
    ...times,
    firstMs,
    lastMs,
  };
}

const NO_RECORDS: MeasuredGroup = {
  key: [],
  count: 0,
  classCounts: [0, 0, 0, 0, 0],
  failures: 0,
  response: NO_TIMES,
  botLatency: NO_TIMES,
  firstMs: null,
  lastMs: null,
};
