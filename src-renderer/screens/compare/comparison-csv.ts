import type { ComparedGroup, Comparison } from '../../../src-main/common/model/analysis/comparison.ts';
import type { GroupField } from '../../../src-main/common/model/analysis/grouping.ts';
import { toCsv } from '../../format/table-text.ts';
import type { SideCaches } from './cached-sides.ts';

const COLUMNS = [
  'count',
  'failures',
  'failedSessions',
  'failedClients',
  'timed',
  'averageMs',
  'medianMs',
  'p95Ms',
] as const;
const FIGURES = ['difference', 'contribution', 'rate', 'mix'] as const;

/** Returns a comparison as CSV: groups, then their parts, then all together, with every figure as it was computed. */
export function toComparisonCsv(
  { total, groups, parts }: Comparison,
  fields: readonly GroupField[],
  cached: SideCaches,
): string {
  const head = [
    ...fields,
    ...['before', 'after'].flatMap((side) => COLUMNS.map((name) => `${side}.${name}`)),
    ...['difference', 'low', 'high', 'certainty', 'contribution', 'rate', 'mix'],
  ];
  const columns = head.map((name) => ({ name, kind: 'text' }));
  return toCsv(
    columns,
    [...groups, ...parts, total].map((group) => toCells(group, fields, cached)),
  );
}

function toCells(
  group: ComparedGroup,
  fields: readonly GroupField[],
  cached: SideCaches,
): (string | number | null)[] {
  const { interval, certainty } = group;
  const isKnown = cached.before !== 'none' && cached.after !== 'none';
  const [difference, ...rest] = FIGURES.map((name) => group[name]);
  return [
    ...fields.map((_, place) => group.key[place] ?? null),
    ...(['before', 'after'] as const).flatMap((side) =>
      COLUMNS.map((name) => (cached[side] === 'none' ? null : group[side][name])),
    ),
    ...[difference ?? null, interval?.low ?? null, interval?.high ?? null, isKnown ? certainty : null],
    ...rest,
  ];
}
