import { describe, expect, it } from 'vitest';
import {
  isOutside,
  subtractIntervals,
  toCountDifferenceInterval,
  toDeviations,
  toNewcombeInterval,
  toQuantileRanks,
  toWilsonInterval,
} from '../../../../src-main/common/statistics.ts';

describe('the normal distribution', () => {
  it.each([
    [0.5, 0.6744898],
    [0.8, 1.2815516],
    [0.9, 1.6448536],
    [0.95, 1.959964],
    [0.99, 2.5758293],
    [0.999, 3.2905267],
  ])('holds %f within %f deviations', (level, deviations) => {
    expect(toDeviations(level)).toBeCloseTo(deviations, 6);
  });
});

/** Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I. */
describe("Wilson's interval", () => {
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('is as published for %i of %i', (part, whole, low, high) => {
    const interval = toWilsonInterval({ part, whole });
    expect(interval?.low).toBeCloseTo(low, 4);
    expect(interval?.high).toBeCloseTo(high, 4);
  });

  it('is absent without a whole, and ends exactly at nothing and at everything', () => {
    expect(toWilsonInterval({ part: 0, whole: 0 })).toBeNull();
    expect(toWilsonInterval({ part: 0, whole: 7 })?.low).toBe(0);
    expect(toWilsonInterval({ part: 7, whole: 7 })?.high).toBe(1);
  });
});

/** Newcombe, "Interval estimation for the difference between independent proportions", same volume, table II. */
describe("Newcombe's interval", () => {
  it.each([
    [48, 80, 56, 70, 0.0524, 0.3339],
    [3, 10, 9, 10, 0.1705, 0.809],
    [2, 7, 6, 7, 0.0582, 0.8062],
    [0, 29, 5, 56, -0.0381, 0.1926],
    [0, 20, 0, 10, -0.1611, 0.2775],
    [0, 10, 0, 10, -0.2775, 0.2775],
    [0, 20, 10, 10, 0.6791, 1],
    [0, 10, 10, 10, 0.6075, 1],
  ])('is as published from %i of %i to %i of %i', (part, whole, laterPart, laterWhole, low, high) => {
    const interval = toNewcombeInterval({ part, whole }, { part: laterPart, whole: laterWhole });
    expect(interval?.low).toBeCloseTo(low, 4);
    expect(interval?.high).toBeCloseTo(high, 4);
  });

  it('turns around when the two are swapped, and widens with the level', () => {
    const before = { part: 12, whole: 340 };
    const after = { part: 30, whole: 410 };
    const forth = toNewcombeInterval(before, after);
    const back = toNewcombeInterval(after, before);
    expect(forth?.low).toBeCloseTo(-(back?.high ?? NaN), 12);
    expect(forth?.high).toBeCloseTo(-(back?.low ?? NaN), 12);
    const wider = toNewcombeInterval(before, after, 0.99);
    expect(wider?.low).toBeLessThan(forth?.low ?? NaN);
    expect(wider?.high).toBeGreaterThan(forth?.high ?? NaN);
  });
});

describe('intervals of counts', () => {
  it('are none where a side has no length', () => {
    expect(toCountDifferenceInterval({ count: 3, length: 0 }, { count: 9, length: 1 })).toBeNull();
    expect(toCountDifferenceInterval({ count: 3, length: 1 }, { count: 9, length: 0 })).toBeNull();
  });

  it('bring the earlier count to the later length', () => {
    const interval = toCountDifferenceInterval({ count: 200, length: 2 }, { count: 100, length: 1 });
    expect((interval?.low ?? NaN) < 0 && (interval?.high ?? NaN) > 0).toBe(true);
    const moved = toCountDifferenceInterval({ count: 200, length: 2 }, { count: 200, length: 1 });
    expect(moved !== null && isOutside(moved, 0)).toBe(true);
    const [low, high] = [moved?.low ?? NaN, moved?.high ?? NaN];
    expect(low).toBeLessThan(100);
    expect(high).toBeGreaterThan(100);
  });
});

describe('the interval of a difference', () => {
  it('is that of both, squared and added', () => {
    const before = { value: 100, interval: { low: 96, high: 103 } };
    const after = { value: 140, interval: { low: 136, high: 146 } };
    const difference = subtractIntervals(before, after);
    expect(difference.low).toBeCloseTo(40 - 5, 12);
    expect(difference.high).toBeCloseTo(40 + Math.hypot(6, 4), 12);
    expect([isOutside(difference, 0), isOutside(difference, 40)]).toEqual([true, false]);
  });
});

describe('intervals of quantiles', () => {
  /** Campbell and Gardner, "Calculating confidence intervals for some non-parametric analyses", BMJ 296 (1988). */
  it('take the published ranks about the median', () => {
    expect(toQuantileRanks(100, 0.5)).toEqual({ low: 40, high: 61 });
    expect(toQuantileRanks(15, 0.5)).toEqual({ low: 4, high: 12 });
  });

  it('are absent where the sample is too small', () => {
    expect(toQuantileRanks(4, 0.5)).toBeNull();
    expect(toQuantileRanks(40, 0.95)).toBeNull();
    expect(toQuantileRanks(0, 0.5)).toBeNull();
  });
});
