import { describe, expect, it } from 'vitest';
import {
  DEFAULT_LEFT_OUT,
  findPlannedFault,
  listDownTimes,
  listOccurrences,
  listSetAside,
  parseCron,
  type PlannedTime,
  type PlannedTimes,
} from '../../../../../src-main/common/model/connections/planned.ts';

function makeTime(times: PlannedTimes, change: Partial<PlannedTime> = {}): PlannedTime {
  return {
    id: 'a',
    name: 'Maintenance',
    kind: 'planned',
    zone: 'UTC',
    times,
    leftOut: DEFAULT_LEFT_OUT.planned,
    ...change,
  };
}
const span = (from: string, to: string) => ({ fromMs: Date.parse(from), toMs: Date.parse(to) });
function list(times: PlannedTimes, change: Partial<PlannedTime>, from: string, to: string): string[] {
  return listOccurrences(makeTime(times, change), span(from, to)).map(
    ({ fromMs, toMs }) =>
      `${new Date(fromMs).toISOString().slice(0, 16)} ${new Date(toMs).toISOString().slice(0, 16)}`,
  );
}
const THURSDAYS: PlannedTimes = { repeats: 'weekly', weekdays: ['thursday'], from: '21:00', minutes: 180 };

describe('planned times', () => {
  it('weekly: each that touches the span, whole, from the first to the last day', () => {
    expect(list(THURSDAYS, {}, '2026-11-05T23:00Z', '2026-11-20T00:00Z')).toEqual([
      '2026-11-05T21:00 2026-11-06T00:00',
      '2026-11-12T21:00 2026-11-13T00:00',
      '2026-11-19T21:00 2026-11-20T00:00',
    ]);
    const limited = { firstDay: '2026-11-12', lastDay: '2026-11-18' };
    expect(list(THURSDAYS, limited, '2026-11-01T00:00Z', '2026-12-01T00:00Z')).toHaveLength(1);
  });

  it('weekly: keep their time by the clock of their zone when it is moved', () => {
    const nights: PlannedTimes = { repeats: 'weekly', weekdays: ['sunday'], from: '01:00', minutes: 180 };
    expect(list(nights, { zone: 'Europe/Madrid' }, '2026-10-17T00:00Z', '2026-10-26T00:00Z')).toEqual([
      '2026-10-17T23:00 2026-10-18T02:00',
      // The clock shows 02:00 to 03:00 twice: four hours.
      '2026-10-24T23:00 2026-10-25T03:00',
    ]);
  });

  it.each<[PlannedTimes & { repeats: 'monthly' }, string[]]>([
    [monthly({ nth: 'last', weekday: 'friday' }), ['2026-01-30', '2026-02-27', '2026-03-27']],
    [monthly({ nth: 2, weekday: 'tuesday' }), ['2026-01-13', '2026-02-10', '2026-03-10']],
    [monthly({ workingDay: 'last' }), ['2026-01-30', '2026-02-27', '2026-03-31']],
    [monthly({ day: 'last' }), ['2026-01-31', '2026-02-28', '2026-03-31']],
    [monthly({ day: 30 }), ['2026-01-30', '2026-03-30']],
  ])('monthly: %o', (times, days) => {
    const found = list(times, {}, '2026-01-01T00:00Z', '2026-04-01T00:00Z');
    expect(found.map((text) => text.slice(0, 10))).toEqual(days);
  });

  it('by a cron line, as cron has it: where both days are limited, one suffices', () => {
    const cron: PlannedTimes = { repeats: 'cron', cron: '30 2,14 1 * mon', minutes: 30 };
    expect(list(cron, {}, '2026-11-01T00:00Z', '2026-11-03T00:00Z').map((text) => text.slice(0, 16))).toEqual(
      ['2026-11-01T02:30', '2026-11-01T14:30', '2026-11-02T02:30', '2026-11-02T14:30'],
    );
    expect(parseCron('*/15 9-17/4 * jan-mar SUN')).toMatchObject({
      minutes: new Set([0, 15, 30, 45]),
      hours: new Set([9, 13, 17]),
      weekdays: new Set([0]),
    });
    for (const text of ['', '* * * *', '60 * * * *', '* * 0 * *', '5-1 * * * *', '*/0 * * * *', 'a * * * *'])
      expect(parseCron(text), text).toBeNull();
  });

  it('of a list, with the names of its dates, and of years without end no more than anybody needs', () => {
    const times: PlannedTimes = {
      repeats: 'dates',
      dates: [
        { from: '2026-12-25T00:00', to: '2026-12-26T00:00', name: 'Christmas' },
        { from: '2026-05-01T00:00', to: '2026-05-02T00:00' },
      ],
    };
    const found = listOccurrences(makeTime(times), span('2026-01-01T00:00Z', '2027-01-01T00:00Z'));
    expect(found.map(({ name }) => name)).toEqual(['Maintenance', 'Christmas']);
    const always: PlannedTimes = { repeats: 'cron', cron: '* * * * *', minutes: 1 };
    expect(
      listOccurrences(makeTime(always), span('1970-01-01T00:00Z', '9999-01-01T00:00Z')).length,
    ).toBeLessThan(25_000);
  });

  it('are refused with what is wrong of them', () => {
    const faultOf = (times: PlannedTimes, change: Partial<PlannedTime> = {}) =>
      findPlannedFault(makeTime(times, change));
    const dates = (from: string, to: string): PlannedTimes => ({ repeats: 'dates', dates: [{ from, to }] });
    expect(faultOf(THURSDAYS)).toBeNull();
    expect(faultOf(THURSDAYS, { zone: 'Mars/Base' })).toBe('zone');
    expect(faultOf({ repeats: 'cron', cron: '61 * * * *', minutes: 5 })).toBe('cron');
    expect(faultOf(dates('2026-02-30T00:00', '2026-03-01T00:00'))).toBe('date');
    expect(faultOf(dates('2026-03-02T00:00', '2026-03-01T00:00'))).toBe('order');
    expect(faultOf(THURSDAYS, { firstDay: '2026-11-05', lastDay: '2026-11-04' })).toBe('days');
  });

  it('are set aside at each channel and service that they are limited to, uptime only everywhere', () => {
    const plans = {
      marks: [],
      times: [
        makeTime(THURSDAYS, { channels: [1, 2], services: [7] }),
        makeTime(THURSDAYS, { leftOut: { findings: false, alerts: 'on', uptime: true } }),
      ],
    };
    const week = span('2026-11-25T00:00Z', '2026-11-28T00:00Z');
    const places = listSetAside(plans, week).filter(({ toMs }) => toMs > week.fromMs);
    expect(places.map(({ channel, service }) => [channel, service])).toEqual([
      [1, 7],
      [2, 7],
    ]);
    expect(listDownTimes(plans, week)).toEqual([span('2026-11-26T21:00Z', '2026-11-27T00:00Z')]);
  });
});

function monthly(on: (PlannedTimes & { repeats: 'monthly' })['on']): PlannedTimes & { repeats: 'monthly' } {
  return { repeats: 'monthly', on, from: '18:00', minutes: 60 };
}
