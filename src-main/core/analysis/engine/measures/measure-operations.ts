import type { DuckDBConnection } from '@duckdb/node-api';
import type { Input } from '../../../../common/contract/index.ts';
import type { GroupField } from '../../../../common/model/analysis/grouping.ts';
import type {
  PeriodScope,
  RecordFilter,
  RecordScope,
} from '../../../../common/model/records/record-filter.ts';
import type { Direction } from '../../../../common/reporting/reports.ts';
import { SECOND_MS } from '../../../../common/time/durations.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import type { CallContext } from '../../../calls/calls.ts';
import type { ReconcilableGroup } from '../../find-differences.ts';
import { readRows } from '../engine-database.ts';
import type { FeedProgress } from '../feed/create-engine-feed.ts';
import { NO_CONDITION, type KeptPath } from '../filter-sql.ts';
import type { OwnColumn } from '../own-values.ts';
import { toSourceSql, type FilteredRecords, type ResolvedScope } from '../resolved-scope.ts';
import { compareRecords } from './compare-records.ts';
import { explainSelection, type ExplainMemory } from './explain/explain-selection.ts';
import { groupRecords } from './group-records.ts';
import {
  readDistribution,
  readHeatMap,
  readResponseTimes,
  readSeries,
  type ResponseTimesShape,
} from './read-series.ts';
import { readFields } from './read-fields.ts';
import { toAverageSql } from './measure-sql.ts';

const NO_FILTER: RecordFilter = { conditions: [] };

type Context = CallContext<FeedProgress>;

/** Resolves which records a question is about, marks and notes included, and lets `work` answer it; those of a view if one is named. */
export type AskFiltered = <Value>(
  question: { readonly scope: RecordScope; readonly filter: RecordFilter; readonly viewId?: string },
  context: Pick<Context, 'signal'>,
  work: (connection: DuckDBConnection, records: FilteredRecords) => Promise<Value>,
) => Promise<Value>;

/** Finds what is kept of the values of a field; undefined for a field with a column, or where nothing is. */
export type FindKept = (
  scope: RecordScope,
  direction: Direction,
  field: string,
) => Promise<KeptPath | undefined>;

interface ComparedQuestion {
  readonly before: { readonly scope: RecordScope; readonly filter: RecordFilter };
  readonly after: { readonly scope: RecordScope; readonly filter: RecordFilter };
  readonly by: readonly GroupField[];
  readonly quantile: number | null;
  readonly isVolume: boolean;
}

/** Returns the engine's operations behind `analysis/…`. */
export function createMeasureOperations({
  ask,
  findKept,
  listOwn,
  getVersion,
}: {
  readonly ask: AskFiltered;
  readonly findKept: FindKept;
  listOwn(scope: RecordScope, direction: Direction): Promise<readonly OwnColumn[]>;
  /** Another one wherever records have changed. */
  getVersion(): number;
}) {
  const explained: ExplainMemory = { getVersion, last: null };
  return {
    groupRecords: ({ by, ...question }: Input<'analysis/group-records'>, context: Context) =>
      ask(question, context, async (connection, records) => {
        const kept = await Promise.all(
          by.map((field) => findKept(question.scope, records.scope.direction, field)),
        );
        return groupRecords(connection, records, by, { kept });
      }),
    groupForReconciling: (
      { scope, reportedAtMs }: { scope: PeriodScope; reportedAtMs: number },
      context: Context,
    ) =>
      ask({ scope, filter: NO_FILTER }, context, (connection, records) =>
        groupForReconciling(connection, records.scope, { ...scope, reportedAtMs }),
      ),
    listClients: ({ scope, ...page }: { scope: RecordScope } & ClientPage, context: Context) =>
      ask({ scope, filter: NO_FILTER }, context, (connection, records) =>
        listClients(connection, records.scope, page),
      ),
    readSeries: ({ edges, ...question }: Input<'analysis/read-series'>, context: Context) =>
      ask(question, context, (connection, records) => readSeries(connection, records, edges)),
    readHeatMap: ({ zone, ...question }: Input<'analysis/read-heat-map'>, context: Context) =>
      ask(question, context, (connection, records) => readHeatMap(connection, records, zone)),
    readDistribution: ({ field, ...question }: Input<'analysis/read-distribution'>, context: Context) =>
      ask(question, context, (connection, records) => readDistribution(connection, records, field)),
    readResponseTimes: (question: Parameters<AskFiltered>[0] & ResponseTimesShape, context: Context) =>
      ask(question, context, (connection, records) => readResponseTimes(connection, records, question)),
    readFields: ({ affected, ...question }: Input<'records/read-fields'>, context: Context) =>
      ask(question, context, (connection, records) => readFields(connection, records, affected)),
    explain: ({ scope, filter, selection, bodies = false }: Input<'analysis/explain'>, context: Context) => {
      const all = { conditions: [...filter.conditions, ...selection.conditions] };
      const place = filter.conditions.length;
      // Marks are resolved in both at once.
      return ask({ scope, filter: all }, context, async (connection, records) => {
        const { conditions } = records.filter;
        const asked = {
          filter: { conditions: conditions.slice(0, place) },
          selection: { conditions: conditions.slice(place) },
          bodies,
          own: await listOwn(scope, records.scope.direction),
        };
        return explainSelection(connection, records.scope, asked, { memory: explained });
      });
    },
    compareRecords: ({ before, after, ...asked }: ComparedQuestion, context: Context) =>
      ask(before, context, (connection, records) =>
        // The records of both are fed and chosen before either is counted.
        ask(after, context, (_, others) => compareRecords(connection, [records, others], asked)),
      ),
  };
}

