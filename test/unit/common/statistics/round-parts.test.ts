import { expect, it } from 'vitest';
import { roundParts } from '../../../../src-main/common/statistics.ts';
import { createRandom } from '../../../../src-main/service/sample/random.ts';

it('gives the largest remainders what is left', () => {
  expect(roundParts([20.94, -0.14], 1)).toEqual([20.9, -0.1]);
  expect(roundParts([1.04, 1.04, 1.04], 1)).toEqual([1.1, 1, 1]);
  expect(roundParts([33.33, 33.33, 33.34], 0)).toEqual([33, 33, 34]);
  expect(roundParts([], 1)).toEqual([]);
  // 0.26, printed as 0.2 so that a column sums.
  expect(roundParts([0.14, 0.12], 1, 0.2)).toEqual([0.1, 0.1]);
  expect(roundParts([0.14, 0.12], 1)).toEqual([0.2, 0.1]);
});

it('prints no minus zero', () => {
  expect(roundParts([-0.01, 0.01], 1).every((part) => Object.is(part, 0))).toBe(true);
});

it('sums to the rounded sum and moves no part by a whole step', () => {
  const random = createRandom(7);
  for (let round = 0; round < 500; round++) {
    const parts = Array.from({ length: 1 + Math.floor(random() * 12) }, () => (random() - 0.5) * 40);
    const rounded = roundParts(parts, 1);
    const toTenths = (value: number) => Math.round(value * 10);
    expect(rounded.reduce((sum, part) => sum + toTenths(part), 0)).toBe(
      toTenths(parts.reduce((sum, part) => sum + part, 0)),
    );
    for (const [index, part] of rounded.entries()) expect(Math.abs(part - parts[index]!)).toBeLessThan(0.1);
  }
});
