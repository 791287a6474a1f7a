import type { DuckDBConnection } from '@duckdb/node-api';
import type { ComparedSide } from '../../../../common/model/analysis/comparison.ts';
import type { GroupField, GroupValue } from '../../../../common/model/analysis/grouping.ts';
import { DEFAULT_LEVEL, type Interval, toDeviations } from '../../../../common/statistics.ts';
import { readRows } from '../engine-database.ts';
import { FAILED_SQL, OUTCOME_COLUMN } from '../engine-tables.ts';
import { type BoundValue, type SqlCondition, toFilterSql } from '../filter-sql.ts';
import { type FilteredRecords, toSourceSql } from '../resolved-scope.ts';
import {
  type ListedRow,
  LISTS_SQL,
  makeCells,
  MAX_LISTED_VALUES,
  rankValues,
  readListedRows,
  toAverageSql,
  toCounted,
  toKeySql,
  toPercentile,
  toPercentileSql,
  toQuantileInterval,
  UNIT_SQL,
} from './measure-sql.ts';

/** Groups and parts that are listed; the largest ones. */
const MAX_COMPARED = 4000;

/** By what records are compared. */
interface ComparedBy {
  /** One or two fields. */
  readonly by: readonly GroupField[];
  /** Of the times of each group; null for counts alone. */
  readonly quantile: number | null;
  /** Whether the numbers of requests themselves are compared. */
  readonly isVolume: boolean;
}

/** A group as it is in both periods, with the interval of its quantile where one was asked for. */
export interface CountedGroup {
  readonly key: readonly GroupValue[];
  readonly before: ComparedSide;
  readonly after: ComparedSide;
  readonly intervals: { readonly before: Interval | null; readonly after: Interval | null };
  /**
   * How many failed requests of both sides, and how many requests of all, tell as much as one, because those of a
   * session belong together; never below 1.
   */
  readonly perSession: { readonly failures: number; readonly requests: number };
}

/** How the times of groups come: the columns of a level beyond its counts, and what their cells say. */
interface TimesReader {
  readonly columns: readonly string[];
  /** The cells of a level with their times; `cells` is the table of those. */
  toSql(cells: string, level: number, keys: readonly string[]): string;
  read(cells: ListedRow): Pick<ComparedSide, 'medianMs' | 'p95Ms'> & { readonly interval: Interval | null };
}

/**
 * Counts the records of two periods by the values of one or two fields: all together, by the first field, and by both,
 * the largest groups first. `quantile` asks for times of each group, and for the intervals of that quantile; of all
 * records the times are there in any case. Of up to `maxListed` times and groups they are ranked here, of more by the engine.
 */
export async function compareRecords(
  connection: DuckDBConnection,
  sides: readonly [before: FilteredRecords, after: FilteredRecords],
  { by, quantile, isVolume }: ComparedBy,
  maxListed = MAX_LISTED_VALUES,
): Promise<{ groups: CountedGroup[]; unlistedCount: number }> {
  const { sql: source, values } = joinSides(sides, by);
  const keys = by.map((_, place) => `key_${place}`);
  const list = keys.join(', ');
  const failing = `count(*) FILTER (${FAILED_SQL}) AS failures`;
  // Equal records are counted first: what is left to be ranked, or added up for each level, is a fraction.
  const valueCount = await makeCells(
    connection,
    'value_cells',
    `SELECT side, ${quantile === null ? '' : `${list}, `} value, count(*) AS records, ${failing} FROM ${source} GROUP BY ALL`,
    values,
  );
  if (quantile === null) {
    await makeCells(
      connection,
      'count_cells',
      `SELECT side, ${list}, count(*) AS records, ${failing}, count(value) AS timed, ${toAverageSql('value')} AS average
       FROM ${source} GROUP BY ALL`,
      values,
    );
  }
  const times = (valueCount <= maxListed ? listTimes : sortTimes)(quantile ?? 0.5);
  const levels = ['', ...keys].map((_, level) =>
    level > 0 && quantile === null
      ? toCountsSql(level, keys, times)
      : times.toSql('value_cells', level, keys),
  );
  const names = [...COUNT_COLUMNS, ...times.columns];
  const columns = [0, 1].flatMap((side) => names.map((name) => `any_value(${name}) FILTER (side = ${side})`));
  const rows = await readListedRows(
    connection,
    `WITH levels AS (${levels.join(' UNION ALL ')})
     SELECT level, count(*) OVER () AS groups, ${columns.join(', ')}, ${list}
     FROM levels GROUP BY level, ${list}
     ORDER BY level, sum(count) DESC, ${keys.map((key) => `${key} NULLS FIRST`).join(', ')}
     LIMIT ${MAX_COMPARED + 1}`,
  );
  const requests = isVolume ? await measureSessions(connection, { sql: source, values }) : 1;
  const levelKeys = ['', ...keys].map((_, level) => ['side', ...keys.slice(0, level)]);
  const hit = await readHit(connection, { sql: source, values }, levelKeys);
  const groups = rows.map((row) => toCountedGroup(row, times, { hit, requests }));
  if (groups[0]?.key.length !== 0) groups.unshift(NOTHING);
  return { groups, unlistedCount: Math.max(0, Number(rows[0]?.[1] ?? 0) - 1 - MAX_COMPARED) };
}

