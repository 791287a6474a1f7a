import type { DuckDBConnection } from '@duckdb/node-api';
import type {
  ErrorFamilies,
  ErrorFigures,
  ErrorGrouping,
  ErrorGroups,
} from '../../../common/model/records/error-family.ts';
import {
  hasShape,
  toPartShape,
  type FamilyChange,
} from '../../../common/model/connections/family-changes.ts';
import { foldCase } from '../../../common/fold-case.ts';
import type { FieldCondition } from '../../../common/model/records/record-filter.ts';
import { listLeaves, mapLeaves } from '../../../common/query/filter-tree.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { readRows } from './engine-database.ts';
import { toFamiliesNowSql } from './outcomes.ts';
import { toFilterSql, type BoundValue } from './filter-sql.ts';
import { toSourceSql, type FilteredRecords } from './resolved-scope.ts';

const MAX_GROUPS = 200;
const MAX_EXAMPLES = 10;
const TREND_BUCKETS = 24;

/** Names of columns: what errors are grouped by, and what the groups hold different ones of. */
interface Grouping {
  readonly key: 'error_pattern' | 'response_code' | 'channel' | 'service';
  readonly text: 'error' | 'error_pattern';
}
const COLUMNS = { responseCode: 'response_code', channel: 'channel', service: 'service' } as const;

type Totals = [recordCount: number, errorCount: number, familyCount: number];
type Part = [
  key: string | number | null,
  channel: number | null,
  service: number | null,
  responseCode: number | null,
  bucket: number | null,
  count: number,
  firstMs: number | null,
  lastMs: number | null,
];
type Affected = [key: Part[0], sessionCount: number, clientCount: number];
type Example = [key: Part[0], text: string, count: number, textCount: number];

/**
 * Groups the errors of a scope by their pattern. Conditions on the family itself don't restrict what is found, so that
 * the other families stay visible.
 */
export async function findErrorFamilies(
  connection: DuckDBConnection,
  records: FilteredRecords,
  period: TimeSpan,
): Promise<ErrorFamilies> {
  const where = toFilterSql(records.filter, records.scope.direction, 'errorFamily');
  const grouping = { key: 'error_pattern', text: 'error' } as const;
  const { groups, familyCount, totals } = await readGroups(
    connection,
    { ...records, where, grouping },
    period,
  );
  return {
    families: groups
      .map(({ key, ...figures }) => ({ pattern: String(key), ...figures }))
      .sort((a, b) => b.count - a.count || (a.pattern < b.pattern ? -1 : 1)),
    familyCount,
    ...totals,
  };
}

/**
 * Adds to conditions on the family what has become of those that they name: one may be part of another one by now, have
 * another name, or be split, and filters that were kept mean that.
 */
export async function resolveFamilies(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  connectionId: string,
): Promise<FilteredRecords> {
  const owner = [connectionId, scope.direction] as const;
  const replaced = new Map<FieldCondition, FieldCondition>();
  for (const condition of listLeaves(filter)) {
    const { field, values = [], anyCase = [] } = condition;
    if (field !== 'errorFamily' || values.length + anyCase.length === 0) continue;
    const parted = { ...condition, values: [...values, ...(await readParted(connection, owner, condition))] };
    const now = await readFamiliesNow(connection, owner, parted);
    replaced.set(condition, { ...parted, values: [...parted.values, ...now] });
  }
  return { scope, filter: mapLeaves(filter, (condition) => replaced.get(condition) ?? condition) };
}

/** Families that were split by a variable until it was undone, where one of their parts is named. */
async function readParted(
  connection: DuckDBConnection,
  owner: readonly [connectionId: string, direction: string],
  { values = [], anyCase = [] }: FieldCondition,
): Promise<string[]> {
  const rows = await readRows<[string]>(
    connection,
    'SELECT changes FROM family_changes WHERE connection_id = $1 AND direction = $2',
    owner,
  );
  const changes = rows.flatMap(([text]) => JSON.parse(text) as FamilyChange[]);
  return changes.flatMap(({ act, isUndone }) => {
    if (isUndone !== true || act.kind !== 'split') return [];
    const shape = toPartShape(act);
    const folded = { start: foldCase(shape.start), end: foldCase(shape.end) };
    const isPart =
      values.some((value) => hasShape(String(value ?? ''), shape)) ||
      anyCase.some((value) => hasShape(foldCase(value), folded));
    return isPart ? [act.family] : [];
  });
}

