import type { DuckDBConnection } from '@duckdb/node-api';
import type { FoundSign, WatchedDeprecation } from '../../../common/model/analysis/deprecation-match.ts';
import type { SummaryGroup } from '../../../common/model/records/histogram.ts';
import {
  type FieldCondition,
  type FilterField,
  SEARCHED_FIELDS,
} from '../../../common/model/records/record-filter.ts';
import { CODE_CLASSES, type Facets } from '../../../common/model/records/record.ts';
import { isAbout } from '../../../common/query/filter-tree.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import { CODE_CLASS_SQL } from '../../../common/sql/filter-statement.ts';
import { readRows } from './engine-database.ts';
import { findColumn } from './engine-tables.ts';
import { type BoundValue, NO_CONDITION, type SqlCondition, toFilterSql } from './filter-sql.ts';
import { toAverageSql } from './measures/measure-sql.ts';
import { type FilteredRecords, type ResolvedScope, toSourceSql } from './resolved-scope.ts';

/** A value of a field, null where it has none, and its number of records. */
export interface ValueCount {
  readonly value: string | number | null;
  readonly count: number;
}

/** Values listed of one field; the most frequent ones. */
const MAX_VALUES = 500;

/**
 * Counts the values of some fields, the most frequent first, at most 500 of each. Conditions on a field don't
 * restrict its own counts, so that what else could be chosen stays visible; brackets that name others too do.
 */
export async function countValues<Field extends FilterField>(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  fields: readonly Field[],
): Promise<Record<Field, ValueCount[]>> {
  const counts = {} as Record<Field, ValueCount[]>;
  const isRestricted = (field: Field): boolean => filter.conditions.some((part) => isAbout(part, field));
  // Fields that the same records are counted for are counted in one pass, as long as their combinations are few.
  const shared = fields.filter((field) => isInteger(field, scope.direction) && !isRestricted(field));
  for (const field of fields) counts[field] = [];
  const passes = [shared, ...fields.filter((field) => !shared.includes(field)).map((field) => [field])];
  for (const own of passes) {
    const columns = own.flatMap((field) => {
      const name = findColumn(field, scope.direction)?.name;
      return name === undefined ? [] : [{ field, name }];
    });
    const [first] = columns;
    if (first === undefined) continue;
    const where = toFilterSql(filter, scope.direction, columns.length === 1 ? first.field : undefined);
    const names = columns.map(({ name }) => name);
    const rows = await readRows<[number, string | number | null, number]>(
      connection,
      `WITH combinations AS MATERIALIZED (
         SELECT ${names.join(', ')}, count(*) AS records FROM ${toSourceSql(scope, names, where)} GROUP BY ALL
       ) ${names.map(toCountSql).join(' UNION ALL ')}`,
      where.values,
    );
    for (const [place, value, count] of rows) {
      const column = columns[place];
      if (column !== undefined) counts[column.field].push({ value, count });
    }
  }
  return counts;
}

/** A class of response codes and its number of records. */
export type ClassCount = Facets['codeClasses'][number];

/** Counts the records of each class of response codes; conditions on the code don't restrict them. */
export async function countClasses(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
): Promise<ClassCount[]> {
  const where = toFilterSql(filter, scope.direction, 'responseCode');
  const counts = CODE_CLASSES.map((name) => `count(*) FILTER (${CODE_CLASS_SQL[name]})`);
  const source = toSourceSql(scope, ['response_code'], where);
  const [row = []] = await readRows<number[]>(
    connection,
    `SELECT ${counts.join(', ')} FROM ${source}`,
    where.values,
  );
  return CODE_CLASSES.map((value, place) => ({ value, count: row[place] ?? 0 }));
}

function toCountSql(name: string, place: number): string {
  return `SELECT * FROM (
    SELECT ${place} AS place, ${name} AS value, sum(records)::BIGINT AS records FROM combinations
    GROUP BY value ORDER BY records DESC, value LIMIT ${MAX_VALUES}
  )`;
}

function isInteger(field: FilterField, direction: Direction): boolean {
  return findColumn(field, direction)?.type === 'BIGINT';
}

/** Number of the records of a scope that meet a condition. */
export async function countRecords(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  where: SqlCondition = NO_CONDITION,
): Promise<number> {
  // Parts of whole snapshots say it themselves.
  if (where === NO_CONDITION && scope.parts.every(({ spans }) => spans === null))
    return scope.parts.reduce((sum, { recordCount }) => sum + recordCount, 0);
  const source = toSourceSql(scope, ['record_id'], where);
  const [[count] = [0]] = await readRows<[number]>(
    connection,
    `SELECT count(*) FROM ${source}`,
    where.values,
  );
  return count;
}

/**
 * Groups records as the service groups them: inbound by channel, service, origin and code, outbound by channel,
 * service and code; the largest group first. Averages leave out records without the figure; the session is that of the
 * newest request (decision 12).
 */
