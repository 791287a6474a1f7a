import type { DifferenceReason, DifferingGroup } from '../../common/model/analysis/comparison.ts';
import type { SummaryGroup } from '../../common/model/records/histogram.ts';

const AVERAGES = ['averageResponseTimeMs', 'averageBotLatencyMs'] as const;
type AverageName = (typeof AVERAGES)[number];
type Averages = Readonly<Record<AverageName, number>>;
type Figure = DifferingGroup['figures'][number];
type Reason = DifferingGroup['reasons'][number];

/** A group computed from cached records, with how many of them may be counted otherwise by the service. */
export interface ReconcilableGroup {
  readonly channel: number | null;
  readonly service: number | null;
  readonly origin: string | null;
  readonly responseCode: number | null;
  readonly count: number;
  readonly averageResponseTimeMs: number | null;
  readonly averageBotLatencyMs: number | null;
  /** Records without the figure. */
  readonly untimed: Averages;
  readonly firstSecond: number;
  readonly lastSecond: number;
  /** Dated after the summary was fetched. */
  readonly later: number;
  readonly undated: number;
}

/** What is known about the whole period and may make any group differ. */
export interface Circumstances {
  readonly hasGaps: boolean;
  /** The records were fetched before the summary was, and late ones may have come in between. */
  readonly isFetchedEarlier: boolean;
  /** The summary was fetched when late records could still come. */
  readonly isUnsettled: boolean;
  readonly setAside: number;
  /** Cached records of the period have values that could not be read. */
  readonly hasUnreadValues: boolean;
}

/** Joins what a service reports of one group in several pieces; averages are weighted by the counts (decision 32). */
interface ReportedGroup extends Pick<SummaryGroup, 'channel' | 'service' | 'origin' | 'responseCode'> {
  readonly count: number;
  readonly averageResponseTimeMs: number | null;
  readonly averageBotLatencyMs: number | null;
  readonly pieces: number;
  readonly hasUnread: boolean;
}

/** A group of which figures differ, as either side has it; null where that one lacks it. */
interface ComparedGroup {
  readonly one: ReportedGroup | null;
  readonly other: ReconcilableGroup | null;
  readonly figures: readonly Figure[];
}

/**
 * Returns how far averages may differ and still be equal: a step of the last decimal that the service gives, since it
 * may round or cut. In milliseconds.
 */
export function toTolerances(reported: readonly SummaryGroup[]): Averages {
  const toStep = (name: AverageName): number =>
    10 ** -reported.reduce((most, group) => Math.max(most, countDecimals(group[name])), 0);
  return {
    averageResponseTimeMs: toStep('averageResponseTimeMs'),
    averageBotLatencyMs: toStep('averageBotLatencyMs'),
  };
}

/** Thousandths of a millisecond: what a service gives beyond them is its arithmetic. */
const MAX_DECIMALS = 3;

function countDecimals(value: number | null): number {
  const text = value === null ? '' : String(value);
  const decimals = text.includes('e') ? MAX_DECIMALS : (text.split('.')[1]?.length ?? 0);
  return Math.min(MAX_DECIMALS, decimals);
}

/** Returns the groups of which a count or an average differs, the largest difference of counts first, and all groups. */
export function findDifferences(
  reported: readonly SummaryGroup[],
  computed: readonly ReconcilableGroup[],
  circumstances: Circumstances,
): { readonly differences: readonly DifferingGroup[]; readonly groupCount: number } {
  const tolerances = toTolerances(reported);
  const left = new Map([...Map.groupBy(reported, toKey)].map(([key, pieces]) => [key, joinPieces(pieces)]));
  const right = new Map(computed.map((group) => [toKey(group), group]));
  const keys = new Set([...left.keys(), ...right.keys()]);
  const differences: DifferingGroup[] = [];
  for (const key of keys) {
    const [one, other] = [left.get(key) ?? null, right.get(key) ?? null];
    const group = one ?? other;
    const figures = compareFigures(one, other, tolerances);
    if (group === null || figures.length === 0) continue;
    const { channel, service, origin, responseCode } = group;
    differences.push({
      channel,
      service,
      origin,
      responseCode,
      figures,
      ...explain({ one, other, figures }, circumstances, tolerances),
    });
  }
  const sizeOf = (group: DifferingGroup): number => Math.abs(toCountDifference(group.figures));
  return { differences: differences.sort((a, b) => sizeOf(b) - sizeOf(a)), groupCount: keys.size };
}

function toKey(group: Pick<SummaryGroup, 'channel' | 'service' | 'origin' | 'responseCode'>): string {
  return JSON.stringify([group.channel, group.service, group.origin ?? '', group.responseCode]);
}

