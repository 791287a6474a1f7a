import type { DuckDBConnection } from '@duckdb/node-api';
import {
  type ExplainedTimes,
  type ExplainedValue,
  type Explanation,
  MIN_EXPLAINED,
} from '../../../../../common/model/analysis/comparison.ts';
import { listGroupFields, type TimedField } from '../../../../../common/model/analysis/grouping.ts';
import type { FilterField, RecordFilter } from '../../../../../common/model/records/record-filter.ts';
import type { Direction } from '../../../../../common/reporting/reports.ts';
import { listLeaves } from '../../../../../common/query/filter-tree.ts';
import {
  DEFAULT_LEVEL,
  type Interval,
  isOutside,
  subtractIntervals,
  toQuantileRanks,
} from '../../../../../common/statistics.ts';
import {
  CHANCE_OF_CERTAIN,
  CHANCE_OF_PROBABLE,
  type CountedValue,
  judgeValues,
  pickPaired,
  pickUnusual,
  type Sides,
} from '../../../judge-values.ts';
import { readRows, toTypes } from '../../engine-database.ts';
import { findColumn } from '../../engine-tables.ts';
import { toFilterSql, type SqlCondition } from '../../filter-sql.ts';
import type { OwnColumn } from '../../own-values.ts';
import { toSourceSql, type ResolvedScope } from '../../resolved-scope.ts';
import {
  type CountedValues,
  countRanked,
  LISTS_SQL,
  makeCells,
  MAX_LISTED_VALUES,
  rankValues,
  readListedRows,
  toCounted,
  toKeySql,
  toPercentile,
  toQuantileInterval,
  toTimesSql,
} from '../measure-sql.ts';
import {
  addAffected,
  countClients,
  countHit,
  countPairs,
  countSingles,
  listComparedFields,
  measureSessions,
  readSides,
  type ToKey,
  type ToSource,
} from './count-sides.ts';
import { countBodySigns } from './explain-bodies.ts';

/** What is asked of the records of a scope. */
interface Selection {
  /** What the selection is compared within. */
  readonly filter: RecordFilter;
  readonly selection: RecordFilter;
  /** Looks into bodies too. */
  readonly bodies?: boolean;
  /** Columns of the person's own tables, which are compared like fields; see `pickCompared`. */
  readonly own?: readonly OwnColumn[];
}

/** What fields and times tell of a selection, whatever is in bodies. */
interface Told {
  readonly sides: Sides;
  readonly counted: Pick<
    Explanation,
    'insideCount' | 'outsideCount' | 'sessionCount' | 'clientCount' | 'response' | 'botLatency'
  >;
  /** Null where there are too few records to tell anything. */
  readonly values: {
    readonly found: readonly CountedValue[];
    readonly pairs: readonly CountedValue[];
    readonly lookedAt: number;
  } | null;
  /** Sessions and clients of values that were asked for, by their terms. */
  readonly affected: Map<string, ExplainedValue>;
}

/** What was told last: a question that looks into bodies too mostly follows the same one that doesn't. */
export interface ExplainMemory {
  /** Another one wherever records have changed. */
  getVersion(): number;
  last: { readonly key: string; readonly told: Told } | null;
}

interface ExplainOptions {
  readonly limits?: ExplainLimits | undefined;
  readonly memory?: ExplainMemory;
}

