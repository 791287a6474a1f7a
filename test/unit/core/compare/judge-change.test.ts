import { expect, it } from 'vitest';
import type { ComparedSide } from '../../../../src-main/common/model/analysis/comparison.ts';
import { judgeChanges, type Question } from '../../../../src-main/core/compare/compare-handlers.ts';

const SHARE: Question = { measure: 'error-share', quantile: 'median', beforeMs: 1000, afterMs: 1000 };
const NONE = { before: null, after: null };

function makeSide(count: number, failures = 0, medianMs: number | null = null): ComparedSide {
  return {
    count,
    failures,
    failedSessions: failures,
    failedClients: failures,
    timed: count,
    averageMs: medianMs,
    medianMs,
    p95Ms: null,
  };
}
function makePair(before: ComparedSide, after: ComparedSide, intervals: object = NONE, each = 1) {
  const perSession = { failures: each, requests: each };
  return { key: [], before, after, intervals: intervals as typeof NONE, perSession };
}
function judge(before: ComparedSide, after: ComparedSide, question = SHARE, intervals: object = NONE) {
  const all = makePair(before, after, intervals);
  return judgeChanges([all], all, question)[0]!;
}

it.each([
  ['a plain rise is certain', makeSide(302, 6), makeSide(612, 366), 'certain'],
  ['a small one may be chance', makeSide(231, 3), makeSide(214, 4), 'open'],
  ['a group that came has none before', makeSide(0), makeSide(9, 3), 'only-after'],
  ['a group that went has none after', makeSide(9, 3), makeSide(0), 'only-before'],
  ['nothing tells nothing', makeSide(0), makeSide(0), 'too-few'],
] as const)('%s', (_name, before, after, certainty) => {
  expect(judge(before, after).certainty).toBe(certainty);
});

it('brings volumes to the length of the later period', () => {
  const question = { ...SHARE, measure: 'volume' as const, beforeMs: 2000, afterMs: 1000 };
  const { difference, contribution, rate, mix } = judge(makeSide(200), makeSide(160), question);
  expect({ difference, contribution, rate, mix }).toEqual({
    difference: 60,
    contribution: 60,
    rate: null,
    mix: null,
  });
});

it('tells a longer median from chance by the intervals of both', () => {
  const question = { ...SHARE, measure: 'response' as const };
  const [before, after] = [makeSide(100, 0, 238), makeSide(100, 0, 291)];
  const near = { before: { low: 230, high: 250 }, after: { low: 280, high: 300 } };
  expect(judge(before, after, question, near)).toMatchObject({ difference: 53, certainty: 'certain' });
  const wide = { before: { low: 150, high: 330 }, after: { low: 200, high: 390 } };
  expect(judge(before, after, question, wide).certainty).toBe('open');
  expect(judge(before, after, question)).toMatchObject({ difference: 53, certainty: 'too-few' });
});

it('counts the failures of one session together', () => {
  const [before, after] = [makeSide(1000, 5), makeSide(1000, 25)];
  const judgeEach = (each: number) => {
    const all = makePair(before, after, NONE, each);
    return judgeChanges([all], all, SHARE)[0]!;
  };
  expect(judgeEach(1)).toMatchObject({ certainty: 'certain' });
  // The same failures in a few sessions of nine: three of these are hardly more than one.
  expect(judgeEach(9)).toMatchObject({ certainty: 'open' });
  expect(judgeEach(9).interval!.low).toBeLessThanOrEqual(0);
});

it('expects some of forty to look unusual by chance, and says so in words and intervals alike', () => {
  const unusual = makePair(makeSide(300, 3), makeSide(300, 14));
  const usual = makePair(makeSide(300, 5), makeSide(300, 5));
  const [alone] = judgeChanges([unusual], unusual, SHARE);
  expect(alone).toMatchObject({ certainty: 'likely' });
  expect(alone!.interval!.low).toBeGreaterThan(0);
  const [among] = judgeChanges([unusual, ...Array.from({ length: 39 }, () => usual)], unusual, SHARE);
  expect(among).toMatchObject({ certainty: 'open' });
  expect(among!.interval!.low).toBeLessThanOrEqual(0);
});

it.each(['error-share', 'volume', 'response'] as const)(
  'never prints an interval of a %s that says something else than the word beside it',
  (measure) => {
    const question = { ...SHARE, measure };
    for (let more = 0; more < 60; more += 1) {
      const intervals = { before: { low: 200, high: 230 }, after: { low: 200 + more, high: 230 + more } };
      const pair = makePair(makeSide(400, 8, 215), makeSide(400 + 2 * more, 8 + more, 215 + more), intervals);
      const [{ interval, certainty }] = judgeChanges([pair, pair, pair], pair, question) as [never];
      const { low, high } = interval as { low: number; high: number };
      expect([more, low > 0 || high < 0]).toEqual([more, ['certain', 'likely'].includes(certainty)]);
    }
  },
);
