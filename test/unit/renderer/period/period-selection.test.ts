import { expect, test } from 'vitest';
import {
  PERIOD_PRESETS,
  toPeriodEnds,
  toPeriod,
  type PeriodPreset,
} from '../../../../src-renderer/period/period-selection.ts';

const NOW = Date.UTC(2026, 10, 20, 20, 52, 6, 789);
const preset = (name: PeriodPreset) => ({ kind: 'preset', preset: name }) as const;
const read = (name: PeriodPreset, zone: string) => {
  const { startDate, endDate } = toPeriod(preset(name), NOW, zone, zone);
  return [startDate, endDate];
};

test('decision 5, client: rolling presets end at the last whole second', () => {
  expect(read('last-24-hours', 'America/Bogota')).toEqual(['2026-11-19 15:52:06', '2026-11-20 15:52:06']);
  expect(read('last-15-minutes', 'UTC')).toEqual(['2026-11-20 20:37:06', '2026-11-20 20:52:06']);
});

test('decision 5, client: yesterday ends one second before today begins', () => {
  expect(read('yesterday', 'UTC')).toEqual(['2026-11-19 00:00:00', '2026-11-19 23:59:59']);
  expect(read('today', 'UTC')).toEqual(['2026-11-20 00:00:00', '2026-11-20 20:52:06']);
});

test('this month begins on the first day at midnight of the zone', () => {
  expect(read('this-month', 'America/Bogota')[0]).toBe('2026-11-01 00:00:00');
});

test('decision 4, client: days picked in local time are sent in the service zone', () => {
  const period = toPeriod(preset('today'), NOW, 'UTC', 'America/Bogota');
  expect(period.startDate).toBe('2026-11-20 05:00:00');
  expect(period.zone).toBe('UTC');
});

test('a day on which the clock goes back is 25 hours long', () => {
  const { fromMs, toMs } = toPeriodEnds(preset('yesterday'), Date.UTC(2026, 9, 26, 12), 'Europe/Berlin');
  expect(toMs + 1000 - fromMs).toBe(25 * 3_600_000);
});

test('every preset is a period that does not end before it begins', () => {
  for (const name of PERIOD_PRESETS) {
    const { fromMs, toMs } = toPeriodEnds(preset(name), NOW, 'Asia/Kathmandu');
    expect(fromMs, name).toBeLessThanOrEqual(toMs);
    expect(toMs, name).toBeLessThanOrEqual(NOW);
  }
});
