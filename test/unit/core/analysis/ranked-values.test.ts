import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toQuantileRanks } from '../../../../src-main/common/statistics.ts';
import {
  measureRanked,
  rankValues,
  toQuantileInterval,
} from '../../../../src-main/core/analysis/engine/measures/measure-sql.ts';
import { measureTimes, near } from '../../../integration/analysis/measured-plainly.ts';

/** Whole numbers close together are counted by their place; others, and fractions, are sorted. No zero is below none. */
const valueArbitrary = fc.oneof(
  fc.integer({ min: -3, max: 40 }),
  fc.integer({ min: -5, max: 2 ** 40 }),
  fc.double({ min: -10, max: 1e6, noNaN: true }).map((value) => value + 0),
);
const countedArbitrary = fc.oneof(
  ...[fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 400 }), valueArbitrary].map((value) =>
    fc.array(fc.tuple(value, fc.integer({ min: 1, max: 9 })), { maxLength: 40 }),
  ),
);

describe('values with their counts', () => {
  it('have the figures that each of them written out has', () => {
    fc.assert(
      fc.property(countedArbitrary, fc.constantFrom(0.5, 0.95), (counted, quantile) => {
        const ranked = rankValues({
          values: Float64Array.from(counted, ([value]) => value),
          counts: Float64Array.from(counted, ([, count]) => count),
        });
        const all = counted.flatMap(([value, count]) => Array.from({ length: count }, () => value));
        expect(measureRanked(ranked)).toEqual(near(measureTimes(all)));
        const sorted = all.toSorted((a, b) => a - b);
        const ranks = toQuantileRanks(all.length, quantile);
        expect(toQuantileInterval(ranked, quantile)).toEqual(
          ranks === null ? null : { low: sorted[ranks.low - 1], high: sorted[ranks.high - 1] },
        );
        expect([...ranked.values]).toEqual([...new Set(sorted)]);
      }),
      { numRuns: 300 },
    );
  });
});
