import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../../src-main/common/time/durations.ts';
import { createTrafficGrid } from '../../../../../src-main/core/analysis/findings/create-traffic-grid.ts';
import { findIncidents } from '../../../../../src-main/core/analysis/findings/explain-incidents.ts';
import { measureDispersion } from '../../../../../src-main/core/analysis/findings/weigh-volume.ts';
import { createRandom, type Random } from '../../../../../src-main/service/sample/random.ts';
import { toTrafficCells, type TrafficCell } from '../../../../support/findings/to-traffic-cells.ts';

const WINDOW = { fromMs: Date.UTC(2026, 10, 20), toMs: Date.UTC(2026, 10, 20, 18) };
const FIRST_MS = WINDOW.fromMs - 8 * DAY_MS;
const USUAL = 15;

/** Requests by the minute, of conversations that begin by chance and take ten minutes. */
function talk(chance: Random, perHour: number, requests: number, minutes: number): Float64Array {
  const counts = new Float64Array(minutes);
  for (let minute = 0; minute < minutes; minute += 1) {
    if (chance() >= perHour / 60) continue;
    for (let request = 0; request < requests; request += 1) {
      const at = minute + Math.floor(chance() * 10);
      if (at < minutes) counts[at] = (counts[at] ?? 0) + 1;
    }
  }
  return counts;
}

function sumHours(minutes: Float64Array): Float64Array {
  return Float64Array.from({ length: minutes.length / 60 }, (_, hour) =>
    minutes.subarray(hour * 60, hour * 60 + 60).reduce((sum, count) => sum + count, 0),
  );
}

const WEEK_MINUTES = (8 * DAY_MS) / MINUTE_MS;
const ALL = new Float64Array(WEEK_MINUTES / 60).fill(1);

describe('how much requests vary', () => {
  it('is chance where each comes by itself, however busy and whatever the time of day', () => {
    const chance = createRandom(7);
    for (const perHour of [2, 20, 55]) {
      const busier = (hour: number): number => (hour % 24 < 8 ? 0.2 : 1);
      const hours = sumHours(talk(chance, perHour, 1, WEEK_MINUTES)).map((count, hour) =>
        Math.round(count * busier(hour)),
      );
      expect(measureDispersion(hours, ALL)).toBeLessThan(1.6);
    }
  });

  it('is about the length of conversations where they come together', () => {
    const dispersion = measureDispersion(sumHours(talk(createRandom(7), 1.5, 14, WEEK_MINUTES)), ALL);
    expect(dispersion).toBeGreaterThan(5);
    expect(dispersion).toBeLessThan(20);
  });

  it('leaves out an outage and a surge', () => {
    const hours = new Float64Array(ALL.length).fill(100);
    hours.fill(0, 50, 54);
    hours.fill(400, 120, 123);
    expect(measureDispersion(hours, ALL)).toBeLessThan(3);
  });

  it('is not known of a day', () => {
    expect(measureDispersion(Float64Array.of(1, 90, 1, 90), new Float64Array(4).fill(1))).toBe(1);
    expect(
      measureDispersion(
        sumHours(talk(createRandom(7), 1.5, 14, WEEK_MINUTES)),
        ALL.map(() => 0.5),
      ),
    ).toBe(1);
  });
});

it.each([1, 2, 3, 4])('conversations are no incident, drawn from %i', (seed) => {
  const chance = createRandom(seed);
  const hours: TrafficCell[] = [];
  const minutes: TrafficCell[] = [];
  for (const channel of [1, 2, 3]) {
    for (const service of [4, 5]) {
      const counts = talk(chance, 0.8, 14, (WINDOW.toMs - FIRST_MS) / MINUTE_MS);
      for (const [minute, count] of counts.entries()) {
        const atMs = FIRST_MS + minute * MINUTE_MS;
        const cell = { channel, service, outcome: USUAL, count };
        if (count === 0) continue;
        if (atMs < WINDOW.fromMs) hours.push({ ...cell, slot: Math.floor(atMs / HOUR_MS) });
        else minutes.push({ ...cell, slot: atMs / MINUTE_MS });
      }
    }
  }
  const grid = createTrafficGrid({
    direction: 'inbound',
    window: WINDOW,
    hours: toTrafficCells(hours),
    minutes: toTrafficCells(minutes),
    covered: [{ fromMs: 0, toMs: WINDOW.toMs }],
  });
  expect(findIncidents([grid])).toEqual([]);
});
