import { describe, expect, it } from 'vitest';
import { isStandingOut, toLogShare, toNiceCeiling } from '../../../../src-renderer/charts/chart-marks.ts';
import { toTimeTicks } from '../../../../src-main/common/words/formats.ts';
import { readFormats } from '../../../../src-renderer/format/formats.ts';

describe('shares of errors', () => {
  it('stand out only well above the whole', () => {
    expect(isStandingOut(0.03, 0.01)).toBe(true);
    expect(isStandingOut(0.012, 0.01)).toBe(false);
    expect(isStandingOut(0.0002, 0)).toBe(false);
  });
});

describe('scales', () => {
  it('draws response times logarithmically, full from 10 s', () => {
    expect(toLogShare(100)).toBeCloseTo(0.5);
    expect(toLogShare(10_000)).toBe(1);
    expect(toLogShare(90_000)).toBe(1);
    expect(toLogShare(null)).toBe(0);
    expect(toLogShare(0.2)).toBeGreaterThan(0);
  });

  it('rounds up to 1, 2 or 5 times a power of ten', () => {
    expect([0.3, 3, 5, 5.1, 1200].map(toNiceCeiling)).toEqual([1, 5, 5, 10, 2000]);
  });

  it('puts ticks at round times of the zone', () => {
    const fromMs = Date.parse('2026-11-19T20:52:00Z');
    const ticks = toTimeTicks({ fromMs, toMs: fromMs + 86_400_000 }, 'America/Bogota', 12, readFormats());
    expect(ticks.map((tick) => tick.label).slice(0, 6)).toEqual([
      '16:00',
      '18:00',
      '20:00',
      '22:00',
      '20 Nov',
      '02:00',
    ]);
    expect(ticks.length).toBeLessThanOrEqual(12);
  });

  it('tells months and years with their year where days would be ambiguous', () => {
    const fromMs = Date.UTC(2024, 0, 1);
    const labels = (years: number): string[] =>
      toTimeTicks({ fromMs, toMs: fromMs + years * 365 * 86_400_000 }, 'UTC', 12, readFormats()).map(
        ({ label }) => label,
      );
    expect(labels(2)[0]).toMatch(/^[A-Z][a-z]{2} 2024$/);
    expect(labels(60)[1]).toMatch(/^20\d\d$/);
    expect(new Set(labels(60)).size).toBe(labels(60).length);
  });

  it('has no ticks for an empty span', () => {
    expect(toTimeTicks({ fromMs: 5, toMs: 5 }, 'UTC', 10, readFormats())).toEqual([]);
  });
});
