import type { DuckDBConnection } from '@duckdb/node-api';
import type { Input } from '../../../../common/contract/index.ts';
import type { GroupField } from '../../../../common/model/analysis/grouping.ts';
import type { RecordFilter } from '../../../../common/model/records/record-filter.ts';
import type { PeriodScope, RecordScope } from '../../../../common/model/records/record-scope.ts';
import type { CallContext } from '../../../calls/call-messages.ts';
import type { FeedProgress } from '../feed/create-engine-feed.ts';
import type { Direction } from '../../../../common/reporting/reports.ts';
import type { KeptPath } from '../filter-sql.ts';
import type { OwnColumn } from '../own-values.ts';
import type { FilteredRecords } from '../resolved-scope.ts';
import { explainSelection, type ExplainMemory } from './explain/explain-selection.ts';
import { compareRecords } from './compare-records.ts';
import { groupForReconciling } from './group-for-reconciling.ts';
import { groupRecords } from './group-records.ts';
import { listClients, type ClientPage } from './list-clients.ts';
import { readDistribution } from './read-distribution.ts';
import { readFields } from './read-fields.ts';
import { readResponseTimes, type ResponseTimesShape } from './read-response-times.ts';
import { readHeatMap, readSeries } from './read-series.ts';

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
