import { describe, expect, it } from 'vitest';
import type { PeriodSelection } from '../../../../src-renderer/period/period-selection.ts';
import { findSpanBeyond, toVolumeSpan } from '../../../../src-renderer/screens/overview/volume/volume.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 10, 20, 10, 1);
const preset = (name: string) => ({ kind: 'preset', preset: name }) as PeriodSelection;

describe('the bars of a period', () => {
  it('are 48 half hours of the last day, which end at the next half hour of the zone', () => {
    // 10:01 UTC is 15:46 in Kathmandu; 16:00 there is 10:15 UTC.
    const toMs = Date.UTC(2026, 10, 20, 10, 15);
    expect(toVolumeSpan(preset('last-24-hours'), NOW_MS, 'Asia/Kathmandu')).toEqual({
      fromMs: toMs - 24 * HOUR_MS,
      toMs,
      buckets: 48,
    });
    const even = Date.UTC(2026, 10, 20, 10, 30);
    expect(toVolumeSpan(preset('last-24-hours'), even, 'UTC').toMs).toBe(even);
  });

  it.each([
    ['last-15-minutes', 15, 60_000],
    ['last-hour', 60, 60_000],
    ['yesterday', 48, HOUR_MS / 2],
    ['last-7-days', 56, 3 * HOUR_MS],
    ['last-30-days', 60, 12 * HOUR_MS],
  ])('of %s are %d of a round length', (name, buckets, lengthMs) => {
    const span = toVolumeSpan(preset(name), NOW_MS, 'UTC');
    expect(span.buckets).toBe(buckets);
    expect((span.toMs - span.fromMs) / span.buckets).toBe(lengthMs);
    expect(span.fromMs % lengthMs).toBe(0);
  });

  it('hold all of two chosen instants, however short or long', () => {
    for (const lengthMs of [0, 7_000, 5 * HOUR_MS, 900 * 24 * HOUR_MS]) {
      const selection = {
        kind: 'custom',
        fromMs: NOW_MS + 13_000,
        toMs: NOW_MS + 13_000 + lengthMs,
      } as const;
      const span = toVolumeSpan(selection, NOW_MS, 'America/Bogota');
      expect(span.fromMs).toBeLessThanOrEqual(selection.fromMs);
      expect(span.toMs).toBeGreaterThan(selection.toMs);
      expect(span.buckets).toBeLessThanOrEqual(64);
    }
  });

  it('that reach out of the period have a period of their own', () => {
    const period = { fromMs: 90_000, toMs: 599_000 };
    expect(findSpanBeyond({ fromMs: 120_000, toMs: 180_000 }, period, NOW_MS)).toBeNull();
    expect(findSpanBeyond({ fromMs: 540_000, toMs: 600_000 }, period, NOW_MS)).toBeNull();
    expect(findSpanBeyond({ fromMs: 60_000, toMs: 120_000 }, period, NOW_MS)).toEqual({
      fromMs: 60_000,
      toMs: 119_000,
    });
    // What is still to come of the newest bar lies outside of no period.
    expect(findSpanBeyond({ fromMs: 540_000, toMs: 900_000 }, period, 600_000)).toBeNull();
  });
});
