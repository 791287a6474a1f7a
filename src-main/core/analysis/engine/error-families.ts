import type { DuckDBConnection } from '@duckdb/node-api';
import type { ErrorFamilies, ErrorFamily } from '../../../common/model/records/error-family.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { readRows } from './engine-database.ts';
import { toFilterSql } from './filter-sql.ts';
import { toSourceSql, type FilteredRecords } from './resolved-scope.ts';

const MAX_FAMILIES = 200;
const MAX_EXAMPLES = 10;
const TREND_BUCKETS = 24;

type Totals = [recordCount: number, errorCount: number, familyCount: number];
type Part = [
  pattern: string,
  channel: number | null,
  service: number | null,
  responseCode: number | null,
  bucket: number | null,
  count: number,
  firstMs: number | null,
  lastMs: number | null,
];
type Example = [pattern: string, text: string, count: number, textCount: number];

/**
 * Groups the errors of a scope by their pattern. Conditions on the family itself don't restrict what is found, so that
 * the other families stay visible.
 */
export async function findErrorFamilies(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  period: TimeSpan,
): Promise<ErrorFamilies> {
  const where = toFilterSql(filter, scope.direction, 'errorFamily');
  const columns = ['error_pattern', 'error', 'date_ms', 'channel', 'service', 'response_code'];
  const source = toSourceSql(scope, columns, where);
  const read = <Row extends readonly unknown[]>(sql: string): Promise<Row[]> =>
    readRows<Row>(connection, sql, where.values);
  const listed = `error_pattern IN (SELECT error_pattern FROM ${source} WHERE error_pattern <> ''
    GROUP BY error_pattern ORDER BY count(*) DESC, error_pattern LIMIT ${MAX_FAMILIES})`;
  const widthMs = Math.max(1, Math.ceil((period.toMs - period.fromMs) / TREND_BUCKETS));

  const [[recordCount, errorCount, familyCount] = [0, 0, 0]] = await read<Totals>(
    `SELECT count(*), count(*) FILTER (error_pattern <> ''), count(DISTINCT error_pattern) FILTER (error_pattern <> '')
     FROM ${source}`,
  );
  if (errorCount === 0) return { families: [], familyCount, errorCount, recordCount };
  const parts = await read<Part>(
    `SELECT error_pattern, channel, service, response_code, (date_ms - ${period.fromMs}) // ${widthMs} AS bucket,
       count(*), min(date_ms), max(date_ms)
     FROM ${source} WHERE ${listed} GROUP BY ALL`,
  );
  const examples = await read<Example>(
    `SELECT error_pattern, error, records, texts FROM (
       SELECT error_pattern, error, count(*) AS records,
         count(*) OVER (PARTITION BY error_pattern) AS texts,
         row_number() OVER (PARTITION BY error_pattern ORDER BY count(*) DESC, error) AS place
       FROM ${source} WHERE ${listed} GROUP BY error_pattern, error
     ) WHERE place <= ${MAX_EXAMPLES} ORDER BY error_pattern, place`,
  );
  const examplesOf = Map.groupBy(examples, ([pattern]) => pattern);
  const families = [...Map.groupBy(parts, ([pattern]) => pattern)]
    .map(([pattern, own]) => toFamily(pattern, own, examplesOf.get(pattern) ?? []))
    .sort((a, b) => b.count - a.count || (a.pattern < b.pattern ? -1 : 1));
  return { families, familyCount, errorCount, recordCount };
}

function toFamily(pattern: string, parts: readonly Part[], examples: readonly Example[]): ErrorFamily {
  const trend = Array.from({ length: TREND_BUCKETS }, () => 0);
  for (const [, , , , bucket, count] of parts) {
    if (bucket !== null && bucket >= 0 && bucket < TREND_BUCKETS)
      trend[bucket] = (trend[bucket] ?? 0) + count;
  }
  const firsts = parts.flatMap(([, , , , , , firstMs]) => firstMs ?? []);
  const lasts = parts.flatMap(([, , , , , , , lastMs]) => lastMs ?? []);
  return {
    pattern,
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
