import { ROLLUP_TIERS_MS, splitPeriod } from '../store/split-period.ts';

/** A period has whole rollups of each size on both sides of its largest ones. */
const MAX_WHOLE_PARTS = 2 * ROLLUP_TIERS_MS.length - 1;
const NO_PART = { tierMs: 0, fromMs: 0, toMs: 0 };

/** A period as values of a statement. Each part is a value of its own, so that the database plans a range for each. */
export interface PeriodValues {
  /** Size, first start and end of MAX_WHOLE_PARTS parts; those that aren't needed are empty. */
  readonly rollups: readonly number[];
  /** Start and end of the single records at both edges; empty where there are none. */
  readonly edges: readonly [fromMs: number, toMs: number, fromMs: number, toMs: number];
}

/** Splits [fromMs, toMs), in milliseconds since 1970, into the values of a statement. */
export function toPeriodValues(fromMs: number, toMs: number): PeriodValues {
  const parts = splitPeriod(fromMs, toMs);
  const whole = parts.filter(({ tierMs }) => tierMs > 0);
  const [first = NO_PART, second = NO_PART] = parts.filter(({ tierMs }) => tierMs === 0);
  const rollups = Array.from({ length: MAX_WHOLE_PARTS }, (_, place) => whole[place] ?? NO_PART);
  return {
    rollups: rollups.flatMap((part) => [part.tierMs, part.fromMs, part.toMs]),
    edges: [first.fromMs, first.toMs, second.fromMs, second.toMs],
  };
}

/** Rows of `table` in the whole parts of a period, whose values begin at `$2`; the tenant is `$1`. */
export function selectParts(table: 'rollup' | 'record_count', columns: string, direction: number): string {
  const select = (place: number): string => {
    const [tier, from, to] = [2, 3, 4].map((value) => `$${value + 3 * place}`);
    return `SELECT ${columns} FROM ${table}
WHERE tenant = $1 AND direction = ${direction} AND tier_ms = ${tier} AND start_ms >= ${from} AND start_ms < ${to}`;
  };
  return Array.from({ length: MAX_WHOLE_PARTS }, (_, place) => select(place)).join('\nUNION ALL\n');
}

/** The first value of a statement behind those of `selectParts`. */
export const VALUES_AFTER_PARTS = 2 + 3 * MAX_WHOLE_PARTS;
