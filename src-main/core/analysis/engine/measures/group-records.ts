import type { DuckDBConnection } from '@duckdb/node-api';
import {
  MAX_GROUPS,
  type GroupKey,
  type GroupValue,
  type MeasuredGroup,
  type MeasuredGroups,
  type Latency,
} from '../../../../common/model/analysis/grouping.ts';
import type { Outcome } from '../../../../common/reporting/outcome.ts';
import { readRows } from '../engine-database.ts';
import { findColumn, OUTCOME_COLUMN, SHOWN_CLASS_SQL } from '../engine-tables.ts';
import { toFilterSql, type KeptPath, type SqlCondition } from '../filter-sql.ts';
import { countAtMost, toSourceSql, type FilteredRecords } from '../resolved-scope.ts';
import {
  joinKeys,
  joinRanked,
  type ListedRow,
  LISTS_SQL,
  makeCells,
  MAX_LISTED_RECORDS,
  MAX_LISTED_VALUES,
  measureRanked,
  NO_TIMES,
  type RankedValues,
  rankValues,
  readListedRows,
  TIMES_COLUMNS,
  type TimesCells,
  toCounted,
  toKeySql,
  toLatency,
  toTimesSql,
  UNIT_SQL,
} from './measure-sql.ts';
import { type Hit, readHit, toHitKey, toPerFailure } from './compare-records.ts';

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

/** Times that are listed in `listed`, with how often each occurs in `counts`, of both kinds of times. */
interface ListedTimes extends TimesTables {
  readonly values: SqlCondition['values'];
}

/** The times of records, a table of the keys, `own` and `bot`, one by one. */
function listRecords({ sql, values }: SqlCondition): ListedTimes {
  const list = (name: string): string => `list(${name}) FILTER (${name} IS NOT NULL) AS ${name}`;
  return {
    columns: ['times.own', 'NULL', 'times.bot', 'NULL'],
    toSql: (keys) => ({
      times: `SELECT ${[...keys, list('own'), list('bot')].join(', ')} FROM ${sql} ${toGroupBy(keys)}`,
    }),
    values,
  };
}

/** The times in `own_cells` and `bot_cells`, of which equal ones were counted. */
function listCells(): ListedTimes {
  const toSql = (table: string, keys: readonly string[]): string =>
    `SELECT ${[...keys, LISTS_SQL].join(', ')} FROM ${table} ${toGroupBy(keys)}`;
  return {
    columns: ['own.listed', 'own.counts', 'bot.listed', 'bot.counts'],
    toSql: (keys) => ({ own: toSql('own_cells', keys), bot: toSql('bot_cells', keys) }),
    values: [],
  };
}

interface RankedGroup {
  readonly figures: Figures;
  readonly response: RankedValues;
  readonly botLatency: RankedValues;
  readonly groupCount: number;
  readonly key: readonly GroupValue[];
}

/** Reads groups whose times are ranked here. All of them together follow from the groups, if every group is there. */
async function readListedGroups(
  connection: DuckDBConnection,
  keys: readonly string[],
  times: ListedTimes,
): Promise<ReadGroups> {
  const read = async (by: readonly string[]): Promise<RankedGroup[]> => {
    const rows = await readListedRows(connection, toGroupsSql(by, times), times.values);
    return rows.map(toRanked);
  };
  const groups = keys.length === 0 ? [] : await read(keys);
  const groupCount = groups[0]?.groupCount ?? 0;
  const isEvery = keys.length > 0 && groups.length === groupCount;
  const total = isEvery ? addUp(groups) : (await read([]))[0];
  return {
    total: total === undefined ? undefined : measure(total),
    groups: groups.map(measure),
    groupCount,
  };
}

function toRanked(row: ListedRow): RankedGroup {
  const [own, ownCounts, bot, botCounts, groupCount, ...key] = row.slice(FIGURE_COLUMNS.length);
  return {
    figures: row.slice(0, FIGURE_COLUMNS.length) as unknown as Figures,
    response: rankValues(toCounted(own, ownCounts)),
    botLatency: rankValues(toCounted(bot, botCounts)),
    groupCount: Number(groupCount),
    key: key as GroupValue[],
  };
}

function measure({ figures, response, botLatency, key }: RankedGroup): ReadGroup {
  return { figures, response: measureRanked(response), botLatency: measureRanked(botLatency), key };
}

