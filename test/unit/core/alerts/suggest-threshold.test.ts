import { describe, expect, it } from 'vitest';
import type { MeasureCondition } from '../../../../src-main/common/model/alerts/alert-rule.ts';
import { judgeMinutes, type Minutes, toCriterion } from '../../../../src-main/core/alerts/judge-minutes.ts';
import { suggestThreshold } from '../../../../src-main/core/alerts/test-rule.ts';
import type { ReadMinutes } from '../../../../src-main/core/alerts/read-minutes.ts';
import { createRandom } from '../../../support/samples/schema-values.ts';
import { errorShare, START_MS } from './alert-rig.ts';

const FORTNIGHT = 14 * 1440;
const condition = (change: object = {}) => errorShare(change) as MeasureCondition;

/** Minutes of a rate of failures, of which a part is known. */
function toMinutes(
  toRate: (minute: number) => number,
  { known = FORTNIGHT, perMinute = 20, seed = 7 } = {},
): ReadMinutes {
  const length = FORTNIGHT;
  const random = createRandom(seed);
  const minutes: Minutes = {
    fromMs: START_MS,
    known: Uint8Array.from({ length }, (_, minute) => (minute >= length - known ? 1 : 0)),
    totals: Float64Array.from({ length }, () => perMinute),
    hits: Float64Array.from(
      { length },
      (_, minute) => Array.from({ length: perMinute }).filter(() => random() < toRate(minute)).length,
    ),
  };
  return { own: minutes, with: () => minutes };
}

function countFirings({ own }: ReadMinutes, threshold: number): number {
  return judgeMinutes(own, toCriterion(condition({ threshold }))).turns.filter(({ kind }) => kind === 'fired')
    .length;
}

describe('a suggested threshold', () => {
  it.each([0.01, 0.03, 0.08, 0.2])(
    'of a usual rate of %d would have fired rarely, where 5 %% may fire often',
    async (rate) => {
      const minutes = toMinutes(() => rate);
      const found = await suggestThreshold([minutes], condition());
      if (found.kind !== 'found') throw new Error(found.kind);
      expect(found.threshold).toBeGreaterThan(rate);
      expect(found.threshold).toBeLessThan(rate * 4 + 0.05);
      expect(found.count).toBe(countFirings(minutes, found.threshold));
      expect(found.count).toBeLessThanOrEqual(4);
      expect(found.critical).toBeGreaterThanOrEqual(found.threshold * 2);
      expect(found.knownMinutes).toBe(FORTNIGHT);
    },
  );

  it('lets three incidents fire, and is not raised above them', async () => {
    const incidents = [3000, 9000, 15_000];
    const minutes = toMinutes((minute) =>
      incidents.some((from) => minute >= from && minute < from + 60) ? 0.7 : 0.03,
    );
    const found = await suggestThreshold([minutes], condition());
    expect(found).toMatchObject({ kind: 'found', count: 3 });
    expect(found.kind === 'found' ? found.threshold : 1).toBeLessThan(0.3);
  });

  it('is of all values of a rule together: the worst of them does not fire all the time', async () => {
    const minutes = [toMinutes(() => 0.01), toMinutes(() => 0.12, { seed: 3 })];
    const found = await suggestThreshold(minutes, condition({ each: 'service' }));
    expect(found.kind === 'found' ? found.threshold : 0).toBeGreaterThan(0.12);
  });

  it('counts an outage of every value as one incident', async () => {
    const outage = (rate: number) => (minute: number) => (minute >= 9000 && minute < 9060 ? 0.8 : rate);
    const minutes = Array.from({ length: 8 }, (_, place) => toMinutes(outage(0.02), { seed: place + 1 }));
    const found = await suggestThreshold(minutes, condition({ each: 'service' }));
    expect(found).toMatchObject({ kind: 'found', count: 8 });
  });

  it('of a measure that is to stay above is below what is usual', async () => {
    const minutes = toMinutes(() => 0.5);
    const found = await suggestThreshold([minutes], condition({ comparison: 'below' }));
    if (found.kind !== 'found') throw new Error(found.kind);
    expect(found.threshold).toBeLessThan(0.5);
    expect(found.critical ?? 0).toBeLessThanOrEqual(found.threshold / 2);
  });

  it('is not made of less than a day, nor of hardly any requests, nor where all would fire', async () => {
    const little = toMinutes(() => 0.02, { known: 1439 });
    expect(await suggestThreshold([little], condition())).toEqual({ kind: 'too-little', knownMinutes: 1439 });
    const few = toMinutes(() => 0.02, { perMinute: 1 });
    expect(await suggestThreshold([few], condition())).toMatchObject({ kind: 'too-few' });
    const always = toMinutes(() => 1);
    expect(await suggestThreshold([always], condition())).toEqual({ kind: 'none' });
    expect(await suggestThreshold([], condition())).toEqual({ kind: 'too-little', knownMinutes: 0 });
  });
});
