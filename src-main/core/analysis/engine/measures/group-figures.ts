import { MAX_GROUPS, type GroupValue, type Latency } from '../../../../common/model/analysis/grouping.ts';
import type { Outcome } from '../../../../common/reporting/outcome.ts';
import { SHOWN_CLASS_SQL } from '../engine-tables.ts';
import { joinKeys } from './times-sql.ts';

type Counts = readonly [count: number, fine: number, redirected: number, faulty: number, broken: number];
type Outcomes = readonly [failed: number, expected: number, unknown: number];
/** What is counted of a group, as FIGURE_COLUMNS say. */
export type Figures = readonly [
  ...counts: Counts,
  ...outcomes: Outcomes,
  firstMs: number | null,
  lastMs: number | null,
];

/** A group as it is the same however its times were measured. */
export interface ReadGroup {
  readonly figures: Figures;
  readonly response: Latency;
  readonly botLatency: Latency;
  readonly key: readonly GroupValue[];
}

/** Groups, all records together (undefined of none), and how many groups there are. */
export interface ReadGroups {
  readonly total: ReadGroup | undefined;
  readonly groups: readonly ReadGroup[];
  readonly groupCount: number;
}

/** Columns of counts that add up; the last class is what the others leave. */
const CLASSES = ['fine', 'redirected', 'faulty', 'broken'] as const;
/** Outcomes that are counted; the rest of the records are fine. */
const COUNTED_OUTCOMES = ['failed', 'expected', 'unknown'] as const satisfies readonly Outcome[];
/** The columns that Figures are read from: counts, and the first and the last date. */
export const FIGURE_COLUMNS = ['records', ...CLASSES, ...COUNTED_OUTCOMES, 'first_ms', 'last_ms'];
/** The figures of a group from its counts by response code and outcome. */
const FIGURES_SQL = [
  'sum(records)::BIGINT AS records',
  ...CLASSES.map(
    (name, place) =>
      `coalesce(sum(records) FILTER (${SHOWN_CLASS_SQL[place] ?? 'false'}), 0)::BIGINT AS ${name}`,
  ),
  ...COUNTED_OUTCOMES.map(
    (outcome) => `coalesce(sum(records) FILTER (outcome = '${outcome}'::outcome), 0)::BIGINT AS ${outcome}`,
  ),
  'min(first_ms) AS first_ms',
  'max(last_ms) AS last_ms',
].join(', ');
const FIGURES = FIGURE_COLUMNS.map((name) => `figures.${name}`);

/** What tables of the same keys say of the times of groups, in columns of a statement. */
export interface TimesTables {
  readonly columns: readonly string[];
  /** Statements by the name of the table. */
  toSql(keys: readonly string[]): Readonly<Record<string, string>>;
}

/**
 * A statement with the figures in `code_cells` of the largest groups, or of all of them together where there are no keys;
 * then what other tables say of their times, the number of groups, and the keys.
 */
export function toGroupsSql(keys: readonly string[], { columns, toSql }: TimesTables): string {
  const joins = Object.entries(toSql(keys)).map(
    ([name, sql]) =>
      `LEFT JOIN (${sql}) ${name} ON ${keys.length === 0 ? 'true' : joinKeys(keys, 'figures', name)}`,
  );
  const order = ['records DESC', ...keys.map((key) => `${key} NULLS FIRST`)].join(', ');
  const selected = [...FIGURES, ...columns, 'count(*) OVER ()', ...keys.map((key) => `figures.${key}`)];
  return `SELECT ${selected.join(', ')}
    FROM (SELECT ${[...keys, FIGURES_SQL].join(', ')} FROM code_cells ${toGroupBy(keys)}) figures
    ${joins.join(' ')}
    ORDER BY ${order} LIMIT ${MAX_GROUPS}`;
}

/** The clause that groups by keys; empty where there are none. */
export function toGroupBy(keys: readonly string[]): string {
  return keys.length === 0 ? '' : `GROUP BY ${keys.join(', ')}`;
}