const NO_RECORDS: ComparedSide = {
  count: 0,
  failures: 0,
  failedSessions: 0,
  failedClients: 0,
  timed: 0,
  averageMs: null,
  medianMs: null,
  p95Ms: null,
};
const NOTHING: CountedGroup = {
  key: [],
  before: NO_RECORDS,
  after: NO_RECORDS,
  intervals: { before: null, after: null },
  perSession: { failures: 1, requests: 1 },
};

/** Records whose sessions are counted; of more, a part of the sessions tells how long they are. */
const MAX_COUNTED = 500_000;

/** Returns how many requests tell as much about a volume as one: sessions come by chance, with all of their requests. */
async function measureSessions(connection: DuckDBConnection, { sql, values }: SqlCondition): Promise<number> {
  const [[count] = [0]] = await readRows<[number | null]>(
    connection,
    'SELECT sum(records)::DOUBLE FROM value_cells',
  );
  const part = Math.max(1, Math.ceil((count ?? 0) / MAX_COUNTED));
  const [[effect] = [1]] = await readRows<[number | null]>(
    connection,
    `SELECT sum(records * records) / sum(records) FROM (
       SELECT side, unit, count(*)::DOUBLE AS records FROM ${sql} WHERE unit % ${part} = 0 GROUP BY ALL
     )`,
    values,
  );
  return Math.max(1, effect ?? 1);
}

/** Keys beyond a level's own are null. */
function toKeysSql(level: number, keys: readonly string[]): string {
  return keys.map((key, place) => (place < level ? key : `NULL AS ${key}`)).join(', ');
}

const COUNT_COLUMNS = ['count', 'failures', 'timed', 'average'];

/** The cells of a level added up, without times. */
function toCountsSql(level: number, keys: readonly string[], { columns }: TimesReader): string {
  const none = columns.map((name) => `NULL AS ${name}`).join(', ');
  return `SELECT ${level} AS level, side, sum(records)::BIGINT AS count, sum(failures)::BIGINT AS failures,
      sum(timed)::BIGINT AS timed,
      ${toAverageSql('average', (of) => `sum(${of} * timed) / nullif(sum(timed), 0)`)} AS average, ${none}, ${toKeysSql(level, keys)}
    FROM count_cells GROUP BY ${['side', ...keys.slice(0, level)].join(', ')}`;
}

/** Times that are ranked here. */
const listTimes = (quantile: number): TimesReader => ({
  columns: ['listed', 'counts'],
  toSql: (cells, level, keys) =>
    `SELECT ${level} AS level, side, sum(records)::BIGINT AS count, sum(failures)::BIGINT AS failures,
       coalesce(sum(records) FILTER (value IS NOT NULL), 0)::BIGINT AS timed,
       ${toAverageSql('value', (of) => `sum(${of} * records) / nullif(sum(records::DOUBLE) FILTER (value IS NOT NULL), 0)`)} AS average,
       ${LISTS_SQL}, ${toKeysSql(level, keys)}
     FROM ${cells} GROUP BY ${['side', ...keys.slice(0, level)].join(', ')}`,
  read: ([listed, counts]) => {
    const ranked = rankValues(toCounted(listed, counts));
    return {
      medianMs: toPercentile(ranked, 0.5),
      p95Ms: toPercentile(ranked, 0.95),
      interval: toQuantileInterval(ranked, quantile),
    };
  },
});

