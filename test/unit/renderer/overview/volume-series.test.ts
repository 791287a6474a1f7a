import { describe, expect, it } from 'vitest';
import {
  toAlignedAxes,
  toBarLabels,
  toElapsedCoverage,
  toSlotCoverage,
  toVolumePoints,
} from '../../../../src-renderer/screens/overview/volume/volume.ts';

const HALF_HOUR_MS = 1_800_000;
const START_MS = Date.UTC(2026, 10, 20, 0, 0, 0);

function makeBucket(index: number, counts: number[]) {
  return { fromMs: START_MS + index * HALF_HOUR_MS, toMs: START_MS + (index + 1) * HALF_HOUR_MS, counts };
}

describe('volume points', () => {
  it('decision 38, client: counts as errors what Summary does: 4xx and 5xx, neither redirects nor requests without a code', () => {
    const [point] = toVolumePoints([makeBucket(0, [80, 10, 4, 3, 3])], [makeBucket(0, [40, 0, 0, 0, 2])]);
    expect(point).toMatchObject({ inbound: 100, outbound: 42, errors: 7, errorRate: 7 / 142 });
  });

  it('has no error rate where nothing is cached, so that the line has a gap and no zero', () => {
    const points = toVolumePoints([makeBucket(0, [0, 0, 0, 0, 0])], [makeBucket(0, [0, 0, 0, 0, 0])]);
    expect(points[0]?.errorRate).toBeNull();
  });
});

describe('aligned axes', () => {
  function makePoint(inbound: number, rate: number) {
    const errors = Math.round(inbound * rate);
    return toVolumePoints([makeBucket(0, [inbound - errors, 0, 0, errors, 0])], [])[0]!;
  }

  it.each([
    [24_300, 0.071],
    [1, 0],
    [999, 0.5],
    [1_000_001, 0.013],
    [37, 1],
    [11, 0.3],
  ])('gives both scales the same number of intervals and room for %d and %d', (count, rate) => {
    const axes = toAlignedAxes([makePoint(count, rate)]);
    expect(axes.countMax).toBe(axes.countStep * axes.intervals);
    expect(axes.rateMax).toBeCloseTo(axes.rateStep * axes.intervals, 9);
    expect(axes.countMax).toBeGreaterThanOrEqual(count);
    expect(axes.rateMax).toBeGreaterThanOrEqual(Math.round(count * rate) / count - 1e-9);
    expect(Number.isInteger(axes.countStep)).toBe(true);
  });

  it('does not blow up a share of nearly nothing to the whole height', () => {
    expect(toAlignedAxes([makePoint(1000, 0.001)]).rateMax).toBeGreaterThanOrEqual(0.02);
  });

  it('has scales for an empty chart', () => {
    const axes = toAlignedAxes([]);
    expect(axes.countMax).toBeGreaterThan(0);
    expect(axes.rateMax).toBeGreaterThan(0);
  });
});

describe('time labels', () => {
  it('stand at round hours of the zone, and name the day at midnight', () => {
    const buckets = Array.from({ length: 8 }, (_, index) => makeBucket(index, [1, 0, 0, 0, 0]));
    const points = toVolumePoints(buckets, buckets);
    expect([...toBarLabels(points, 'UTC', 2).keys()]).toEqual([0, 4]);
    expect([...toBarLabels(points, 'Europe/Berlin', 2).keys()]).toEqual([2, 6]);
    expect(toBarLabels([], 'UTC', 12).size).toBe(0);
  });
});

describe('what is cached', () => {
  const buckets = [0, 1, 2].map((index) => makeBucket(index, [index === 2 ? 4 : 0, 0, 0, 0, 0]));
  const points = toVolumePoints(buckets, []);

  it('distinguishes half hours without traffic from those that were not downloaded, whichever way it went', () => {
    const endMs = START_MS + 3 * HALF_HOUR_MS;
    const read = (inbound: number[], outbound: number[], nowMs = endMs) =>
      toSlotCoverage(points, { inbound, outbound }, nowMs).map((slot) =>
        slot.inbound === slot.outbound ? slot.inbound : `${slot.inbound}, ${slot.outbound}`,
      );
    // The newest half hour first, as of a download that goes backwards.
    expect(read([0, 0, 1], [0, 0, 1])).toEqual(['none', 'none', 'whole']);
    expect(read([0, 1, 1], [0, 0.5, 1])).toEqual(['none', 'whole, part', 'whole']);
    // One direction alone says nothing of the other one.
    expect(read([1, 1, 1], [0, 0, 0])).toEqual(['whole, none', 'whole, none', 'whole, none']);
    expect(read([1, 1, 0], [1, 1, 0])).toEqual(['whole', 'whole', 'part, none']);
    // A lag of a minute is no gap, and neither is what has not passed.
    expect(read([1, 1, 0.3], [1, 1, 0.3], endMs - 20 * 60_000)).toEqual(['whole', 'whole', 'whole']);
    expect(read([], [])).toEqual(['none', 'none', 'part, none']);
  });

  it('does not miss what has not happened yet', () => {
    const nowMs = START_MS + 2 * HALF_HOUR_MS;
    expect(toElapsedCoverage(2 / 3, points, nowMs)).toBeCloseTo(1);
    expect(toElapsedCoverage(1 / 3, points, nowMs)).toBeCloseTo(0.5);
    expect(toElapsedCoverage(0.4, [], nowMs)).toBe(0.4);
    // What is followed lags behind: of an hour that goes on a minute may not have come yet, of one that is over none.
    const [first, last] = [points[0]!, points.at(-1)!];
    const spanMs = last.toMs - first.fromMs;
    const toShare = (missingMs: number, atMs: number) =>
      toElapsedCoverage((Math.min(atMs, last.toMs) - first.fromMs - missingMs) / spanMs, points, atMs);
    expect(toShare(50_000, nowMs)).toBe(1);
    expect(toShare(130_000, nowMs)).toBeLessThan(1);
    expect(toShare(50_000, last.toMs)).toBeLessThan(1);
  });
});
