import type { DuckDBConnection } from '@duckdb/node-api';
import type { GroupValue } from '../../../../common/model/analysis/grouping.ts';
import type { SqlCondition } from '../filter-sql.ts';
import {
  FIGURE_COLUMNS,
  toGroupBy,
  toGroupsSql,
  type Figures,
  type ReadGroup,
  type ReadGroups,
  type TimesTables,
} from './group-figures.ts';
import { LISTS_SQL, readListedRows, toCounted, type ListedRow } from './listed-rows.ts';
import { joinRanked, measureRanked, rankValues, type RankedValues } from './ranked-values.ts';

/** Times that are listed in `listed`, with how often each occurs in `counts`, of both kinds of times. */
interface ListedTimes extends TimesTables {
  readonly values: SqlCondition['values'];
}

/** The times of records, a table of the keys, `own` and `bot`, one by one. */
export function listRecords({ sql, values }: SqlCondition): ListedTimes {
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
export function listCells(): ListedTimes {
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
export async function readListedGroups(
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
