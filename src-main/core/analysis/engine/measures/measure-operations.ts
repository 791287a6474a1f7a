import type { DuckDBConnection } from '@duckdb/node-api';
import type { Input } from '../../../../common/contract/index.ts';
import type { GroupField } from '../../../../common/model/analysis/grouping.ts';
import { TIMED_FIELDS } from '../../../../common/model/records/record-fields.ts';
import type {
  FieldCondition,
  FilterPart,
  PeriodScope,
  RecordFilter,
  RecordScope,
} from '../../../../common/model/records/record-filter.ts';
import {
  type Affected,
  type FieldValues,
  LISTED_FIELDS,
  type ListedField,
  MAX_LISTED,
  type RecordFields,
} from '../../../../common/model/records/record.ts';
import { isGroup, listPlain, saysAnything } from '../../../../common/query/filter-tree.ts';
import type { Direction } from '../../../../common/reporting/reports.ts';
import { SECOND_MS } from '../../../../common/time/durations.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import type { CallContext } from '../../../calls/calls.ts';
import type { ReconcilableGroup } from '../../find-differences.ts';
import { readRows } from '../engine-database.ts';
import { findColumn, OUTCOME_COLUMN } from '../engine-tables.ts';
import type { FeedProgress } from '../feed/create-engine-feed.ts';
import { type KeptPath, NO_CONDITION, toFilterSql } from '../filter-sql.ts';
import type { OwnColumn } from '../own-values.ts';
import { type FilteredRecords, type ResolvedScope, toSourceSql } from '../resolved-scope.ts';
import { compareRecords } from './compare-records.ts';
import { type ExplainMemory, explainSelection } from './explain/explain-selection.ts';
import { groupRecords } from './group-records.ts';
import { toAverageSql } from './measure-sql.ts';
import {
  readDistribution,
  readHeatMap,
  readResponseTimes,
  readSeries,
  type ResponseTimesShape,
} from './read-series.ts';

interface ListedColumn {
  readonly field: ListedField;
  readonly name: string;
  readonly isText: boolean;
}

type Value = string | number | null;
/** Place of the field, a value and its records; or no value, the records without one, all records, and distinct values. */
type Row = [place: number, value: Value, count: number, recordCount: number | null, distinct: number | null];

/**
 * Reads the most frequent values of each field that records have, and how long they took; with the sessions or clients
 * of each value where that is asked for.
 */
export async function readFields(
  connection: DuckDBConnection,
  records: FilteredRecords,
  affected?: Affected,
): Promise<RecordFields> {
  const { direction } = records.scope;
  const columns = LISTED_FIELDS.flatMap((field): ListedColumn[] => {
    const column = findColumn(field, direction);
    return column === null
      ? []
      : [{ field, name: column.name, isText: column.type === 'VARCHAR' || column === OUTCOME_COLUMN }];
  });
  const values: FieldValues[] = [];
  let recordCount = 0;
  // Whole numbers have few combinations: one pass counts all of them.
  const numbers = columns.filter(({ isText }) => !isText);
  const passes = [numbers, ...columns.filter(({ isText }) => isText).map((column) => [column])];
  for (const own of passes) {
    const rows = await readTop(connection, records, own);
    for (const [place, { field }] of own.entries()) {
      const ofField = rows.filter(([at]) => at === place);
      const total = ofField.find(([, , , all]) => all !== null);
      recordCount = total?.[3] ?? recordCount;
      values.push({
        field,
        distinctCount: total?.[4] ?? 0,
        values: ofField.flatMap(([, value, count]) => (value === null ? [] : [{ value, count }])),
        blankCount: total?.[2] ?? 0,
        excluded: [],
      });
    }
  }
  for (const found of values) {
    const column = columns.find(({ field }) => field === found.field);
    if (column === undefined) continue;
    found.excluded = await readExcluded(connection, records, column);
    if (affected !== undefined) await addAffected(connection, records, { column, found, affected });
  }
  const times: RecordFields['times'] = [];
  for (const field of TIMED_FIELDS) {
    if (findColumn(field, direction) === null) continue;
    times.push({ field, distribution: await readDistribution(connection, records, field) });
  }
  if (affected === undefined) return { recordCount, values, times };
  const all = await countAffected(connection, records, affected);
  return { recordCount, affected: all.get(ALL) ?? 0, values, times };
}

const AFFECTED_COLUMNS: Readonly<Record<Affected, string>> = { sessions: 'session_id', clients: 'client' };
/** Stands for all records where none of a field's values is asked for. */
const ALL = '';

/** Counts the sessions or clients of the values that are listed of a field. */
async function addAffected(
  connection: DuckDBConnection,
  records: FilteredRecords,
  {
    column,
    found,
    affected,
  }: { readonly column: ListedColumn; readonly found: FieldValues; readonly affected: Affected },
): Promise<void> {
  const counts = await countAffected(connection, records, affected, {
    column,
    values: found.values.map(({ value }) => value),
  });
  found.values = found.values.map((one) => ({ ...one, affected: counts.get(one.value) ?? 0 }));
  found.blankAffected = counts.get(null) ?? 0;
}