/**
 * Groups records as the service groups them, with what may make its figures differ: how many lie in the first and the
 * last second of [fromMs, toMs), are dated from `reportedAtMs` on, or have no date that can be read.
 */
async function groupForReconciling(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  { fromMs, toMs, reportedAtMs }: TimeSpan & { reportedAtMs: number },
): Promise<ReconcilableGroup[]> {
  const isInbound = scope.direction === 'inbound';
  const origin = isInbound ? 'origin' : 'NULL::VARCHAR AS origin';
  const latency = isInbound ? 'bot_latency_ms' : 'NULL::DOUBLE AS bot_latency_ms';
  const columns = ['date_ms', 'channel', 'service', origin, 'response_code', 'response_time_ms', latency];
  type Key = [
    channel: number | null,
    service: number | null,
    origin: string | null,
    responseCode: number | null,
  ];
  type Averages = [responseMs: number | null, timed: number, latencyMs: number | null, latencyTimed: number];
  type Edges = [first: number, last: number, later: number, undated: number];
  const rows = await readRows<[...Key, number, ...Averages, ...Edges]>(
    connection,
    `SELECT channel, service, origin, response_code, count(*),
       ${toAverageSql('response_time_ms')}, count(response_time_ms), ${toAverageSql('bot_latency_ms')}, count(bot_latency_ms),
       count(*) FILTER (date_ms < ${fromMs + SECOND_MS}), count(*) FILTER (date_ms >= ${toMs - SECOND_MS}),
       count(*) FILTER (date_ms >= ${reportedAtMs}), count(*) FILTER (date_ms IS NULL)
     FROM ${toSourceSql(scope, columns, NO_CONDITION)}
     GROUP BY channel, service, origin, response_code`,
  );
  return rows.map(
    ([
      channel,
      service,
      group,
      responseCode,
      count,
      responseMs,
      timed,
      latencyMs,
      latencyTimed,
      ...edges
    ]) => ({
      channel,
      service,
      origin: group,
      responseCode,
      count,
      averageResponseTimeMs: responseMs,
      averageBotLatencyMs: latencyMs,
      untimed: {
        averageResponseTimeMs: count - timed,
        averageBotLatencyMs: isInbound ? count - latencyTimed : 0,
      },
      firstSecond: edges[0],
      lastSecond: edges[1],
      later: edges[2],
      undated: edges[3],
    }),
  );
}

/** Distinct clients in the order of their characters: those behind `after`, at most `limit`. */
interface ClientPage {
  /** Null for the first page. */
  readonly after: string | null;
  readonly limit: number;
}

/** Returns a page of the clients of a scope, without the empty one. */
async function listClients(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  { after, limit }: ClientPage,
): Promise<string[]> {
  const values = [after ?? ''];
  const source = toSourceSql(scope, ['client'], { sql: 'client > $1', values });
  const rows = await readRows<[string]>(
    connection,
    `SELECT DISTINCT client FROM ${source} ORDER BY client LIMIT ${limit}`,
    values,
  );
  return rows.map(([client]) => client);
}