/** Times that the engine sorts, with the values at the ranks of `toQuantileRanks`. */
const sortTimes = (quantile: number): TimesReader => ({
  columns: ['median', 'p95', 'low', 'high'],
  toSql: (cells, level, keys) => {
    const own = ['side', ...keys.slice(0, level)].join(', ');
    const spread = `${toDeviations(DEFAULT_LEVEL)} * sqrt(whole * ${quantile * (1 - quantile)})`;
    const first = `round(whole * ${quantile} - ${spread})`;
    const last = `round(1 + whole * ${quantile} + ${spread})`;
    const inside = `${first} >= 1 AND ${last} <= whole`;
    return `SELECT ${level} AS level, side, sum(records)::BIGINT AS count, sum(failures)::BIGINT AS failures,
        max(whole)::BIGINT AS timed,
        ${toAverageSql('value', (of) => `sum(${of} * records) / nullif(max(whole), 0)`)} AS average,
        ${toPercentileSql(0.5)} AS median, ${toPercentileSql(0.95)} AS p95,
        min(value) FILTER (${inside} AND upto >= ${first}) AS low,
        min(value) FILTER (${inside} AND upto >= ${last}) AS high, ${toKeysSql(level, keys)}
      FROM (
        SELECT *, sum(CASE WHEN value IS NOT NULL THEN records::DOUBLE ELSE 0 END) OVER (PARTITION BY ${own}) AS whole,
          sum(records::DOUBLE) OVER (PARTITION BY ${own} ORDER BY value NULLS LAST ROWS UNBOUNDED PRECEDING) AS upto
        FROM ${cells}
      ) GROUP BY ${own}`;
  },
  read: ([median, p95, low, high]) => {
    const [medianMs, p95Ms] = [median, p95] as [number | null, number | null];
    return {
      medianMs,
      p95Ms,
      interval: typeof low === 'number' && typeof high === 'number' ? { low, high } : null,
    };
  },
});

function joinSides(
  sides: readonly FilteredRecords[],
  by: readonly GroupField[],
): { sql: string; values: BoundValue[] } {
  const values: BoundValue[] = [];
  const selects = sides.map(({ scope, filter }, side) => {
    const { direction } = scope;
    const own = toFilterSql(filter, direction);
    // Values are bound by their place, and those of the other side come first.
    const offset = values.length;
    const where = {
      sql: own.sql.replaceAll(/\$(\d+)/g, (_, place: string) => `$${Number(place) + offset}`),
      values: own.values,
    };
    values.push(...own.values);
    const columns = [
      OUTCOME_COLUMN.name,
      'response_time_ms AS value',
      'session_id',
      'client',
      `${UNIT_SQL} AS unit`,
      `${side} AS side`,
      ...by.map((field, place) => `${toKeySql(field, direction)} AS key_${place}`),
    ];
    return `SELECT * FROM ${toSourceSql(scope, columns, where)}`;
  });
  return { sql: `(${selects.join(' UNION ALL ')})`, values };
}

function toCountedGroup(
  [level, , ...cells]: ListedRow,
  times: TimesReader,
  { hit, requests }: { readonly hit: ReadonlyMap<string, Hit>; readonly requests: number },
): CountedGroup {
  const width = COUNT_COLUMNS.length + times.columns.length;
  const key = cells.slice(2 * width, 2 * width + Number(level)) as GroupValue[];
  const hits = [0, 1].map((side) => hit.get(toHitKey([side, ...key])));
  const [before, after] = [cells.slice(0, width), cells.slice(width, 2 * width)].map((side, place) => {
    const [count, failures, timed, averageMs] = side as (number | null)[];
    const { interval, ...measured } = times.read(side.slice(COUNT_COLUMNS.length));
    const { failedSessions, failedClients } = hits[place] ?? NOBODY_HIT;
    const counts = { count: count ?? 0, failures: failures ?? 0, timed: timed ?? 0 };
    return {
      side: { ...counts, failedSessions, failedClients, averageMs: averageMs ?? null, ...measured },
      interval,
    };
  });
  const sides = [before?.side ?? NO_RECORDS, after?.side ?? NO_RECORDS] as const;
  return {
    key,
    before: sides[0],
    after: sides[1],
    intervals: { before: before?.interval ?? null, after: after?.interval ?? null },
    perSession: { failures: toPerFailure(sides, hits), requests },
  };
}

