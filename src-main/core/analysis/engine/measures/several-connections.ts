import type { DuckDBConnection } from '@duckdb/node-api';
import type { ConnectionFigures, SharedFamily } from '../../../../common/model/analysis/grouping.ts';
import type { PeriodScope, RecordFilter } from '../../../../common/model/records/record-filter.ts';
import type { CallContext } from '../../../calls/calls.ts';
import { readRows } from '../engine-database.ts';
import { FAILED_SQL, OUTCOME_COLUMN, PATTERN_COLUMN } from '../engine-tables.ts';
import { listFamilyNames, resolveFamilies } from '../error-families.ts';
import type { FeedProgress } from '../feed/create-engine-feed.ts';
import { toFilterSql, type BoundValue } from '../filter-sql.ts';
import { countAtMost, toSharedSql, type FilteredRecords } from '../resolved-scope.ts';
import { toTimesSql } from './measure-sql.ts';

const MAX_FAMILIES = 200;
const SHARES = [0.5, 0.95];
/** Times that are sorted in memory; more of them are counted first, which takes longer and spills to the disk. */
const MAX_SORTED = 10_000_000;

/** The records of one of several connections, by a filter as it is meant there. */
interface OwnRecords extends FilteredRecords {
  readonly connectionId: string;
}

/** What is counted of a connection, whether or not anything of it is cached. */
type MeasuredConnection = { readonly connectionId: string } & NonNullable<ConnectionFigures['figures']>;

interface SharedFamilies {
  readonly families: SharedFamily[];
  readonly familyCount: number;
  /** One for each connection, in their order. */
  readonly totals: readonly {
    readonly connectionId: string;
    readonly recordCount: number;
    readonly errorCount: number;
  }[];
}

/** One period of a report, of several connections. */
interface SeveralQuestion {
  readonly scopes: readonly PeriodScope[];
  readonly filter: RecordFilter;
}

type Context = Pick<CallContext<FeedProgress>, 'signal'>;

/** Returns the engine's operations behind `several/…`. `resolve` finds what a scope and a filter are in its connection. */
export function createSeveralOperations({
  connect,
  resolve,
}: {
  connect<Value>(context: Context, work: (connection: DuckDBConnection) => Promise<Value>): Promise<Value>;
  resolve(connection: DuckDBConnection, scope: PeriodScope, filter: RecordFilter): Promise<FilteredRecords>;
}) {
  /** What the filter names is looked up in each of the connections. */
  const ask = <Value>(
    { scopes, filter }: SeveralQuestion,
    context: Context,
    work: (connection: DuckDBConnection, own: readonly OwnRecords[]) => Promise<Value>,
  ): Promise<Value> =>
    connect(context, async (connection) => {
      const own: OwnRecords[] = [];
      for (const scope of scopes)
        own.push({ connectionId: scope.connectionId, ...(await resolve(connection, scope, filter)) });
      return work(connection, own);
    });
  return {
    /** Figures of several connections; with a family of one of them, how often each has the same error. */
    measureConnections: (
      {
        family,
        ...question
      }: SeveralQuestion & { family: { readonly connectionId: string; readonly pattern: string } | null },
      context: Context,
    ) =>
      ask(question, context, async (connection, own) => {
        if (family === null) return measureConnections(connection, own, null);
        const values = await listFamilyTexts(connection, family);
        const filter = { conditions: [{ field: 'errorFamily' as const, values }] };
        const same: RecordFilter[] = [];
        for (const { connectionId, scope } of own)
          same.push((await resolveFamilies(connection, { scope, filter }, connectionId)).filter);
        return measureConnections(connection, own, same);
      }),
    /** The errors of several connections by what they fold to. */
    findSharedFamilies: (question: SeveralQuestion, context: Context) =>
      ask(question, context, findSharedFamilies),
  };
}

/**
 * Counts the records of several connections in one pass, each by itself. `same` has, for each of them, the filter for the
 * error that is looked for.
 */
async function measureConnections(
  connection: DuckDBConnection,
  own: readonly OwnRecords[],
  same: readonly RecordFilter[] | null,
): Promise<MeasuredConnection[]> {
  const counted = toUnion(own, [OUTCOME_COLUMN.name], same);
  const rows = await readRows<[number, number, number, number, number]>(
    connection,
    `SELECT place, count(*), count(*) FILTER (${FAILED_SQL}), count(*) FILTER (outcome = 'unknown'::outcome),
       ${same === null ? '0' : 'count(*) FILTER (is_same)'}
     FROM ${counted.sql} GROUP BY place`,
    counted.values,
  );
  const failed = toUnion(own, [OUTCOME_COLUMN.name, 'session_id', 'client']);
  const hits = await readRows<[number, number, number]>(
    connection,
    `SELECT place, count(DISTINCT session_id) FILTER (session_id <> ''),
       count(DISTINCT client) FILTER (client <> '')
     FROM ${failed.sql} WHERE ${FAILED_SQL} GROUP BY place`,
    failed.values,
  );
  const timed = toUnion(own, ['response_time_ms']);
  const times = await readRows<[number, number | null, number | null]>(
    connection,
    own.reduce((sum, { scope }) => sum + countAtMost(scope), 0) <= MAX_SORTED
      ? `SELECT place, ${SHARES.map((share) => `quantile_cont(response_time_ms, ${share})`).join(', ')}
         FROM ${timed.sql} GROUP BY place`
      : `SELECT place, p0, p1 FROM (${toTimesSql(
          `(SELECT place, response_time_ms AS value, count(*) AS records FROM ${timed.sql} GROUP BY ALL)`,
          ['place'],
          [],
          SHARES,
        )})`,
    timed.values,
  );
  const countsOf = new Map(rows.map(([place, ...counts]) => [place, counts]));
  const hitsOf = new Map(hits.map(([place, ...counts]) => [place, counts]));
  const timesOf = new Map(times.map(([place, medianMs, p95Ms]) => [place, { medianMs, p95Ms }]));
  return own.map(({ connectionId }, place) => {
    const [count = 0, failures = 0, unknown = 0, sameErrors = 0] = countsOf.get(place) ?? [];
    const [failedSessions = 0, failedClients = 0] = hitsOf.get(place) ?? [];
    return {
      connectionId,
      count,
      failures,
      unknown,
      failedSessions,
      failedClients,
      ...(timesOf.get(place) ?? { medianMs: null, p95Ms: null }),
      sameErrors: same === null ? null : sameErrors,
    };
  });
}

