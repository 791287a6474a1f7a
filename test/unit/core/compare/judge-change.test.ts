import { expect, it } from 'vitest';
import type { ComparedSide } from '../../../../src-main/common/model/analysis/comparison.ts';
import { judgeChange, type Question } from '../../../../src-main/core/compare/judge-change.ts';

const SHARE: Question = { measure: 'error-share', quantile: 'median', beforeMs: 1000, afterMs: 1000 };
const NONE = { before: null, after: null };

function makeSide(count: number, failures = 0, medianMs: number | null = null): ComparedSide {
  return { count, failures, timed: count, averageMs: medianMs, medianMs, p95Ms: null };
}
function judge(before: ComparedSide, after: ComparedSide, question = SHARE, intervals: object = NONE) {
  const all = { key: [], before, after, intervals: intervals as typeof NONE };
  return judgeChange(all, all, question);
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
