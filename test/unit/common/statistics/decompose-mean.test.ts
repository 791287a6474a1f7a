import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BeforeAndAfter, decomposeMean } from '../../../../src-main/common/statistics.ts';

const sideArbitrary = fc
  .tuple(fc.nat(2000), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([weight, share]) => ({ weight, sum: Math.round(weight * share) }));
const groupsArbitrary = fc
  .array(fc.record({ before: sideArbitrary, after: sideArbitrary }), { minLength: 1, maxLength: 8 })
  .filter((groups) => groups.some(({ before }) => before.weight > 0))
  .filter((groups) => groups.some(({ after }) => after.weight > 0));

function addUp(groups: readonly BeforeAndAfter[]): BeforeAndAfter {
  const add = (side: 'before' | 'after') => ({
    weight: groups.reduce((sum, group) => sum + group[side].weight, 0),
    sum: groups.reduce((sum, group) => sum + group[side].sum, 0),
  });
  return { before: add('before'), after: add('after') };
}

const swap = ({ before, after }: BeforeAndAfter): BeforeAndAfter => ({ before: after, after: before });

describe('the parts of a change', () => {
  it('add up to it, those of a group to its own, and those of its parts to the group', () => {
    fc.assert(
      fc.property(fc.array(groupsArbitrary, { minLength: 1, maxLength: 4 }), (families) => {
        const total = addUp(families.flat());
        const change = total.after.sum / total.after.weight - total.before.sum / total.before.weight;
        let whole = 0;
        for (const parts of families) {
          const own = decomposeMean(addUp(parts), total)!;
          expect(own.rate + own.mix).toBeCloseTo(own.sum, 12);
          const ofParts = parts.reduce((sum, part) => sum + decomposeMean(part, total)!.sum, 0);
          expect(ofParts).toBeCloseTo(own.sum, 10);
          whole += own.sum;
        }
        expect(whole).toBeCloseTo(change, 10);
      }),
    );
  });

  it('turn their signs when the sides are swapped', () => {
    fc.assert(
      fc.property(groupsArbitrary, (groups) => {
        const total = addUp(groups);
        for (const group of groups) {
          const forth = decomposeMean(group, total)!;
          const back = decomposeMean(swap(group), swap(total))!;
          expect(back.rate).toBeCloseTo(-forth.rate, 12);
          expect(back.mix).toBeCloseTo(-forth.mix, 12);
        }
      }),
    );
  });

  it('are rate alone where no traffic moved, and mix alone where no group changed', () => {
    const steady = { before: { weight: 100, sum: 2 }, after: { weight: 100, sum: 30 } };
    const other = { before: { weight: 300, sum: 6 }, after: { weight: 300, sum: 6 } };
    const same = addUp([steady, other]);
    expect(decomposeMean(steady, same)?.mix).toBeCloseTo(0, 12);
    expect(decomposeMean(steady, same)?.rate).toBeCloseTo(0.07, 12);
    expect(decomposeMean(other, same)?.sum).toBeCloseTo(0, 12);
    const grown = { before: { weight: 100, sum: 50 }, after: { weight: 300, sum: 150 } };
    const moved = addUp([grown, { before: { weight: 300, sum: 3 }, after: { weight: 100, sum: 1 } }]);
    expect(decomposeMean(grown, moved)?.rate).toBeCloseTo(0, 12);
    expect(decomposeMean(grown, moved)?.mix).toBeGreaterThan(0);
  });

  it('of a group that came are mix, and absent where a side has nothing at all', () => {
    const came = { before: { weight: 0, sum: 0 }, after: { weight: 50, sum: 40 } };
    const total = { before: { weight: 100, sum: 5 }, after: { weight: 150, sum: 45 } };
    expect(decomposeMean(came, total)?.rate).toBe(0);
    expect(decomposeMean(came, total)?.sum).toBeGreaterThan(0);
    expect(decomposeMean(came, { before: { weight: 0, sum: 0 }, after: total.after })).toBeNull();
  });
});