async function readFamiliesNow(
  connection: DuckDBConnection,
  owner: readonly [connectionId: string, direction: string],
  { values = [], anyCase = [] }: FieldCondition,
): Promise<string[]> {
  const bound: BoundValue[] = [...owner];
  const bind = (value: string): string => `$${bound.push(value)}`;
  const exact = values.map((value) => bind(String(value ?? '')));
  const folded = anyCase.map((value) => bind(foldCase(value)));
  const sql = toFamiliesNowSql(['$1', '$2'], (column) =>
    [
      ...exact.map((value) => `${column} = ${value}`),
      ...folded.map((value) => `fold_case(${column}) = ${value}`),
    ].join(' OR '),
  );
  const rows = await readRows<[string]>(connection, sql, bound);
  return rows.map(([family]) => family);
}

/**
 * Lists the patterns of a connection whose families have another name by now: that of the pattern that they were joined
 * to, or one that a person gave.
 */
export async function listFamilyNames(
  connection: DuckDBConnection,
  connectionId: string,
): Promise<{ pattern: string; family: string; isNamed: boolean }[]> {
  const rows = await readRows<[string, string]>(
    connection,
    `WITH own AS (SELECT * FROM error_families WHERE connection_id = $1),
       names AS (SELECT * FROM family_names WHERE connection_id = $1)
     SELECT DISTINCT pattern, names.family FROM own
       JOIN names ON names.direction = own.direction AND names.name IN (own.pattern, own.family)
     UNION SELECT DISTINCT pattern, family FROM own WHERE pattern <> family`,
    [connectionId],
  );
  const changes = await readRows<[string]>(
    connection,
    'SELECT changes FROM family_changes WHERE connection_id = $1',
    [connectionId],
  );
  const acts = changes.flatMap(([text]) => (JSON.parse(text) as FamilyChange[]).map(({ act }) => act));
  const given = new Set(acts.flatMap((act) => ('name' in act ? [act.name] : [])));
  return rows.map(([pattern, family]) => ({ pattern, family, isNamed: given.has(family) }));
}

/** Groups the errors of a scope by a number. Conditions on that don't restrict what is found either. */
export async function groupErrors(
  connection: DuckDBConnection,
  records: FilteredRecords,
  period: TimeSpan,
  by: ErrorGrouping,
): Promise<ErrorGroups> {
  const where = toFilterSql(records.filter, records.scope.direction, by);
  const grouping = { key: COLUMNS[by], text: 'error_pattern' } as const;
  const { groups, totals } = await readGroups(connection, { ...records, where, grouping }, period);
  return {
    groups: groups
      .map(({ key, ...figures }) => ({ value: key === null ? null : Number(key), ...figures }))
      .sort((a, b) => b.count - a.count || (a.value ?? -Infinity) - (b.value ?? -Infinity))
      .slice(0, MAX_GROUPS),
    groupCount: groups.length,
    ...totals,
  };
}

