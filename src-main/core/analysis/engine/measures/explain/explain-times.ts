import type { DuckDBConnection } from '@duckdb/node-api';
import type { ExplainedTimes } from '../../../../../common/model/analysis/explanation.ts';
import {
  DEFAULT_LEVEL,
  isOutside,
  subtractIntervals,
  type Interval,
} from '../../../../../common/statistics/interval.ts';
import { toQuantileRanks } from '../../../../../common/statistics/quantile-intervals.ts';
import { CHANCE_OF_CERTAIN, CHANCE_OF_PROBABLE } from '../../../certainty.ts';
import { readRows } from '../../engine-database.ts';
import { LISTS_SQL, makeCells, MAX_LISTED_VALUES, readListedRows, toCounted } from '../listed-rows.ts';
import {
  countRanked,
  rankValues,
  toPercentile,
  toQuantileInterval,
  type CountedValues,
} from '../ranked-values.ts';
import { toTimesSql } from '../times-sql.ts';
import type { ToSource } from './count-sides.ts';

const NONE: ExplainedTimes['inside'] = { count: 0, medianMs: null, p95Ms: null };

/** Up to how much each way of ranking times is the quickest. */
export interface ExplainLimits {
  /** Records whose times are ranked here. */
  readonly records: number;
  /** Times that are ranked here once equal ones were counted; more are sorted by the engine. */
  readonly values: number;
  /** Records of frequent values whose sessions are looked at; of more, a part of the sessions tells. */
  readonly sessionRecords: number;
}
export const EXPLAIN_LIMITS: ExplainLimits = {
  records: 131_072,
  values: MAX_LISTED_VALUES,
  sessionRecords: 500_000,
};

/**
 * Compares how long the records of either side took, by their medians: their distribution may be any. `column` has their
 * times, undefined where a direction has none.
 */
export async function explainTimes(
  connection: DuckDBConnection,
  toSource: ToSource,
  column: string | undefined,
  { isFew, maxListed }: { readonly isFew: boolean; readonly maxListed: number },
): Promise<ExplainedTimes> {
  if (column === undefined) return { inside: NONE, outside: NONE, certainty: null };
  const source = toSource([`${column} AS value`]);
  if (isFew) {
    const rows = await readListedRows(
      connection,
      `SELECT inside, list(value) FROM ${source.sql} WHERE value IS NOT NULL GROUP BY inside`,
      source.values,
    );
    const rank = (isInside: boolean): TimedSide =>
      toSide(toCounted(rows.find(([inside]) => inside === isInside)?.[1], null));
    return judgeTimes(rank(true), rank(false));
  }
  const valueCount = await makeCells(
    connection,
    'times',
    `SELECT inside, value, count(*) AS records FROM ${source.sql} WHERE value IS NOT NULL GROUP BY ALL`,
    source.values,
  );
  const read = valueCount <= maxListed ? listSide : sortSide;
  return judgeTimes(await read(connection, 'inside'), await read(connection, 'NOT inside'));
}

/** The times of a side, as far as they tell its figures. */
interface TimedSide {
  readonly figures: ExplainedTimes['inside'];
  /** The interval that the median of such requests lies in; null where too few tell. */
  toInterval(level: number): Interval | null;
}

async function listSide(connection: DuckDBConnection, side: string): Promise<TimedSide> {
  const [row = []] = await readListedRows(connection, `SELECT ${LISTS_SQL} FROM times WHERE ${side}`);
  return toSide(toCounted(row[0], row[1]));
}

function toSide(times: CountedValues): TimedSide {
  const ranked = rankValues(times);
  return {
    figures: {
      count: countRanked(ranked),
      medianMs: toPercentile(ranked, 0.5),
      p95Ms: toPercentile(ranked, 0.95),
    },
    toInterval: (level) => toQuantileInterval(ranked, 0.5, level),
  };
}

type Sorted = readonly [timed: number, averageMs: number, medianMs: number, p95Ms: number];

async function sortSide(connection: DuckDBConnection, side: string): Promise<TimedSide> {
  const sides = `(SELECT value, records FROM times WHERE ${side})`;
  const [row] = await readRows<Sorted>(connection, toTimesSql(sides, [], [], [0.5, 0.95]));
  if (row === undefined || row[0] === 0) return { figures: NONE, toInterval: () => null };
  const [count, , medianMs, p95Ms] = row;
  const sorted = await readSorted(connection, side);
  return { figures: { count, medianMs, p95Ms }, toInterval: (level) => findInterval(sorted, count, level) };
}

function judgeTimes(inside: TimedSide, outside: TimedSide): ExplainedTimes {
  const isSure = (level: number): boolean => {
    const [own, other] = [inside.toInterval(level), outside.toInterval(level)];
    const [ownMs, otherMs] = [inside.figures.medianMs, outside.figures.medianMs];
    if (own === null || other === null || ownMs === null || otherMs === null) return false;
    const difference = subtractIntervals(
      { value: otherMs, interval: other },
      { value: ownMs, interval: own },
    );
    return isOutside(difference, 0);
  };
  const sides = { inside: inside.figures, outside: outside.figures };
  if (inside.toInterval(DEFAULT_LEVEL) === null || outside.toInterval(DEFAULT_LEVEL) === null)
    return { ...sides, certainty: null };
  if (isSure(1 - CHANCE_OF_CERTAIN)) return { ...sides, certainty: 'certain' };
  return { ...sides, certainty: isSure(1 - CHANCE_OF_PROBABLE) ? 'probable' : 'chance' };
}

type Reached = readonly [value: number, upto: number];

/** Values around the median of a side, and the number of records up to each. */
function readSorted(connection: DuckDBConnection, side: string): Promise<Reached[]> {
  return readRows<[number, number]>(
    connection,
    `SELECT value, upto FROM (
       SELECT value, sum(records::DOUBLE) OVER (ORDER BY value) AS upto, records, sum(records::DOUBLE) OVER () AS whole
       FROM times WHERE ${side}
     )
     -- Ranks of the median's intervals lie within some square roots of the number of records.
     WHERE upto >= whole / 2 - 3 * sqrt(whole) AND upto - records <= whole / 2 + 3 * sqrt(whole)
     ORDER BY value`,
  );
}

function findInterval(sorted: readonly Reached[], count: number, level: number): Interval | null {
  const ranks = toQuantileRanks(count, 0.5, level);
  if (ranks === null) return null;
  const find = (rank: number): number | undefined => sorted.find(([, upto]) => upto >= rank)?.[0];
  const [low, high] = [find(ranks.low), find(ranks.high)];
  return low === undefined || high === undefined ? null : { low, high };
}
