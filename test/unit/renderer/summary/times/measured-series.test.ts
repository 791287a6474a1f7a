import { describe, expect, test } from 'vitest';
import {
  clip,
  findBucket,
  listSeriesEdges,
  listUnits,
  readFigure,
  toSteps,
  toUsualUnit,
  measureMissing,
  withTail,
} from '../../../../../src-renderer/screens/summary/charts/times/measured-series.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 2, 28, 23);
const spanOf = (hours: number) => ({ fromMs: START_MS, toMs: START_MS + hours * HOUR_MS });
const makeBucket = (place: number, count: number, failures = 0) => ({
  fromMs: START_MS + place * HOUR_MS,
  toMs: START_MS + (place + 1) * HOUR_MS,
  count,
  failures,
  medianMs: count > 0 ? 100 : null,
  p95Ms: count > 0 ? 400 : null,
});

describe('the length of a step', () => {
  test.each([
    [0.01, ['minute'], 'minute'],
    [1, ['minute'], 'minute'],
    [6, ['minute', 'hour'], 'minute'],
    [24, ['minute', 'hour'], 'hour'],
    [7 * 24, ['hour', 'day'], 'hour'],
    [90 * 24, ['hour', 'day'], 'day'],
    [20_000 * 24, ['day'], 'day'],
  ])('of %d hours fits the period', (hours, units, usual) => {
    expect([listUnits(spanOf(hours)), toUsualUnit(spanOf(hours))]).toEqual([units, usual]);
  });

  test('keeps to the clock of the zone where it changes, and to what can be asked', () => {
    // The clocks of Madrid were moved on at 01:00 UTC.
    const span = { fromMs: START_MS, toMs: START_MS + 47 * HOUR_MS };
    const edges = listSeriesEdges(span, 'day', 'Europe/Madrid');
    expect(edges.map((edge, place) => (edge - (edges[place - 1] ?? edge)) / HOUR_MS)).toEqual([0, 23, 24]);
    expect(listSeriesEdges(spanOf(20_000 * 24), 'day', 'UTC').length).toBeLessThanOrEqual(5001);
  });
});

describe('steps over time', () => {
  const buckets = [makeBucket(0, 10, 1), makeBucket(1, 0), makeBucket(2, 0), makeBucket(3, 4)];
  const gaps = [{ fromMs: START_MS + 1.5 * HOUR_MS, toMs: START_MS + 3.2 * HOUR_MS }];

  test('are level for the length of a bucket, zero where nothing came, interrupted where nothing is cached', () => {
    expect(toSteps(buckets, 'count', gaps).map(({ y }) => y)).toEqual([10, 10, 0, 0, null, null, 4, 4]);
    expect(toSteps(buckets, 'count', gaps).map(({ x }) => (x - START_MS) / HOUR_MS)).toEqual([
      ...[0, 1, 1, 2],
      ...[2, 3, 3, 4],
    ]);
  });

  test('claim no share and no time of nothing, and no zero before it is known what is cached', () => {
    const read = (figure: 'count' | 'errorShare' | 'p95Ms', known: typeof gaps | null) =>
      buckets.map((bucket) => readFigure(bucket, figure, known));
    expect(read('errorShare', gaps)).toEqual([0.1, null, null, 0]);
    expect(read('p95Ms', gaps)).toEqual([400, null, null, 400]);
    expect(read('count', null)).toEqual([10, null, null, 4]);
  });

  test('end with the period, and are found by an instant', () => {
    const [first] = buckets;
    expect(clip(first!, { fromMs: START_MS + 60_000, toMs: Infinity }).fromMs).toBe(START_MS + 60_000);
    expect(findBucket(buckets, START_MS + HOUR_MS)).toBe(1);
    expect(findBucket(buckets, START_MS + 4 * HOUR_MS)).toBeNull();
  });

  test('count the end of a period that goes on as not cached', () => {
    const tailed = withTail(gaps, START_MS + 3.5 * HOUR_MS, spanOf(4));
    expect(measureMissing(spanOf(4), tailed)).toBeCloseTo(2.2 * HOUR_MS, 3);
    expect(withTail(gaps, null, spanOf(4))).toBe(gaps);
  });
});