/** Sessions or clients by value of a field, null for none; of all records where no field is named. */
async function countAffected(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  affected: Affected,
  field?: { readonly column: ListedColumn; readonly values: readonly (string | number)[] },
): Promise<ReadonlyMap<Value, number>> {
  const where = toFilterSql(filter, scope.direction);
  const unit = AFFECTED_COLUMNS[affected];
  const value = field === undefined ? `'${ALL}'` : toValueSql(field.column).replace(/ AS \w+$/, '');
  const bound = [...where.values];
  const listed = (field?.values ?? []).map(
    (one) => `$${bound.push(typeof one === 'number' && Number.isInteger(one) ? BigInt(one) : one)}`,
  );
  const among = [
    'value IS NULL',
    ...(field === undefined ? ['true'] : listed.length === 0 ? [] : [`value IN (${listed.join(', ')})`]),
  ];
  // Of millions of texts, their hashes are counted in half the time.
  const rows = await readRows<[Value, number]>(
    connection,
    `SELECT value, count(DISTINCT hash(unit)) FILTER (unit <> '')
     FROM ${toSourceSql(scope, [`${value} AS value`, `${unit} AS unit`], where)}
     WHERE ${among.join(' OR ')} GROUP BY value`,
    bound,
  );
  return new Map(rows);
}

function readTop(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  columns: readonly ListedColumn[],
): Promise<Row[]> {
  const where = toFilterSql(filter, scope.direction);
  const names = columns.map(toValueSql);
  const selects = columns.map(
    ({ name }, place) =>
      `SELECT * FROM (
         SELECT ${place} AS place, value, records, NULL::BIGINT AS whole, NULL::BIGINT AS different FROM of_${name}
         WHERE value IS NOT NULL ORDER BY records DESC, value LIMIT ${MAX_LISTED}
       )
       UNION ALL SELECT ${place}, NULL, coalesce(sum(records) FILTER (value IS NULL), 0)::BIGINT,
         coalesce(sum(records), 0)::BIGINT, count(value) FROM of_${name}`,
  );
  const combined = `SELECT ${columns.map(({ name }) => name).join(', ')}, count(*) AS records
    FROM ${toSourceSql(scope, names, where)} GROUP BY ALL`;
  // Those of a single field are its values: grouped once more, many texts would take twice as long.
  const counted = columns.map(({ name }) => {
    const sums = `SELECT ${name}, sum(records)::BIGINT FROM combinations GROUP BY ${name}`;
    return `of_${name}(value, records) AS MATERIALIZED (${columns.length === 1 ? combined : sums})`;
  });
  const combinations = columns.length === 1 ? '' : `combinations AS MATERIALIZED (${combined}), `;
  return readRows<Row>(
    connection,
    `WITH ${combinations}${counted.join(', ')} ${selects.join(' UNION ALL ')}`,
    where.values,
  );
}

/** Counts what each value that is left out by name would add, all others left out as they are. */
async function readExcluded(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  { field, name, isText }: ListedColumn,
): Promise<FieldValues['excluded']> {
  const excluded = listPlain(filter).flatMap((condition) => listExcluded(condition, field));
  if (excluded.length === 0) return [];
  const conditions = filter.conditions.flatMap((part): FilterPart[] =>
    isGroup(part) ? [part] : withoutExcluded(part, field),
  );
  const alone: RecordFilter = { conditions: [...conditions, { field, values: excluded }] };
  const where = toFilterSql(alone, scope.direction);
  const rows = await readRows<[value: Value, count: number]>(
    connection,
    `SELECT ${name}, count(*) AS records FROM ${toSourceSql(scope, [toValueSql({ name, isText })], where)}
     GROUP BY ${name}`,
    where.values,
  );
  const counts = new Map(rows);
  const known = excluded.map((value) => {
    if (value === null || value === '') return null;
    return isText ? String(value) : value;
  });
  return [...new Set(known)]
    .map((value) => ({ value, count: counts.get(value) ?? 0 }))
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_LISTED);
}

function listExcluded({ field, exclude, values = [] }: FieldCondition, own: ListedField): Value[] {
  return field === own && exclude === true ? values : [];
}

/** A condition without the values that it leaves out; a class, a range or a text beside them still is. */
function withoutExcluded(condition: FieldCondition, own: ListedField): FieldCondition[] {
  if (listExcluded(condition, own).length === 0) return [condition];
  const rest = { ...condition };
  delete rest.values;
  return saysAnything(rest) ? [rest] : [];
}

/** An empty text is no value. */
function toValueSql({ name, isText }: Pick<ListedColumn, 'name' | 'isText'>): string {
  if (name === OUTCOME_COLUMN.name) return `${name}::VARCHAR AS ${name}`;
  return isText ? `nullif(${name}, '') AS ${name}` : name;
}

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