/** The errors of several connections by what they fold to, those with the most records first. */
async function findSharedFamilies(
  connection: DuckDBConnection,
  own: readonly OwnRecords[],
): Promise<SharedFamilies> {
  const pattern = PATTERN_COLUMN.name;
  const all = toUnion(own, [pattern]);
  const totals = await readRows<[number, number, number]>(
    connection,
    `SELECT place, count(*), count(*) FILTER (${pattern} <> '') FROM ${all.sql} GROUP BY place`,
    all.values,
  );
  const errors = toUnion(own, [pattern, 'session_id', 'client', 'date_ms', 'response_code']);
  const rows = await readRows<
    [string, number, number, number, number, number | null, number | null, number | null, number]
  >(
    connection,
    `WITH cells AS MATERIALIZED (
       SELECT ${pattern} AS family, place, count(*) AS records,
         count(DISTINCT session_id) FILTER (session_id <> '') AS sessions,
         count(DISTINCT client) FILTER (client <> '') AS clients,
         min(date_ms) AS first_ms, max(date_ms) AS last_ms, mode(response_code) AS code
       FROM ${errors.sql} WHERE ${pattern} <> '' GROUP BY ALL
     ), listed AS (
       SELECT family, count(*) OVER () AS families FROM cells GROUP BY family
       ORDER BY sum(records) DESC, family LIMIT ${MAX_FAMILIES}
     )
     SELECT family, place, records, sessions, clients, first_ms, last_ms, code, families
     FROM cells JOIN listed USING (family) ORDER BY records DESC, place`,
    errors.values,
  );
  const families = [...Map.groupBy(rows, ([family]) => family)].map(([family, parts]): SharedFamily => ({
    pattern: family,
    responseCode: parts[0]?.[7] ?? null,
    count: parts.reduce((sum, [, , records]) => sum + records, 0),
    parts: parts.map(([, place, count, sessionCount, clientCount, firstMs, lastMs]) => ({
      connectionId: own[place]?.connectionId ?? '',
      count,
      sessionCount,
      clientCount,
      firstMs,
      lastMs,
    })),
  }));
  const totalOf = new Map(totals.map(([place, ...counts]) => [place, counts]));
  return {
    families: families.sort((a, b) => b.count - a.count || (a.pattern < b.pattern ? -1 : 1)),
    familyCount: rows[0]?.[8] ?? 0,
    totals: own.map(({ connectionId }, place) => {
      const [recordCount = 0, errorCount = 0] = totalOf.get(place) ?? [];
      return { connectionId, recordCount, errorCount };
    }),
  };
}

/** All names that the errors of a family of one connection have gone by: other connections know them by one of these. */
async function listFamilyTexts(
  connection: DuckDBConnection,
  { connectionId, pattern }: { readonly connectionId: string; readonly pattern: string },
): Promise<string[]> {
  const names = await listFamilyNames(connection, connectionId);
  return [pattern, ...names.flatMap((name) => (name.family === pattern ? [name.pattern] : []))];
}

/**
 * The records of all connections as a table expression with the `place` of each one's. The table is read once, whatever
 * number of connections there is: a scan for each would read storage that holds records of several of them as often.
 */
function toUnion(
  own: readonly OwnRecords[],
  columns: readonly string[],
  same: readonly RecordFilter[] | null = null,
): { readonly sql: string; readonly values: readonly BoundValue[] } {
  const direction = own[0]?.scope.direction ?? 'inbound';
  const values: BoundValue[] = [];
  const known = new Map<string, string>();
  /** The same filter is bound once, whatever number of connections has it. */
  const toSql = (filter: RecordFilter): string => {
    const key = JSON.stringify(filter);
    const sql = known.get(key) ?? toFilterSql(filter, direction, undefined, values).sql;
    known.set(key, sql);
    return sql;
  };
  const wheres = toChosen(own.map(({ filter }) => toSql(filter)));
  const added = same === null ? [] : [`coalesce(${toChosen(same.map(toSql))}, false) AS is_same`];
  const from = toSharedSql(
    direction,
    own.map(({ scope }, place) => ({ scope, labels: [String(place)] })),
    ['place'],
  );
  return {
    sql: `(SELECT ${[...columns, ...added, 'place'].join(', ')} FROM ${from} AND (${wheres}))`,
    values,
  };
}

/** What holds for the records of each place; mostly the same for all of them. */
function toChosen(conditions: readonly string[]): string {
  const [first = 'true'] = conditions.map((condition) => `(${condition})`);
  if (conditions.every((condition) => `(${condition})` === first)) return first;
  const cases = conditions.map((condition, place) => `WHEN ${place} THEN (${condition})`);
  return `CASE place ${cases.join(' ')} END`;
}
