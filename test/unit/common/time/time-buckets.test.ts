import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BUCKET_WIDTHS_MS,
  listBucketEdges,
  pickBucketWidth,
  toCivilTime,
} from '../../../../src-main/common/time/civil-time.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('buckets of time', () => {
  it.each([
    [60_000, 96, 1000],
    [HOUR_MS, 96, 60_000],
    [DAY_MS, 96, 900_000],
    [7 * DAY_MS, 96, 3 * HOUR_MS],
    [30 * DAY_MS, 96, 12 * HOUR_MS],
    [365 * DAY_MS, 96, 7 * DAY_MS],
    [20 * 365 * DAY_MS, 96, 91 * DAY_MS],
    [9999 * 365 * DAY_MS, 96, 500 * 364 * DAY_MS],
  ])('of a span of %i ms at most %i are %i ms long', (spanMs, maxBuckets, widthMs) => {
    expect(pickBucketWidth(spanMs, maxBuckets)).toBe(widthMs);
  });

  it('begin at midnight of the shown clock, also when a day has 25 hours', () => {
    const fromMs = Date.UTC(2026, 9, 24, 10);
    const edges = listBucketEdges(fromMs, fromMs + 3 * DAY_MS, DAY_MS, 'Europe/Berlin');
    expect(edges.map((edge) => toCivilTime(edge, 'Europe/Berlin').hour)).toEqual([0, 0, 0, 0, 0]);
    expect(edges.slice(1).map((edge, place) => (edge - (edges[place] ?? 0)) / HOUR_MS)).toEqual([
      24, 25, 24, 24,
    ]);
  });

  it('show the hour that comes twice as two buckets', () => {
    const fromMs = Date.UTC(2026, 9, 25, 0);
    const edges = listBucketEdges(fromMs, fromMs + 4 * HOUR_MS, HOUR_MS, 'Europe/Berlin');
    expect(edges.map((edge) => (edge - fromMs) / HOUR_MS)).toEqual([0, 1, 2, 3, 4]);
  });

  it.each(['UTC', 'America/Bogota', 'Pacific/Auckland'])(
    'of thousands of years are few, and as long as they are said to be, in %s',
    (zone) => {
      const fromMs = new Date('0001-01-01T00:00:00Z').getTime();
      const toMs = Date.UTC(9999, 11, 31);
      const widthMs = pickBucketWidth(toMs - fromMs, 96);
      const edges = listBucketEdges(fromMs, toMs, widthMs, zone);
      expect(edges.length).toBeLessThan(30);
      expect(edges[0]).toBeLessThanOrEqual(fromMs);
      for (const [index, edge] of edges.slice(1).entries()) {
        expect(Math.abs(edge - (edges[index] ?? 0) - widthMs)).toBeLessThanOrEqual(DAY_MS);
      }
    },
  );

  it('of a day in the first century lie in it', () => {
    const fromMs = new Date('0042-03-01T00:00:00Z').getTime();
    const edges = listBucketEdges(fromMs, fromMs + 3 * DAY_MS, DAY_MS, 'UTC');
    expect(edges).toEqual([0, 1, 2, 3].map((days) => fromMs + days * DAY_MS));
  });

  it('cover any span once, without gaps, at round times, whatever the zone', () => {
    const zones = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/St_Johns',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
    );
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2030, 0) }),
        fc.integer({ min: 0, max: BUCKET_WIDTHS_MS.length - 1 }),
        fc.integer({ min: 1, max: 60 }),
        zones,
        (fromMs, place, count, zone) => {
          const widthMs = BUCKET_WIDTHS_MS[place] ?? 1000;
          const toMs = fromMs + widthMs * count;
          const edges = listBucketEdges(fromMs, toMs, widthMs, zone);
          expect(edges[0]).toBeLessThanOrEqual(fromMs);
          expect(edges.at(-1)).toBeGreaterThanOrEqual(toMs);
          expect(edges.at(-2)).toBeLessThan(toMs);
          for (const [index, edge] of edges.entries()) {
            const next = edges[index + 1];
            if (next === undefined) continue;
            expect(next).toBeGreaterThan(edge);
            expect(Math.abs(next - edge - widthMs)).toBeLessThanOrEqual(HOUR_MS);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});