/** Whom the failed requests of a group hit. */
export interface Hit {
  readonly failedSessions: number;
  readonly failedClients: number;
  /** The sum of the squares of each session's failed requests. */
  readonly squares: number;
}

const NOBODY_HIT: Hit = { failedSessions: 0, failedClients: 0, squares: 0 };

/**
 * Reads whom failed requests hit, for each level of keys, by `toHitKey`; groups without a failure are missing. `source`
 * has the keys, `unit`, `session_id` and `client`. `listed` is a table with the keys of the groups that are wanted; of
 * all if it is missing.
 */
export async function readHit(
  connection: DuckDBConnection,
  { sql, values }: SqlCondition,
  levels: readonly (readonly string[])[],
  listed?: string,
): Promise<ReadonlyMap<string, Hit>> {
  const keys = levels.reduce((most, level) => (level.length > most.length ? level : most), []);
  await makeCells(
    connection,
    'failed_cells',
    `SELECT ${[...keys, 'unit'].join(', ')}, coalesce(session_id, '') <> '' AS has_session, client, count(*) AS failures
     FROM ${sql} WHERE ${FAILED_SQL} GROUP BY ALL`,
    values,
  );
  const found = new Map<string, Hit>();
  for (const names of levels) {
    const isListed = listed !== undefined && names.length > 0;
    const own = names.map((name) => `${name}, `).join('');
    const units = names.map((name) => `, units.${name}`).join('');
    const rows = await readRows<(GroupValue | number)[]>(
      connection,
      `SELECT (count(*) FILTER (has_session))::DOUBLE, any_value(clients)::DOUBLE, sum(failures * failures) ${units}
       FROM (
         SELECT ${own} unit, bool_or(has_session) AS has_session, sum(failures)::DOUBLE AS failures
         FROM failed_cells GROUP BY ALL
       ) AS units JOIN (
         SELECT ${own} count(DISTINCT nullif(client, '')) AS clients FROM failed_cells GROUP BY ALL
       ) AS hit ON ${toSame(names, 'units', 'hit')}
       ${isListed ? `SEMI JOIN ${listed} AS listed ON ${toSame(names, 'units', 'listed')}` : ''}
       ${names.length === 0 ? 'HAVING count(*) > 0' : `GROUP BY ${names.map((name) => `units.${name}`).join(', ')}`}`,
    );
    for (const [sessions, clients, squares, ...key] of rows)
      found.set(toHitKey(key), {
        failedSessions: Number(sessions),
        failedClients: Number(clients),
        squares: Number(squares),
      });
  }
  return found;
}

export function toHitKey(key: readonly GroupValue[]): string {
  return JSON.stringify(key);
}

/** A key may be null. */
function toSame(names: readonly string[], one: string, other: string): string {
  if (names.length === 0) return 'true';
  return names.map((name) => `${one}.${name} IS NOT DISTINCT FROM ${other}.${name}`).join(' AND ');
}

/**
 * How many failed requests tell as much about the share of them as one, because those of a session belong together; never
 * below 1. A share of failures that belong together varies as that of fewer independent ones would.
 */
export function toPerFailure(
  groups: readonly { readonly count: number; readonly failures: number }[],
  hits: readonly (Hit | undefined)[],
): number {
  const add = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
  const failures = add(groups.map((group) => group.failures));
  if (failures === 0) return 1;
  const share = failures / add(groups.map(({ count }) => count));
  const squares = add(hits.map((hit) => hit?.squares ?? 0));
  // Of sessions without a failure nothing is read: where many requests fail, this says too much rather than too little.
  return Math.max(1, squares / failures / Math.max(0.5, 1 - share));
}
