import { describe, expect, it } from 'vitest';
import { findRises, type TimedPlace } from '../../../../../src-main/core/analysis/find-differences.ts';
import { createRandom, type Random } from '../../../../../src-main/service/sample/random.ts';

const MINUTES_5 = 300_000;
const BUCKETS = Array.from({ length: 288 }, (_, place) => ({
  fromMs: place * MINUTES_5,
  toMs: (place + 1) * MINUTES_5,
}));

/** Times with a long tail, as those of services have, more of them by day than by night. */
function draw(
  random: Random,
  { usualMs, perBucket, slow }: { usualMs: number; perBucket: number; slow?: (place: number) => number },
): TimedPlace['points'] {
  return BUCKETS.map((_, place) => {
    const count = Math.round(
      perBucket * (1 + 0.8 * Math.sin((place / 288) * 2 * Math.PI)) * (0.7 + random() * 0.6),
    );
    const times = Array.from({ length: count }, () => {
      const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
      return usualMs * Math.exp(0.8 * normal) * (slow?.(place) ?? 1);
    });
    const sum = (of: (ms: number) => number): number => times.reduce((all, ms) => all + of(ms), 0);
    return { count, ms: sum((ms) => ms), squares: sum((ms) => ms ** 2) };
  });
}

const service = (value: number, points: TimedPlace['points']): TimedPlace => ({
  field: 'service',
  value,
  part: 'service',
  points,
});

describe('what became slow first', () => {
  it('is nothing in 100 days in which nothing did, ten places each', () => {
    const random = createRandom(5);
    let told = 0;
    for (let day = 0; day < 100; day += 1) {
      const places = Array.from({ length: 10 }, (_, value) =>
        service(value, draw(random, { usualMs: 50 + 900 * random(), perBucket: 2 + 28 * random() })),
      );
      told += findRises(places, BUCKETS).length;
    }
    expect(told).toBeLessThanOrEqual(1);
  }, 120_000);

  it('is the place that was planted, from its time on, and what followed comes after it', () => {
    const random = createRandom(9);
    let first = 0;
    let ordered = 0;
    for (let day = 0; day < 50; day += 1) {
      const beginPlace = 60 + Math.floor(random() * 120);
      const slowed = (from: number, times: number) => (place: number) =>
        place >= from && place < from + 40 ? times : 1;
      const places = Array.from({ length: 8 }, (_, value) =>
        service(
          value,
          draw(random, {
            usualMs: 100 + 500 * random(),
            perBucket: 40,
            ...(value === 3 ? { slow: slowed(beginPlace, 3) } : {}),
            ...(value === 6 ? { slow: slowed(beginPlace + 12, 6) } : {}),
          }),
        ),
      );
      const rises = findRises(places, BUCKETS);
      const [one] = rises;
      const isRight =
        one?.value === 3 &&
        Math.abs(one.fromMs - beginPlace * MINUTES_5) <= 2 * MINUTES_5 &&
        one.toMs !== null;
      if (isRight) first += 1;
      if (rises.map(({ value }) => value).join() === '3,6') ordered += 1;
    }
    expect(first).toBeGreaterThanOrEqual(48);
    expect(ordered).toBeGreaterThanOrEqual(48);
  }, 120_000);

  it('says since when, how long, and how much above the usual', () => {
    const flat = (ms: number) => ({ count: 50, ms: 50 * ms, squares: 50 * ms ** 2 });
    const points = BUCKETS.map((_, place) => flat(place >= 100 && place < 130 ? 900 : 300));
    expect(findRises([service(7, points)], BUCKETS)).toEqual([
      {
        field: 'service',
        value: 7,
        part: 'service',
        fromMs: 100 * MINUTES_5,
        toMs: 130 * MINUTES_5,
        usualMs: 300,
        risenMs: 900,
        count: 1500,
      },
    ]);
  });

  it('says nothing of one bucket by itself, of a place slow from the beginning on, and of waiting', () => {
    const flat = (ms: number) => ({ count: 50, ms: 50 * ms, squares: 50 * ms ** 2 });
    const single = BUCKETS.map((_, place) => flat(place === 100 ? 5000 : 300));
    const always = BUCKETS.map(() => flat(9000));
    const risen = BUCKETS.map((_, place) => flat(place >= 100 ? 900 : 300));
    const waiting: TimedPlace = { field: 'channel', value: 1, part: 'waiting', points: risen };
    expect(findRises([service(1, single), service(2, always), waiting], BUCKETS)).toEqual([]);
  });
});
