import type { ComparedGroup, Comparison } from '../../../src-main/common/model/analysis/comparison.ts';
import type { GroupField } from '../../../src-main/common/model/analysis/grouping.ts';
import { toCsv } from '../../format/table-text.ts';
import type { SideCaches } from './cached-sides.ts';
import type { SideNames } from './compare-words.ts';

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
  names: SideNames,
): string {
  const titles = toTitles(names);
  const head = [
    ...fields,
    ...(['before', 'after'] as const).flatMap((side) => COLUMNS.map((name) => `${titles[side]}.${name}`)),
    ...['difference', 'low', 'high', 'certainty', 'contribution', 'rate', 'mix'],
  ];
  const columns = head.map((name) => ({ name, kind: 'text' }));
  return toCsv(
    columns,
    [...groups, ...parts, total].map((group) => toCells(group, fields, cached, titles)),
  );
}

type Titles = Readonly<Record<'before' | 'after', string>>;

/** What the columns of each side begin with: two connections of one name are told apart by a number. */
function toTitles({ kind, before, after }: SideNames): Titles {
  if (kind === 'periods') return { before: 'before', after: 'after' };
  return before === after ? { before: `${before} 1`, after: `${after} 2` } : { before, after };
}

function nameCertainty(certainty: ComparedGroup['certainty'], titles: Titles): string {
  if (certainty === 'only-before') return `only-${titles.before}`;
  return certainty === 'only-after' ? `only-${titles.after}` : certainty;
}

function toCells(
  group: ComparedGroup,
  fields: readonly GroupField[],
  cached: SideCaches,
  titles: Titles,
): (string | number | null)[] {
  const { interval, certainty } = group;
  const isKnown = cached.before !== 'none' && cached.after !== 'none';
  const [difference, ...rest] = FIGURES.map((name) => group[name]);
  return [
    ...fields.map((_, place) => group.key[place] ?? null),
    ...(['before', 'after'] as const).flatMap((side) =>
      COLUMNS.map((name) => (cached[side] === 'none' ? null : group[side][name])),
    ),
    ...[
      difference ?? null,
      interval?.low ?? null,
      interval?.high ?? null,
      isKnown ? nameCertainty(certainty, titles) : null,
    ],
    ...rest,
  ];
}
