import type { DuckDBConnection } from '@duckdb/node-api';
import {
  MAX_GROUPS,
  type GroupKey,
  type GroupValue,
  type MeasuredGroup,
  type MeasuredGroups,
} from '../../../../common/model/analysis/grouping.ts';
import { readRows } from '../engine-database.ts';
import { findColumn, OUTCOME_COLUMN } from '../engine-tables.ts';
import { toFilterSql, type KeptPath } from '../filter-sql.ts';
import { countAtMost, toSourceSql, type FilteredRecords } from '../resolved-scope.ts';
import {
  FIGURE_COLUMNS,
  toGroupsSql,
  type Figures,
  type ReadGroup,
  type ReadGroups,
} from './group-figures.ts';
import { toKeySql, UNIT_SQL } from './key-sql.ts';
import { listCells, listRecords, readListedGroups } from './listed-groups.ts';
import { makeCells, MAX_LISTED_RECORDS, MAX_LISTED_VALUES, type ListedRow } from './listed-rows.ts';
import { readHit, toHitKey, toPerFailure, type Hit } from './read-hit.ts';
import { NO_TIMES, TIMES_COLUMNS, toLatency, toTimesSql, type TimesCells } from './times-sql.ts';

const TIMES = [
  ...TIMES_COLUMNS.map((name) => `own.${name}`),
  ...TIMES_COLUMNS.map((name) => `bot.${name} AS bot_${name}`),
];

/** What `readHit` reads beside the keys and the unit. */
const HIT_COLUMNS = ['session_id', 'client', OUTCOME_COLUMN.name];

/** Up to how much each way of measuring times is the quickest. */
interface GroupLimits {
  readonly fewRecords: number;
  readonly listedValues: number;
}
interface GroupOptions {
  readonly limits?: GroupLimits | undefined;
  /** Where the values at the paths among the fields are, by their place. */
  readonly kept?: readonly (KeptPath | undefined)[];
}
const LIMITS: GroupLimits = { fewRecords: MAX_LISTED_RECORDS, listedValues: MAX_LISTED_VALUES };
/** Lists of times are made for each group: of more groups than are shown, or nearly so, they take much memory. */
const MAX_FEW_CELLS = 2 * MAX_GROUPS;

/**
 * Measures the records of a scope by the values of some fields: the largest groups first, and all records together. The
 * times of few records are ranked here. Times repeat: of many records equal ones are counted first, and what is left is
 * ranked here, or sorted by the engine where it is too much to be held.
 */
export async function groupRecords(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  by: readonly GroupKey[],
  { limits = LIMITS, kept = [] }: GroupOptions = {},
): Promise<MeasuredGroups> {
  const { direction } = scope;
  const where = toFilterSql(filter, direction);
  const keys = by.map((_, place) => `key_${place}`);
  const keyColumns = by.map((field, place) => `${toKeySql(field, direction, kept[place])} AS key_${place}`);
  const botColumn = findColumn('botLatencyMs', direction)?.name ?? 'NULL::DOUBLE';
  const source = toSourceSql(scope, ['*'], where);
  const make = (table: string, columns: readonly string[]): Promise<number> =>
    makeCells(
      connection,
      table,
      `SELECT ${[...keyColumns, ...columns, 'count(*) AS records'].join(', ')} FROM ${source} GROUP BY ALL`,
      where.values,
    );
  const cellCount = await make('code_cells', [
    'response_code',
    'outcome',
    'min(date_ms) AS first_ms, max(date_ms) AS last_ms',
  ]);
  const most = countAtMost(scope);
  const [[count] = [most]] =
    most <= limits.fewRecords
      ? []
      : await readRows<[number | null]>(connection, 'SELECT sum(records) FROM code_cells');
  const read = async (): Promise<ReadGroups> => {
    if ((count ?? 0) <= limits.fewRecords && cellCount <= MAX_FEW_CELLS) {
      const columns = [...keyColumns, 'response_time_ms AS own', `${botColumn} AS bot`].join(', ');
      const records = { sql: `(SELECT ${columns} FROM ${source})`, values: where.values };
      return readListedGroups(connection, keys, listRecords(records));
    }
    const valueCount =
      (await make('own_cells', ['response_time_ms AS value'])) +
      (await make('bot_cells', [`${botColumn} AS value`]));
    if (valueCount <= limits.listedValues) return readListedGroups(connection, keys, listCells());
    return readMeasured(connection, keys, (name, own) =>
      toTimesSql(own.length > 0 ? `${name}_cells` : toValuesSql(`${name}_cells`), own),
    );
  };
  const found = await read();
  const listed = `(SELECT ${keys.join(', ')} FROM code_cells GROUP BY ALL
    ORDER BY ${['sum(records) DESC', ...keys.map((key) => `${key} NULLS FIRST`)].join(', ')} LIMIT ${MAX_GROUPS})`;
  const hit = await readHit(
    connection,
    {
      sql: toSourceSql(scope, [...keyColumns, `${UNIT_SQL} AS unit`, ...HIT_COLUMNS], where),
      values: where.values,
    },
    keys.length === 0 ? [[]] : [[], keys],
    listed,
  );
  const toGroup = (group: ReadGroup): MeasuredGroup => toMeasured(group, hit.get(toHitKey(group.key)));
  const groups = found.groups.map(toGroup);
  // A sum over nothing is null, not zero.
  const isEmpty = found.total === undefined || (found.total.figures[0] as number | null) === null;
  const total = found.total === undefined || isEmpty ? NO_RECORDS : { ...toGroup(found.total), key: [] };
  const listedCount = groups.reduce((sum, { count }) => sum + count, 0);
  return {
    groups,
    total,
    groupCount: found.groupCount,
    unlistedCount: by.length === 0 ? 0 : total.count - listedCount,
  };
}

function toValuesSql(cells: string): string {
  return `(SELECT value, sum(records)::BIGINT AS records FROM ${cells} GROUP BY value)`;
}

/** Lets the engine measure the times, on the disk where need be. */
async function readMeasured(
  connection: DuckDBConnection,
  keys: readonly string[],
  toTimes: (name: 'own' | 'bot', keys: readonly string[]) => string,
): Promise<ReadGroups> {
  const times = {
    columns: TIMES,
    toSql: (own: readonly string[]) => ({ own: toTimes('own', own), bot: toTimes('bot', own) }),
  };
  const read = (own: readonly string[]): Promise<ListedRow[]> =>
    readRows<ListedRow>(connection, toGroupsSql(own, times));
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

function toMeasured({ figures, key, ...times }: ReadGroup, hit: Hit | undefined): MeasuredGroup {
  const [count, fine, redirected, faulty, broken, failed, expected, unknown, firstMs, lastMs] = figures;
  return {
    key: [...key],
    count,
    classCounts: [fine, redirected, faulty, broken, count - fine - redirected - faulty - broken],
    outcomeCounts: [count - failed - expected - unknown, failed, expected, unknown],
    failures: failed,
    failedSessions: hit?.failedSessions ?? 0,
    failedClients: hit?.failedClients ?? 0,
    perFailure: toPerFailure([{ count, failures: failed }], [hit]),
    ...times,
    firstMs,
    lastMs,
  };
}

const NO_RECORDS: MeasuredGroup = {
  key: [],
  count: 0,
  classCounts: [0, 0, 0, 0, 0],
  outcomeCounts: [0, 0, 0, 0],
  failures: 0,
  failedSessions: 0,
  failedClients: 0,
  perFailure: 1,
  response: NO_TIMES,
  botLatency: NO_TIMES,
  firstMs: null,
  lastMs: null,
};