function joinPieces(pieces: readonly SummaryGroup[]): ReportedGroup {
  const [first] = pieces as readonly [SummaryGroup];
  const average = (name: AverageName): number | null => {
    const known = pieces.filter((piece) => piece[name] !== null);
    const weight = known.reduce((sum, { count }) => sum + count, 0);
    if (known.length === 1 || weight === 0) return known[0]?.[name] ?? null;
    return known.reduce((sum, piece) => sum + (piece[name] ?? 0) * piece.count, 0) / weight;
  };
  return {
    channel: first.channel,
    service: first.service,
    origin: first.origin,
    responseCode: first.responseCode,
    count: pieces.reduce((sum, { count }) => sum + count, 0),
    averageResponseTimeMs: average('averageResponseTimeMs'),
    averageBotLatencyMs: average('averageBotLatencyMs'),
    pieces: pieces.length,
    hasUnread: pieces.some(({ extra, responseCode }) => extra !== undefined || responseCode === null),
  };
}

function compareFigures(
  one: ReportedGroup | null,
  other: ReconcilableGroup | null,
  tolerances: Averages,
): Figure[] {
  const figures: Figure[] = [];
  const [reported, computed] = [one?.count ?? 0, other?.count ?? 0];
  if (reported !== computed) figures.push({ name: 'count', reported, computed });
  // Of a group that one side lacks, the counts say everything.
  if (one === null || other === null) return figures;
  for (const name of AVERAGES) {
    if (!isSame(one[name], other[name], tolerances[name]))
      figures.push({ name, reported: one[name], computed: other[name] });
  }
  return figures;
}

/** A service gives 0 where no request of a group was timed. */
function isSame(reported: number | null, computed: number | null, tolerance: number): boolean {
  if (reported === null || computed === null) return (reported ?? 0) === 0 && (computed ?? 0) === 0;
  return Math.abs(reported - computed) <= tolerance + 1e-9 * Math.abs(reported);
}

function toCountDifference(figures: readonly Figure[]): number {
  const count = figures.find(({ name }) => name === 'count');
  return (count?.computed ?? 0) - (count?.reported ?? 0);
}

function explain(
  { one, other, figures }: ComparedGroup,
  circumstances: Circumstances,
  tolerances: Averages,
): Pick<DifferingGroup, 'reasons' | 'isExplained'> {
  const difference = toCountDifference(figures);
  const joined: Reason[] =
    one !== null && one.pieces > 1 ? [{ code: 'reported-twice', count: one.pieces }] : [];
  const unread: Reason[] =
    one?.hasUnread === true || circumstances.hasUnreadValues ? [{ code: 'unread-values', count: null }] : [];
  if (difference > 0) {
    const counted = listCounted(other);
    const exact = findExact(counted, difference);
    if (exact !== null) return { reasons: exact, isExplained: true };
    return {
      reasons: [...counted, ...listTimes(circumstances, 'not-settled'), ...joined, ...unread],
      isExplained: false,
    };
  }
  if (difference < 0) {
    const gaps: Reason[] = circumstances.hasGaps ? [{ code: 'gaps', count: null }] : [];
    const { setAside } = circumstances;
    const aside: Reason[] = setAside > 0 ? [{ code: 'set-aside', count: setAside }] : [];
    const times = listTimes(circumstances, 'fetched-earlier');
    return { reasons: [...gaps, ...times, ...aside, ...joined, ...unread], isExplained: false };
  }
  const untimed = figures.flatMap((figure) => listUntimed(figure, other, tolerances));
  const isExplained = untimed.length > 0 && untimed.every(({ isExact }) => isExact);
  const reasons = untimed.map(({ count }): Reason => ({ code: 'untimed', count }));
  return { reasons: isExplained ? reasons : [...reasons, ...joined, ...unread], isExplained };
}

function listCounted(other: ReconcilableGroup | null): Reason[] {
  const counts: readonly (readonly [DifferenceReason, number])[] = [
    ['later-records', other?.later ?? 0],
    ['last-second', other?.lastSecond ?? 0],
    ['first-second', other?.firstSecond ?? 0],
    ['undated', other?.undated ?? 0],
  ];
  return counts.flatMap(([code, count]) => (count > 0 ? [{ code, count }] : []));
}

/** One reason that makes up the difference, or all together. */
function findExact(reasons: readonly Reason[], difference: number): Reason[] | null {
  const single = reasons.find(({ count }) => count === difference);
  if (single !== undefined) return [single];
  const sum = reasons.reduce((total, { count }) => total + (count ?? 0), 0);
  return sum === difference ? [...reasons] : null;
}

function listTimes(
  { isFetchedEarlier, isUnsettled }: Circumstances,
  code: 'not-settled' | 'fetched-earlier',
): Reason[] {
  const applies = code === 'not-settled' ? isUnsettled && !isFetchedEarlier : isFetchedEarlier;
  return applies ? [{ code, count: null }] : [];
}

/** A service that counts a missing figure as 0 gives an average that is smaller by their share. */
function listUntimed(
  { name, reported }: Figure,
  other: ReconcilableGroup | null,
  tolerances: Averages,
): { readonly count: number; readonly isExact: boolean }[] {
  if (name === 'count' || other === null || other.untimed[name] === 0) return [];
  const count = other.untimed[name];
  const diluted = ((other[name] ?? 0) * (other.count - count)) / other.count;
  return [{ count, isExact: isSame(reported, diluted, tolerances[name]) }];
}
