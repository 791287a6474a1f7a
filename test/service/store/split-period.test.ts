import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ROLLUP_TIERS_MS, splitPeriod } from '../../../src-main/service/store/group-sums.ts';

describe('splitPeriod', () => {
  const instant = fc.integer({ min: 0, max: 90 * 86_400_000 });

  it('covers the period with parts in order that neither overlap nor leave a gap', () => {
    fc.assert(
      fc.property(instant, instant, (a, b) => {
        const [fromMs, toMs] = [Math.min(a, b), Math.max(a, b)];
        const parts = splitPeriod(fromMs, toMs);
        let atMs = fromMs;
        for (const part of parts) {
          expect(part.fromMs).toBe(atMs);
          expect(part.toMs).toBeGreaterThan(part.fromMs);
          if (part.tierMs > 0) expect([part.fromMs % part.tierMs, part.toMs % part.tierMs]).toEqual([0, 0]);
          atMs = part.toMs;
        }
        expect(atMs).toBe(parts.length === 0 ? fromMs : toMs);
      }),
    );
  });

  it('leaves less than one of the smallest rollups to single records at each edge', () => {
    const smallestMs = Math.min(...ROLLUP_TIERS_MS);
    fc.assert(
      fc.property(instant, instant, (a, b) => {
        const single = splitPeriod(Math.min(a, b), Math.max(a, b)).filter((part) => part.tierMs === 0);
        const totalMs = single.reduce((sum, part) => sum + part.toMs - part.fromMs, 0);
        expect(single.length).toBeLessThanOrEqual(2);
        expect(totalMs).toBeLessThan(2 * smallestMs);
      }),
    );
  });
});
