import type { DuckDBConnection } from '@duckdb/node-api';
import type { OutcomeAdvice, OutcomePreview } from '../../../common/model/analysis/outcome-suggestion.ts';
import { OUTCOMES, type OutcomeRules } from '../../../common/reporting/outcome.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import { DAY_MS } from '../../../common/time/durations.ts';
import {
  listUnclear,
  suggestRules,
  withSuggestions,
  type CodeFigures,
  type CodeSurvey,
  type SampledRecord,
} from '../outcomes/suggest-rules.ts';
import { readRows } from './engine-database.ts';
import { OUTCOME_COLUMN } from './engine-tables.ts';
import { toOutcomeSql } from './outcomes.ts';
import { NO_CONDITION } from './filter-sql.ts';
import { toSourceSql, type ResolvedScope } from './resolved-scope.ts';

/** Codes and families that are looked at, and records whose bodies are read. */
const MAX_CODES = 200;
const MAX_CELLS = 5_000;
const MAX_SAMPLED = 20_000;
/** So few records of a code are all read. */
const FEW = 1_000;

interface Owner {
  readonly connectionId: string;
  readonly direction: Direction;
}

/** Counts the outcomes of records by some rules, and as they are. */
export async function previewOutcomes(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  owner: Owner,
  rules: OutcomeRules,
): Promise<OutcomePreview> {
  const columns = [`${toOutcomeSql(rules, owner)} AS decided`, OUTCOME_COLUMN.name];
  const rows = await readRows<[string, string, number]>(
    connection,
    `SELECT decided::VARCHAR, outcome::VARCHAR, count(*) FROM ${toSourceSql(scope, columns, NO_CONDITION)} GROUP BY ALL`,
  );
  const countBy = (place: 0 | 1): number[] =>
    OUTCOMES.map((outcome) => rows.reduce((sum, row) => sum + (row[place] === outcome ? row[2] : 0), 0));
  return {
    recordCount: rows.reduce((sum, [, , count]) => sum + count, 0),
    counts: countBy(0),
    countsNow: countBy(1),
  };
}

/** What the records say about the rules in use. */
export async function adviseOutcomes(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  owner: Owner,
  rules: OutcomeRules,
): Promise<OutcomeAdvice> {
  const survey = await readSurvey(connection, scope, owner, rules);
  const { recordCount, counts } = await previewOutcomes(connection, scope, owner, rules);
  const suggestions = recordCount === 0 ? [] : suggestRules(survey, rules);
  return {
    recordCount,
    counts,
    suggestions,
    unclear: listUnclear(survey, suggestions).slice(0, MAX_CODES),
    accepted: withSuggestions(rules, suggestions),
  };
}

type Cell = [
  code: number | null,
  family: string,
  count: number,
  withoutResponse: number | null,
  unknown: number,
  text: string,
  isSingle: boolean,
];

