import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { SummaryGroup } from '../../../../src-main/common/model/summary.ts';
import { toLogShare, toNiceCeiling } from '../../../../src-renderer/charts/log-scale.ts';
import {
  averageWeighted,
  isStandingOut,
  toClassBars,
  toServiceAverages,
} from '../../../../src-renderer/charts/summary-series.ts';
import { toTimeTicks } from '../../../../src-renderer/charts/time-ticks.ts';

function group(change: Partial<SummaryGroup>): SummaryGroup {
  return {
    channel: 1,
    service: 2,
    origin: 'web',
    responseCode: 200,
    count: 1,
    averageResponseTimeMs: 100,
    averageBotLatencyMs: 10,
    sessionId: '',
    ...change,
  };
}

describe('summary series', () => {
  it('decision 32, client: weighs averages by count', () => {
    const groups = [
      group({ count: 999, averageResponseTimeMs: 100 }),
      group({ count: 1, averageResponseTimeMs: 10_100 }),
    ];
    expect(averageWeighted(groups, 'averageResponseTimeMs')).toBe(110);
  });

  it('leaves groups without an average out of the weight', () => {
    const groups = [
      group({ count: 3, averageBotLatencyMs: 20 }),
      group({ count: 100, averageBotLatencyMs: null }),
    ];
    expect(averageWeighted(groups, 'averageBotLatencyMs')).toBe(20);
    expect(averageWeighted([group({ averageBotLatencyMs: null })], 'averageBotLatencyMs')).toBeNull();
  });

  it('an average lies between the smallest and the largest', () => {
    const groups = fc.array(
      fc.record({
        count: fc.integer({ min: 1, max: 10_000 }),
        averageResponseTimeMs: fc.integer({ min: 0 }),
      }),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(groups, (drawn) => {
        const averages = drawn.map((one) => one.averageResponseTimeMs);
        const average = averageWeighted(drawn.map(group), 'averageResponseTimeMs');
        expect(average).toBeGreaterThanOrEqual(Math.min(...averages) - 1e-3);
        expect(average).toBeLessThanOrEqual(Math.max(...averages) * (1 + 1e-9) + 1e-3);
      }),
    );
  });

  it('stacks a channel by class and orders by total or by errors', () => {
    const groups = [
      group({ channel: 1, count: 90 }),
      group({ channel: 1, count: 10, responseCode: 504 }),
      group({ channel: 2, count: 30, responseCode: null }),
    ];
    const bars = toClassBars(groups, 'channel', false);
    expect(bars.map((bar) => bar.value)).toEqual([1, 2]);
    expect(bars[0]).toMatchObject({ counts: [90, 0, 0, 10, 0], total: 100, errors: 10, errorShare: 0.1 });
    expect(toClassBars(groups, 'channel', true).map((bar) => bar.value)).toEqual([2, 1]);
  });

  it('puts the slowest service first', () => {
    const groups = [
      group({ service: 1, averageResponseTimeMs: 50 }),
      group({ service: 9, averageResponseTimeMs: 900 }),
      group({ service: 3, averageResponseTimeMs: null }),
    ];
    expect(toServiceAverages(groups).map((bar) => bar.value)).toEqual([9, 1]);
  });

  it('marks a share of errors only well above the whole', () => {
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
    const ticks = toTimeTicks(fromMs, fromMs + 86_400_000, 'America/Bogota', 12);
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

  it('has no ticks for an empty span', () => {
    expect(toTimeTicks(5, 5, 'UTC', 10)).toEqual([]);
  });
});
