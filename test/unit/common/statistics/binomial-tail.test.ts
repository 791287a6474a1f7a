import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toBinomialTail, toStudentTails, toUnevenChance } from '../../../../src-main/common/statistics.ts';

/** The tail, added up term by term. */
function addTail(successes: number, trials: number, chance: number): number {
  // From the end that has the larger first term: the other one's may be too small for all its digits.
  if (chance > 0.5) return 1 - addTail(trials - successes + 1, trials, 1 - chance);
  let term = (1 - chance) ** trials;
  let sum = 0;
  for (let count = 0; count <= trials; count += 1) {
    if (count >= successes) sum += term;
    term *= ((trials - count) / (count + 1)) * (chance / (1 - chance));
  }
  return sum;
}

describe('the tail of a binomial distribution', () => {
  it('is what its terms add up to', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(205), fc.integer({ min: 1, max: 99 }), (trials, successes, percent) => {
        const expected = addTail(successes, trials, percent / 100);
        const found = toBinomialTail(successes, trials, percent / 100);
        expect(Math.abs(found - expected)).toBeLessThan(1e-9 + expected * 1e-9);
      }),
    );
  });

  it('stays a chance for millions of trials', () => {
    expect(toBinomialTail(1_000_000, 10_000_000, 0.1)).toBeCloseTo(0.5, 3);
    expect(toBinomialTail(9_000_000, 10_000_000, 0.1)).toBe(0);
    // Three deviations.
    expect(toBinomialTail(1_000_000 + 2846, 10_000_000, 0.1)).toBeCloseTo(0.00135, 4);
  });
});

describe('the chance of an uneven value', () => {
  it('is small where it lies on one side, and as small for those without it', () => {
    const sides = { inside: 400, outside: 9000 };
    expect(toUnevenChance({ inside: 250, outside: 130 }, sides)).toBeLessThan(1e-100);
    expect(toUnevenChance({ inside: 150, outside: 8870 }, sides)).toBe(
      toUnevenChance({ inside: 250, outside: 130 }, sides),
    );
    expect(toUnevenChance({ inside: 4, outside: 90 }, sides)).toBe(1);
    expect(toUnevenChance({ inside: 400, outside: 9000 }, sides)).toBe(1);
  });
});

it.each([
  [12.706, 1, 0.05],
  [2.571, 5, 0.05],
  [6.869, 5, 0.001],
  [2.228, 10, 0.05],
  [3.291, 1e7, 0.001],
  [0, 7, 1],
])(
  "finds in tables of Student's distribution that %f deviations with %f degrees are %f",
  (deviations, freedom, share) => {
    expect(toStudentTails(deviations, freedom)).toBeCloseTo(share, 4);
  },
);