function addUp(groups: readonly RankedGroup[]): RankedGroup | undefined {
  const [first, ...others] = groups;
  if (first === undefined) return undefined;
  const figures = others.reduce<Figures>(
    (sum, own) => [
      sum[0] + own.figures[0],
      sum[1] + own.figures[1],
      sum[2] + own.figures[2],
      sum[3] + own.figures[3],
      sum[4] + own.figures[4],
      sum[5] + own.figures[5],
      sum[6] + own.figures[6],
      sum[7] + own.figures[7],
      pick(Math.min, sum[8], own.figures[8]),
      pick(Math.max, sum[9], own.figures[9]),
    ],
    first.figures,
  );
  return {
    figures,
    response: joinRanked(groups.map(({ response }) => response)),
    botLatency: joinRanked(groups.map(({ botLatency }) => botLatency)),
    groupCount: 1,
    key: [],
  };
}

function pick(
  choose: (one: number, other: number) => number,
  one: number | null,
  other: number | null,
): number | null {
  return one === null || other === null ? (one ?? other) : choose(one, other);
}

type Counts = readonly [count: number, fine: number, redirected: number, faulty: number, broken: number];
type Outcomes = readonly [failed: number, expected: number, unknown: number];
/** What is counted of a group, as FIGURE_COLUMNS say. */
type Figures = readonly [
  ...counts: Counts,
  ...outcomes: Outcomes,
  firstMs: number | null,
  lastMs: number | null,
];

/** A group as it is the same however its times were measured. */
interface ReadGroup {
  readonly figures: Figures;
  readonly response: Latency;
  readonly botLatency: Latency;
  readonly key: readonly GroupValue[];
}

/** Groups, all records together (undefined of none), and how many groups there are. */
interface ReadGroups {
  readonly total: ReadGroup | undefined;
  readonly groups: readonly ReadGroup[];
  readonly groupCount: number;
}

/** Columns of counts that add up; the last class is what the others leave. */
const CLASSES = ['fine', 'redirected', 'faulty', 'broken'] as const;
/** Outcomes that are counted; the rest of the records are fine. */
const COUNTED_OUTCOMES = ['failed', 'expected', 'unknown'] as const satisfies readonly Outcome[];
/** The columns that Figures are read from: counts, and the first and the last date. */
const FIGURE_COLUMNS = ['records', ...CLASSES, ...COUNTED_OUTCOMES, 'first_ms', 'last_ms'];
/** The figures of a group from its counts by response code and outcome. */
const FIGURES_SQL = [
  'sum(records)::BIGINT AS records',
  ...CLASSES.map(
    (name, place) =>
      `coalesce(sum(records) FILTER (${SHOWN_CLASS_SQL[place] ?? 'false'}), 0)::BIGINT AS ${name}`,
  ),
  ...COUNTED_OUTCOMES.map(
    (outcome) => `coalesce(sum(records) FILTER (outcome = '${outcome}'::outcome), 0)::BIGINT AS ${outcome}`,
  ),
  'min(first_ms) AS first_ms',
  'max(last_ms) AS last_ms',
].join(', ');
const FIGURES = FIGURE_COLUMNS.map((name) => `figures.${name}`);

/** What tables of the same keys say of the times of groups, in columns of a statement. */
interface TimesTables {
  readonly columns: readonly string[];
  /** Statements by the name of the table. */
  toSql(keys: readonly string[]): Readonly<Record<string, string>>;
}

/**
 * A statement with the figures in `code_cells` of the largest groups, or of all of them together where there are no keys;
 * then what other tables say of their times, the number of groups, and the keys.
 */
function toGroupsSql(keys: readonly string[], { columns, toSql }: TimesTables): string {
  const joins = Object.entries(toSql(keys)).map(
    ([name, sql]) =>
      `LEFT JOIN (${sql}) ${name} ON ${keys.length === 0 ? 'true' : joinKeys(keys, 'figures', name)}`,
  );
  const order = ['records DESC', ...keys.map((key) => `${key} NULLS FIRST`)].join(', ');
  const selected = [...FIGURES, ...columns, 'count(*) OVER ()', ...keys.map((key) => `figures.${key}`)];
  return `SELECT ${selected.join(', ')}
    FROM (SELECT ${[...keys, FIGURES_SQL].join(', ')} FROM code_cells ${toGroupBy(keys)}) figures
    ${joins.join(' ')}
    ORDER BY ${order} LIMIT ${MAX_GROUPS}`;
}

/** The clause that groups by keys; empty where there are none. */
function toGroupBy(keys: readonly string[]): string {
  return keys.length === 0 ? '' : `GROUP BY ${keys.join(', ')}`;
}
