import { describe, expect, test } from 'vitest';
import {
  toHeatCells,
  toHeatLevel,
  toHeatScale,
  type HeatMeasure,
  listWeekHours,
} from '../../../../../src-renderer/screens/summary/charts/week/week-hours.ts';

const HOUR_MS = 3_600_000;
/** Monday, 16 November 2026. */
const MONDAY_MS = Date.UTC(2026, 10, 16);
const periodOf = (fromMs: number, hours: number) => ({ fromMs, toMs: fromMs + hours * HOUR_MS });
const heldHours = (hours: ReturnType<typeof listWeekHours>) =>
  hours.flatMap(({ heldMs, spans }, place) => (heldMs > 0 ? [[place, heldMs / HOUR_MS, spans.length]] : []));

describe('the hours of a week', () => {
  test('are those of the clock of the zone, with the parts of a period that begins within one', () => {
    const period = periodOf(MONDAY_MS - HOUR_MS / 2, 1.5);
    expect(heldHours(listWeekHours(period, null, 'UTC'))).toEqual([
      [0, 1, 1],
      [167, 0.5, 1],
    ]);
    // In Kolkata the half hours fall on whole ones.
    expect(heldHours(listWeekHours(period, null, 'Asia/Kolkata'))).toEqual([
      [5, 1, 1],
      [6, 0.5, 1],
    ]);
  });

  test('have the hour that a clock shows twice as one span, and not the one that it leaves out', () => {
    // The clocks of Madrid: 25 October 2026 from 03:00 back to 02:00, 28 March 2027 from 02:00 on to 03:00.
    const back = listWeekHours(periodOf(Date.UTC(2026, 9, 24, 22), 25), null, 'Europe/Madrid');
    const sunday = 6 * 24;
    expect([back[sunday + 2]?.spans, back[sunday + 2]?.heldMs]).toEqual([
      [{ fromMs: Date.UTC(2026, 9, 25), toMs: Date.UTC(2026, 9, 25, 2) }],
      2 * HOUR_MS,
    ]);
    expect(heldHours(back)).toHaveLength(24);
    const on = listWeekHours(periodOf(Date.UTC(2027, 2, 27, 23), 23), null, 'Europe/Madrid');
    expect([on[sunday + 1]?.heldMs, on[sunday + 2]?.heldMs, on[sunday + 3]?.heldMs]).toEqual([
      HOUR_MS,
      0,
      HOUR_MS,
    ]);
    expect(heldHours(on)).toHaveLength(23);
  });

  test('know how often a period has them, and how much of that is not cached', () => {
    const hour = { fromMs: MONDAY_MS + 14 * HOUR_MS, toMs: MONDAY_MS + 15 * HOUR_MS };
    const period = periodOf(MONDAY_MS, 15 * 24);
    const gaps = [
      { ...hour, state: 'missing' as const },
      { fromMs: hour.fromMs + 168 * HOUR_MS, toMs: hour.fromMs + 168.5 * HOUR_MS, state: 'partial' as const },
      // Reaches beyond the period.
      { fromMs: period.toMs - HOUR_MS, toMs: period.toMs + HOUR_MS },
    ];
    const hours = listWeekHours(period, gaps, 'UTC');
    expect(hours[14]?.spans.map(({ fromMs }) => (fromMs - MONDAY_MS) / HOUR_MS)).toEqual([14, 182, 350]);
    expect(hours[14]).toMatchObject({ missingMs: 1.5 * HOUR_MS, partialMs: 0.5 * HOUR_MS });
    expect(hours[23]).toMatchObject({ heldMs: 3 * HOUR_MS, missingMs: HOUR_MS });
    expect(listWeekHours(period, null, 'UTC')[14]).toMatchObject({ missingMs: null });
  });
});

describe('what a heat map says of an hour', () => {
  const hour = (heldMs: number, missingMs: number | null, partialMs = 0) => ({
    spans: [],
    heldMs,
    missingMs,
    partialMs,
  });
  const read = (
    measure: HeatMeasure,
    count: number,
    held: ReturnType<typeof hour>,
  ): readonly [string | undefined, number | null | undefined] => {
    const [cell] = toHeatCells([{ count, failures: 1, medianMs: 120 }], [held], measure);
    return [cell?.state, cell?.value];
  };

  test('is its requests in an hour that is cached, however often the period has it', () => {
    expect(read('volume', 100, hour(4 * HOUR_MS, 0))).toEqual(['shown', 25]);
    expect(read('volume', 100, hour(4 * HOUR_MS, 2 * HOUR_MS))).toEqual(['shown', 50]);
    expect(read('volume', 0, hour(HOUR_MS, 0))).toEqual(['shown', 0]);
  });

  test('is no zero where nothing is cached, and no number of a few minutes or of parts of downloads', () => {
    expect(read('volume', 0, hour(HOUR_MS, HOUR_MS))).toEqual(['missing', null]);
    expect(read('volume', 0, hour(0, 0))).toEqual(['outside', null]);
    expect(read('volume', 40, hour(HOUR_MS, HOUR_MS - 60_000))).toEqual(['unsure', null]);
    expect(read('volume', 40, hour(HOUR_MS, HOUR_MS / 2, HOUR_MS / 2))).toEqual(['unsure', null]);
    expect(read('volume', 40, hour(HOUR_MS, null))).toEqual(['unsure', null]);
  });

  test('is no share and no median of a few requests', () => {
    expect(read('errorShare', 19, hour(HOUR_MS, 0))).toEqual(['unsure', null]);
    expect(read('errorShare', 20, hour(HOUR_MS, null))).toEqual(['shown', 0.05]);
    expect(read('median', 19, hour(HOUR_MS, 0))).toEqual(['unsure', null]);
    expect(read('median', 20, hour(HOUR_MS, 0))).toEqual(['shown', 120]);
  });

  test.each([
    ['volume', [0, 1234], [0, 250, 500, 750, 1000, 1250]],
    ['volume', [], [0, 1, 2, 3, 4, 5]],
    ['errorShare', [0, 0.001], [0, 0.004, 0.008, 0.012, 0.016, 0.02]],
    ['errorShare', [0.2, 1], [0, 0.2, 0.4, 0.6, 0.8, 1]],
    ['median', [118, 260], [80, 120, 160, 200, 240, 280]],
    ['median', [120, 120], [120, 121, 122, 123, 124, 125]],
  ] as const)('is coloured by equal steps with round edges: %s of %j', (measure, values, edges) => {
    const cells = values.map((value) => ({ ...cell, value }));
    const scale = toHeatScale(cells, measure);
    expect(scale.edges).toEqual(edges);
    const levels = values.map((value) => toHeatLevel(value, scale));
    expect(levels.every((level) => level >= 0 && level <= 4)).toBe(true);
    expect(toHeatLevel(edges[1], scale)).toBe(1);
  });
  const cell = { count: 1, failures: 0, medianMs: null, hour: hour(HOUR_MS, 0), state: 'shown' as const };
});
