import type { DuckDBConnection } from '@duckdb/node-api';
import type { FoundSign, WatchedDeprecation } from '../../../common/model/analysis/deprecation-match.ts';
import type { FieldCondition } from '../../../common/model/records/record-filter.ts';
import { SEARCHED_FIELDS } from '../../../common/model/records/record-filter.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import { readRows } from './engine-database.ts';
import { findColumn } from './engine-tables.ts';
import { NO_CONDITION, toFilterSql, type BoundValue } from './filter-sql.ts';
import { toSourceSql, type ResolvedScope } from './resolved-scope.ts';

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