/** Compares the records of a selection with the rest: how often values of fields occur, and how long requests take. */
export async function explainSelection(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  question: Selection,
  { limits = EXPLAIN_LIMITS, memory = { getVersion: () => 0, last: null } }: ExplainOptions = {},
): Promise<Explanation> {
  const { filter, selection, bodies = false, own = [] } = question;
  const { direction } = scope;
  const where = toFilterSql(filter, direction);
  const inside = moveValues(toFilterSql(selection, direction), where.values.length);
  const values = [...where.values, ...inside.values];
  const toSource: ToSource = (columns, leaves = 'true') => {
    const sql = leaves === 'true' ? where.sql : `(${where.sql}) AND ${leaves}`;
    const named = [`coalesce(${inside.sql}, false) AS inside`, ...columns];
    return { sql: toSourceSql(scope, named, { ...where, sql }), values };
  };
  // What the selection is chosen by sets it apart by itself.
  const named = listLeaves(selection).map(({ field }) => field);
  // A column of an own table follows from the field that its table is joined by.
  const joined = own.flatMap(({ field, by }) => (named.includes(field) ? [by] : []));
  const chosen = [...named, ...joined];
  const compared = pickCompared(own).filter(
    ({ field, by }) => !chosen.includes(field) && !chosen.includes(by),
  );
  const toKey: ToKey = (field) => {
    const column = compared.find((each) => each.field === field);
    return toKeySql(field, direction, column === undefined ? undefined : { column: column.sql });
  };
  const fields = [
    ...listComparedFields(direction).filter((field) => !chosen.includes(field)),
    ...compared.map(({ field }) => field),
  ];
  /** Where only records of the selection are asked for. */
  let toInside = toSource;
  const tell = async (): Promise<Told> => {
    const sides = await readSides(connection, toSource, fields, toKey);
    if (sides.inside <= limits.held) {
      const read = ['sessionId', 'client', ...listGroupFields(direction), ...compared.map(({ by }) => by)];
      toInside = await holdInside(connection, toSource, direction, read as readonly FilterField[]);
    }
    const ways = { isFew: sides.inside + sides.outside <= limits.records, maxListed: limits.values };
    const explain = (field: TimedField): Promise<ExplainedTimes> =>
      explainTimes(connection, toSource, findColumn(field, direction)?.name, ways);
    const response = await explain('responseTimeMs');
    const botLatency = await explain('botLatencyMs');
    const [sessionCount, clientCount] = await countHit(connection, toInside);
    const counted = {
      insideCount: sides.inside,
      outsideCount: sides.outside,
      sessionCount,
      clientCount,
      response,
      botLatency,
    };
    const affected = new Map<string, ExplainedValue>();
    if (Math.min(sides.inside, sides.outside) < MIN_EXPLAINED)
      return { sides, counted, values: null, affected };
    const singles = await countSingles(connection, fields, sides);
    const clients = chosen.includes('client')
      ? { values: [], valueCount: 0 }
      : await countClients(connection, toSource, sides);
    const pairs = await countPairs(connection, pickPaired(singles.values, sides));
    const lookedAt = singles.valueCount + clients.valueCount + pairs.length;
    const found = [...singles.values, ...clients.values];
    const isWanted = new Set([...pickUnusual(found, sides), ...pickParts(found, pickUnusual(pairs, sides))]);
    const measured = await measureSessions(connection, toSource, {
      values: [...isWanted],
      sides,
      toKey,
      direction,
      maxRecords: limits.sessionRecords,
    });
    return {
      sides,
      counted,
      values: { found: found.map((value) => measured.get(value) ?? value), pairs, lookedAt },
      affected,
    };
  };

  const key = JSON.stringify([memory.getVersion(), scope, filter, selection, compared]);
  const told = memory.last?.key === key ? memory.last.told : await tell();
  memory.last = { key, told };
  const { sides, counted } = told;
  if (told.values === null) return { ...counted, values: [], lookedAt: 0, bodiesRead: null };
  const isChosen = (path: string): boolean =>
    chosen.some((each) => each === path || isWithinPath(each, path) || isWithinPath(path, each));
  const signs = bodies ? await countBodySigns(connection, toSource, { sides, direction, isChosen }) : null;
  const ofBodies = signs?.values ?? [];
  const lookedAt = told.values.lookedAt + (signs?.lookedAt ?? 0);
  const judged = judgeValues([...told.values.found, ...ofBodies], told.values.pairs, sides, lookedAt);
  const toTerms = ({ terms }: CountedValue): string => JSON.stringify(terms);
  const unknown = judged.filter((value) => value.among === undefined && !told.affected.has(toTerms(value)));
  for (const value of await addAffected(connection, toInside, unknown, { toKey, direction }))
    told.affected.set(toTerms(value), value);
  const ofSigns = new Map(ofBodies.map((value) => [toTerms(value), value]));
  return {
    ...counted,
    values: judged.map((value) => {
      const terms = toTerms(value);
      const { sessionCount = 0, clientCount = 0 } = ofSigns.get(terms) ?? told.affected.get(terms) ?? {};
      return { ...value, sessionCount, clientCount };
    }),
    lookedAt,
    bodiesRead: signs?.among ?? null,
  };
}

/** Holds the records of the selection with some fields: what is asked of them would read all records each time. */
async function holdInside(
  connection: DuckDBConnection,
  toSource: ToSource,
  direction: Direction,
  fields: readonly FilterField[],
): Promise<ToSource> {
  const columns = new Set(fields.flatMap((field) => findColumn(field, direction)?.name ?? []));
  const source = toSource([...columns]);
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE selected AS SELECT ${['inside', ...columns].join(', ')} FROM ${source.sql} WHERE inside`,
    [...source.values],
    toTypes(source.values),
  );
  return (named, leaves = 'true') => ({
    sql: `(SELECT ${['inside', ...named].join(', ')} FROM selected WHERE ${leaves})`,
    values: [],
  });
}

/** Of a column with more values each tells little, and all of them together are too many to be counted. */
const MAX_OWN_VALUES = 100;
const MAX_OWN_COMPARED = 8;

function pickCompared(own: readonly OwnColumn[]): readonly OwnColumn[] {
  return own
    .filter(({ valueCount }) => valueCount > 0 && valueCount <= MAX_OWN_VALUES)
    .slice(0, MAX_OWN_COMPARED);
}

/** True for a path into what is at another one, or for any path into a body that is named whole. */
function isWithinPath(path: string, whole: string): boolean {
  return path.startsWith(`${whole}.`) || path.startsWith(`${whole}[`);
}

function pickParts(singles: readonly CountedValue[], pairs: readonly CountedValue[]): CountedValue[] {
  const terms = pairs.flatMap((pair) => pair.terms);
  return singles.filter(({ terms: [own] }) =>
    terms.some(({ field, value }) => field === own?.field && value === own.value),
  );
}

/** Moves the places of bound values, so that two conditions stand in one statement. */
function moveValues({ sql, values }: SqlCondition, by: number): SqlCondition {
  return { sql: sql.replaceAll(/\$(\d+)/g, (_, place: string) => `$${Number(place) + by}`), values };
}

const NONE: ExplainedTimes['inside'] = { count: 0, medianMs: null, p95Ms: null };

/** Up to how much each way of ranking times is the quickest. */
export interface ExplainLimits {
  /** Records whose times are ranked here. */
  readonly records: number;
  /** Times that are ranked here once equal ones were counted; more are sorted by the engine. */
  readonly values: number;
  /** Records of frequent values whose sessions are looked at; of more, a part of the sessions tells. */
  readonly sessionRecords: number;
  /** Records of a selection that are held in memory. */
  readonly held: number;
}
export const EXPLAIN_LIMITS: ExplainLimits = {
  records: 131_072,
  values: MAX_LISTED_VALUES,
  sessionRecords: 500_000,
  held: 300_000,
};

/**
 * Compares how long the records of either side took, by their medians: their distribution may be any. `column` has their
 * times, undefined where a direction has none.
 */
async function explainTimes(
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