async function readGroups(
  connection: DuckDBConnection,
  records: Pick<FilteredRecords, 'scope'> & {
    readonly where: ReturnType<typeof toFilterSql>;
    readonly grouping: Grouping;
  },
  period: TimeSpan,
) {
  const { scope, where, grouping } = records;
  const { key, text } = grouping;
  const columns = [
    'error_pattern',
    'error',
    'date_ms',
    'channel',
    'service',
    'response_code',
    'session_id',
    'client',
  ];
  const source = toSourceSql(scope, columns, where);
  const read = <Row extends readonly unknown[]>(sql: string): Promise<Row[]> =>
    readRows<Row>(connection, sql, where.values);
  // Families can be as many as there are errors; of codes, channels and services there are few.
  const listed =
    key === 'error_pattern'
      ? `error_pattern IN (SELECT error_pattern FROM ${source} WHERE error_pattern <> ''
          GROUP BY error_pattern ORDER BY count(*) DESC, error_pattern LIMIT ${MAX_GROUPS})`
      : `error_pattern <> ''`;
  const widthMs = Math.max(1, Math.ceil((period.toMs - period.fromMs) / TREND_BUCKETS));

  const [[recordCount, errorCount, familyCount] = [0, 0, 0]] = await read<Totals>(
    `SELECT count(*), count(*) FILTER (error_pattern <> ''), count(DISTINCT error_pattern) FILTER (error_pattern <> '')
     FROM ${source}`,
  );
  const totals = { errorCount, recordCount };
  if (errorCount === 0) return { groups: [], familyCount, totals };
  // A division is rounded towards zero: what is before the period would be in its first bar.
  const bucket = `CASE WHEN date_ms >= ${period.fromMs} THEN (date_ms - ${period.fromMs}) // ${widthMs} END`;
  const parts = await read<Part>(
    `SELECT ${key} AS key, channel, service, response_code, ${bucket} AS bucket,
       count(*), min(date_ms), max(date_ms)
     FROM ${source} WHERE ${listed} GROUP BY ALL`,
  );
  const affected = await read<Affected>(
    `SELECT ${key} AS key, count(DISTINCT session_id) FILTER (session_id <> ''),
       count(DISTINCT client) FILTER (client <> '')
     FROM ${source} WHERE ${listed} GROUP BY ${key}`,
  );
  const examples = await read<Example>(
    `SELECT key, text, records, texts FROM (
       SELECT ${key} AS key, ${text} AS text, count(*) AS records,
         count(*) OVER (PARTITION BY ${key}) AS texts,
         row_number() OVER (PARTITION BY ${key} ORDER BY count(*) DESC, ${text}) AS place
       FROM ${source} WHERE ${listed} GROUP BY ${key}, ${text}
     ) WHERE place <= ${MAX_EXAMPLES} ORDER BY key, place`,
  );
  const examplesOf = Map.groupBy(examples, ([own]) => own);
  const affectedOf = new Map(
    affected.map(([own, sessionCount, clientCount]) => [own, { sessionCount, clientCount }]),
  );
  const groups = [...Map.groupBy(parts, ([own]) => own)].map(([own, ownParts]) => ({
    key: own,
    ...(affectedOf.get(own) ?? { sessionCount: 0, clientCount: 0 }),
    ...toFigures(ownParts, examplesOf.get(own) ?? []),
  }));
  return { groups, familyCount, totals };
}

function toFigures(
  parts: readonly Part[],
  examples: readonly Example[],
): Omit<ErrorFigures, 'sessionCount' | 'clientCount'> {
  const trend = Array.from({ length: TREND_BUCKETS }, () => 0);
  for (const [, , , , bucket, count] of parts) {
    if (bucket !== null && bucket >= 0 && bucket < TREND_BUCKETS)
      trend[bucket] = (trend[bucket] ?? 0) + count;
  }
  const firsts = parts.flatMap(([, , , , , , firstMs]) => firstMs ?? []);
  const lasts = parts.flatMap(([, , , , , , , lastMs]) => lastMs ?? []);
  return {
    count: parts.reduce((sum, [, , , , , count]) => sum + count, 0),
    firstMs: firsts.length === 0 ? null : firsts.reduce((least, atMs) => Math.min(least, atMs)),
    lastMs: lasts.length === 0 ? null : lasts.reduce((most, atMs) => Math.max(most, atMs)),
    channels: rank(parts, ([, channel]) => channel),
    services: rank(parts, ([, , service]) => service),
    responseCodes: rank(parts, ([, , , responseCode]) => responseCode),
    examples: examples.map(([, text, count]) => ({ text, count })),
    textCount: examples[0]?.[3] ?? 0,
    trend,
  };
}

/** Values that parts have, those of the most records first. */
function rank(parts: readonly Part[], read: (part: Part) => number | null): number[] {
  const counts = new Map<number, number>();
  for (const part of parts) {
    const value = read(part);
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + part[5]);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([value]) => value);
}