async function readSurvey(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  owner: Owner,
  rules: OutcomeRules,
): Promise<CodeSurvey> {
  const hasResponse = owner.direction === 'outbound';
  const unknown = `${toOutcomeSql(rules, owner)} = 'unknown'::outcome`;
  const empty = hasResponse ? "coalesce(response, '') = ''" : 'NULL::BOOLEAN';
  const columns = [
    'response_code',
    "coalesce(error_pattern, '') AS family",
    'error',
    `${empty} AS is_empty`,
    `${unknown} AS is_unknown`,
  ];
  const cells = await readRows<Cell>(
    connection,
    `SELECT response_code, family, count(*) AS records, ${hasResponse ? 'count(*) FILTER (is_empty)' : 'NULL'},
       count(*) FILTER (is_unknown), coalesce(min(error), ''), coalesce(min(error) = max(error), true)
     FROM ${toSourceSql(scope, columns, NO_CONDITION)} GROUP BY response_code, family
     ORDER BY family = '' DESC, records DESC LIMIT ${MAX_CELLS}`,
  );
  const times = await readRows<[number | null, number | null, number]>(
    connection,
    `SELECT response_code, approx_quantile(response_time_ms, 0.5), count(*) AS records
     FROM ${toSourceSql(scope, ['response_code', 'response_time_ms'], NO_CONDITION)}
     GROUP BY response_code ORDER BY records DESC LIMIT ${MAX_CODES}`,
  );
  const days = await readRows<[number | null, number, number]>(
    connection,
    `SELECT response_code, date_ms // ${DAY_MS} AS day, count(*) FROM ${toSourceSql(scope, ['response_code', 'date_ms'], NO_CONDITION)}
     WHERE date_ms IS NOT NULL GROUP BY ALL`,
  );
  const dayNumbers = [...new Set(days.map(([, day]) => day))].sort((a, b) => a - b);
  const dayPlaces = new Map(dayNumbers.map((day, place) => [day, place]));
  const byDay = dayNumbers.map(() => 0);
  const byCode = new Map<number | null, number[]>();
  for (const [code, day, count] of days) {
    const place = dayPlaces.get(day) ?? 0;
    byDay[place] = (byDay[place] ?? 0) + count;
    const own = byCode.get(code) ?? dayNumbers.map(() => 0);
    own[place] = (own[place] ?? 0) + count;
    byCode.set(code, own);
  }
  const cellsOf = Map.groupBy(cells, ([code]) => code);
  const codes = times.map(([code, medianMs, count]): CodeFigures => {
    const own = cellsOf.get(code) ?? [];
    const errors = own.filter(([, family]) => family !== '');
    const top = errors.toSorted((a, b) => b[2] - a[2])[0];
    return {
      code,
      count,
      withError: errors.reduce((sum, [, , records]) => sum + records, 0),
      topFamily: top?.[1] ?? '',
      topFamilyCount: top?.[2] ?? 0,
      example: top?.[5] ?? '',
      withoutResponse: hasResponse ? own.reduce((sum, cell) => sum + (cell[3] ?? 0), 0) : null,
      unknown: own.reduce((sum, cell) => sum + cell[4], 0),
      medianMs,
      byDay: byCode.get(code) ?? dayNumbers.map(() => 0),
    };
  });
  const families = [
    ...Map.groupBy(
      cells.filter(([, family]) => family !== ''),
      ([, family]) => family,
    ),
  ]
    .map(([family, own]) => {
      const texts = new Set(own.map((cell) => (cell[6] ? cell[5] : null)));
      return {
        family,
        text: texts.size === 1 ? ([...texts][0] ?? null) : null,
        count: own.reduce((sum, [, , records]) => sum + records, 0),
      };
    })
    .sort((a, b) => b.count - a.count);
  const recordCount = codes.reduce((sum, { count }) => sum + count, 0);
  return { recordCount, codes, byDay, families, samples: await readSamples(connection, scope, owner, codes) };
}

/** Bodies of all records of rare codes, and of a part of the others that is spread over all of them. */
async function readSamples(
  connection: DuckDBConnection,
  scope: ResolvedScope,
  { direction }: Owner,
  codes: readonly CodeFigures[],
): Promise<SampledRecord[]> {
  const all = codes.reduce((sum, { count }) => sum + count, 0);
  const every = Math.max(1, Math.ceil(all / MAX_SAMPLED));
  const rare = codes.filter(({ count }) => count <= FEW).map(({ code }) => code);
  const known = rare.filter((code) => code !== null);
  const ofRare = [
    ...(known.length === 0 ? [] : [`response_code IN (${known.join(', ')})`]),
    ...(rare.includes(null) ? ['response_code IS NULL'] : []),
  ];
  const isSampled = [`hash(record_id) % ${every} = 0`, ...ofRare].join(' OR ');
  const response = direction === 'outbound' ? "coalesce(response, '')" : "''";
  const columns = [
    'response_code',
    "coalesce(error, '') <> '' AS has_error",
    "coalesce(payload, '') AS body",
    `${response} AS answer`,
  ];
  const rows = await readRows<[number | null, boolean, string, string]>(
    connection,
    `SELECT response_code, has_error, left(body, 20001), left(answer, 20001)
     FROM ${toSourceSql(scope, columns, { sql: `(${isSampled})`, values: [] })} LIMIT ${MAX_SAMPLED * 2}`,
  );
  return rows.map(([code, hasError, payload, answer]) => ({ code, hasError, payload, response: answer }));
}