export async function summariseRecords(
  connection: DuckDBConnection,
  scope: ResolvedScope,
): Promise<SummaryGroup[]> {
  const isInbound = scope.direction === 'inbound';
  const columns = [
    'record_id',
    'date_ms',
    'channel',
    'service',
    'origin',
    'response_code',
    'response_time_ms',
  ];
  const source = toSourceSql(scope, [...columns, 'session_id', ...(isInbound ? ['bot_latency_ms'] : [])], {
    sql: 'true',
    values: [],
  });
  const rows = await readRows<
    [number | null, number | null, string | null, number | null, number, number | null, number | null, string]
  >(
    connection,
    `SELECT channel, service, ${isInbound ? 'origin' : 'NULL'} AS group_origin, response_code, count(*) AS records,
       ${toAverageSql('response_time_ms')}, ${isInbound ? toAverageSql('bot_latency_ms') : 'NULL'},
       arg_max(session_id, (coalesce(date_ms, -9007199254740991), record_id))
     FROM ${source} GROUP BY channel, service, group_origin, response_code
     ORDER BY records DESC, channel NULLS FIRST, service NULLS FIRST, group_origin, response_code NULLS FIRST`,
  );
  return rows.map(([channel, service, origin, responseCode, count, responseMs, latencyMs, sessionId]) => ({
    channel,
    service,
    origin,
    responseCode,
    count,
    averageResponseTimeMs: responseMs,
    averageBotLatencyMs: latencyMs,
    sessionId,
  }));
}

/** Records that were counted, with the first and the last of their dates. */
interface CountedRecords {
  readonly count: number;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
}

/** What the records of one direction show. */
export interface MatchedSigns {
  readonly direction: Direction;
  readonly all: CountedRecords;
  /** In the order of what was asked for. */
  readonly matches: readonly (CountedRecords & {
    readonly id: string;
    readonly signs: readonly (CountedRecords & Pick<FoundSign, 'sign'>)[];
  })[];
}

/** Looks for the signs of all deprecations in one pass over the records of a scope. */
export async function matchSigns(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  watched: readonly WatchedDeprecation[],
): Promise<MatchedSigns> {
  const { direction } = scope;
  const values: BoundValue[] = [];
  const toSql = (condition: FieldCondition): string => {
    const own = toFilterSql({ conditions: [condition] }, direction);
    const before = values.length;
    values.push(...own.values);
    return own.sql.replaceAll(/\$(\d+)/gu, (_, place: string) => `$${before + Number(place)}`);
  };
  const signsOf = watched.map(({ id, signs: { texts, channels, codes } }) => ({
    id,
    signs: [
      ...texts.map((value) => ({
        sign: { kind: 'text' as const, value },
        sql: toSql({ field: 'anywhere', text: value }),
      })),
      ...channels.map((value) => ({
        sign: { kind: 'channel' as const, value },
        sql: toSql({ field: 'channel', values: [value] }),
      })),
      ...codes.map((value) => ({
        sign: { kind: 'code' as const, value },
        sql: toSql({ field: 'responseCode', values: [value] }),
      })),
    ],
  }));
  const all = signsOf.flatMap(({ signs }) => signs);
  const columns = ['channel', 'responseCode', ...SEARCHED_FIELDS].flatMap(
    (field) => findColumn(field as FieldCondition['field'], direction)?.name ?? [],
  );
  // Each sign is looked for once, however many figures need it; a record without the field hasn't it.
  const flags = all.map(({ sql }, place) => `coalesce(${sql}, false) AS sign_${place}`);
  const ofDeprecation = (place: number): string => {
    const first = signsOf.slice(0, place).reduce((sum, { signs }) => sum + signs.length, 0);
    const names = (signsOf[place]?.signs ?? []).map((_, own) => `sign_${first + own}`);
    return names.length === 0 ? 'false' : names.join(' OR ');
  };
  const conditions = [
    'true',
    ...signsOf.map((_, place) => ofDeprecation(place)),
    ...all.map((_, place) => `sign_${place}`),
  ];
  const figures = conditions.flatMap((sql) => [
    `count(*) FILTER (WHERE ${sql})`,
    `min(date_ms) FILTER (WHERE ${sql})`,
    `max(date_ms) FILTER (WHERE ${sql})`,
  ]);
  const [row = []] = await readRows<(number | null)[]>(
    connection,
    `WITH looked_at AS (
       SELECT ${['date_ms', ...flags].join(', ')}
       FROM ${toSourceSql(scope, ['date_ms', ...new Set(columns)], NO_CONDITION)}
     ) SELECT ${figures.join(', ')} FROM looked_at`,
    values,
  );
  const read = (place: number): CountedRecords => ({
    count: row[place * 3] ?? 0,
    firstMs: row[place * 3 + 1] ?? null,
    lastMs: row[place * 3 + 2] ?? null,
  });
  let next = 1 + signsOf.length;
  return {
    direction,
    all: read(0),
    matches: signsOf.map(({ id, signs }, place) => ({
      id,
      ...read(1 + place),
      signs: signs.map(({ sign }) => ({ sign, ...read(next++) })).filter(({ count }) => count > 0),
    })),
  };
}
