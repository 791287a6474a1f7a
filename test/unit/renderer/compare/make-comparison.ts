import type {
  ComparedGroup,
  ComparedSide,
  Comparison,
} from '../../../../src-main/common/model/analysis/comparison.ts';

function makeSide(count: number, failures: number): ComparedSide {
  return {
    count,
    failures,
    failedSessions: Math.ceil(failures / 2),
    failedClients: Math.ceil(failures / 3),
    timed: count,
    averageMs: 300,
    medianMs: 238,
    p95Ms: 1688,
  };
}

/** A group by its value, its requests and failures before and after, and its part in the change. */
export function makeGroup(
  key: ComparedGroup['key'],
  [countBefore, failuresBefore, countAfter, failuresAfter]: readonly [number, number, number, number],
  change: Partial<ComparedGroup> = {},
): ComparedGroup {
  const [before, after] = [makeSide(countBefore, failuresBefore), makeSide(countAfter, failuresAfter)];
  const difference = failuresAfter / countAfter - failuresBefore / countBefore;
  return {
    key,
    before,
    after,
    difference,
    interval: { low: difference - 0.02, high: difference + 0.02 },
    certainty: 'certain',
    contribution: difference,
    rate: difference,
    mix: 0,
    ...change,
  };
}

/** Service 7 fails more and makes up nearly all of the change; service 5 hardly any. */
export function makeComparison(change: Partial<Comparison> = {}): Comparison {
  return {
    total: makeGroup([], [1402, 36, 1687, 395], { contribution: 0.2083, rate: 0.2094, mix: -0.0011 }),
    groups: [
      makeGroup([7], [302, 6, 612, 366], { contribution: 0.2094, rate: 0.2105, mix: -0.0011 }),
      makeGroup([5], [1100, 30, 1075, 29], {
        contribution: -0.0011,
        rate: -0.0011,
        mix: 0,
        certainty: 'open',
      }),
    ],
    parts: [
      makeGroup([7, 3], [196, 4, 548, 358], { contribution: 0.2051 }),
      makeGroup([7, 1], [106, 2, 64, 8], { contribution: 0.0043 }),
      makeGroup([5, 3], [6, 1, 1075, 29], { contribution: -0.0011 }),
    ],
    unlistedCount: 0,
    ...change,
  };
}
