import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findLastDue,
  findNextDue,
  HOUR_STEPS,
  SCHEDULE_PERIODS,
  type ScheduleTimes,
  toRunPeriod,
  WEEKDAYS,
} from '../../../../../src-main/common/model/schedules/schedule.ts';
import { formatMoment, toCivilTime } from '../../../../../src-main/common/time/civil-time.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const daily = (time: string, ...weekdays: (typeof WEEKDAYS)[number][]): ScheduleTimes => ({
  kind: 'daily',
  time,
  weekdays: weekdays.length === 0 ? [...WEEKDAYS] : weekdays,
});

/** The next times from a moment on, as the clock of the zone shows them. */
function listNext(times: ScheduleTimes, zone: string, from: string, count: number): string[] {
  let atMs = Date.parse(from);
  return Array.from({ length: count }, () => {
    atMs = findNextDue(times, zone, atMs);
    return formatMoment(atMs, zone).slice(0, 16);
  });
}

describe('when a schedule is due', () => {
  it('is later than the moment, also than its own time', () => {
    const times = daily('07:00');
    expect(listNext(times, 'UTC', '2026-11-20T06:59:59Z', 2)).toEqual([
      '2026-11-20 07:00',
      '2026-11-21 07:00',
    ]);
    expect(listNext(times, 'UTC', '2026-11-20T07:00:00Z', 1)).toEqual(['2026-11-21 07:00']);
    expect(findLastDue(times, 'UTC', Date.parse('2026-11-20T07:00:00Z'))).toBe(
      Date.parse('2026-11-20T07:00Z'),
    );
  });

  it('keeps to its weekdays', () => {
    const times = daily('18:30', 'monday', 'friday');
    // 20 November 2026 is a Friday.
    expect(listNext(times, 'America/Bogota', '2026-11-20T23:31:00Z', 3)).toEqual([
      '2026-11-23 18:30',
      '2026-11-27 18:30',
      '2026-11-30 18:30',
    ]);
  });

  it.each([
    ['Europe/Berlin', '02:30', '2026-03-27T12:00:00Z', ['03-28 02:30', '03-29 03:30', '03-30 02:30']],
    ['Europe/Berlin', '02:30', '2026-10-23T12:00:00Z', ['10-24 02:30', '10-25 02:30', '10-26 02:30']],
    ['America/New_York', '02:15', '2026-03-07T12:00:00Z', ['03-08 03:15', '03-09 02:15']],
    ['Australia/Lord_Howe', '02:10', '2026-10-02T12:00:00Z', ['10-03 02:10', '10-04 02:40', '10-05 02:10']],
    // The clock goes from midnight to one.
    ['Africa/Cairo', '00:30', '2026-04-22T12:00:00Z', ['04-23 00:30', '04-24 01:30', '04-25 00:30']],
  ])('in %s at %s, where the clock changes, is once a day', (zone, time, from, expected) => {
    const found = listNext(daily(time), zone, from, expected.length);
    expect(found).toEqual(expected.map((moment) => `2026-${moment}`));
  });

  it('leaves out a day that a zone leaves out', () => {
    // Samoa went from the 29th to the 31st of December 2011.
    expect(listNext(daily('07:00'), 'Pacific/Apia', '2011-12-29T00:00:00Z', 3)).toEqual([
      '2011-12-29 07:00',
      '2011-12-31 07:00',
      '2012-01-01 07:00',
    ]);
  });

  it('counts hours from midnight, also through a night of nine or seven', () => {
    const times: ScheduleTimes = { kind: 'hourly', hours: 6 };
    expect(listNext(times, 'Europe/Berlin', '2026-10-24T21:00:00Z', 6)).toEqual([
      '2026-10-25 00:00',
      '2026-10-25 05:00',
      '2026-10-25 11:00',
      '2026-10-25 17:00',
      '2026-10-25 23:00',
      '2026-10-26 00:00',
    ]);
  });

  const anyZone = fc.constantFrom(
    ...['UTC', 'Europe/Berlin', 'America/New_York', 'America/Bogota', 'Australia/Lord_Howe'],
    ...['Asia/Kathmandu', 'Africa/Cairo', 'America/Santiago', 'Pacific/Chatham', '-05:00'],
  );
  const anyTimes: fc.Arbitrary<ScheduleTimes> = fc.oneof(
    fc.record({
      kind: fc.constant('daily' as const),
      time: fc
        .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
        .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':')),
      weekdays: fc.subarray([...WEEKDAYS], { minLength: 1 }),
    }),
    fc.record({ kind: fc.constant('hourly' as const), hours: fc.constantFrom(...HOUR_STEPS) }),
  );
  const anyMoment = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2035, 0, 1) });

  it('in any zone the time before and the time after leave none out between them', () => {
    fc.assert(
      fc.property(anyTimes, anyZone, anyMoment, (times, zone, atMs) => {
        const next = findNextDue(times, zone, atMs);
        const last = findLastDue(times, zone, atMs);
        expect(last).toBeLessThanOrEqual(atMs);
        expect(next).toBeGreaterThan(atMs);
        expect(findNextDue(times, zone, last)).toBe(next);
        expect(findLastDue(times, zone, next - 1)).toBe(last);
        const longest = times.kind === 'hourly' ? times.hours * HOUR_MS : 7 * DAY_MS + 2 * HOUR_MS;
        expect(next - last).toBeLessThanOrEqual(longest);
        if (times.kind === 'daily') {
          const { hour, minute } = toCivilTime(next, zone);
          const lateMs = (hour * 60 + minute) * 60_000 - toMinutes(times.time) * 60_000;
          // As asked for, or moved by what the clock leaves out.
          expect([0, HOUR_MS / 2, HOUR_MS]).toContain(lateMs);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('in any zone a period ends at its run or before, and one since the time before leaves nothing out', () => {
    fc.assert(
      fc.property(anyTimes, anyZone, anyMoment, (times, zone, atMs) => {
        const due = findNextDue(times, zone, atMs);
        for (const period of SCHEDULE_PERIODS) {
          const { fromMs, toMs } = toRunPeriod({ period, zone, times }, due, 'monday');
          expect(toMs, period).toBeLessThanOrEqual(due);
          expect(fromMs, period).toBeLessThan(toMs);
        }
        const before = findLastDue(times, zone, due - 1);
        const [first, second] = [before, due].map((dueMs) =>
          toRunPeriod({ period: 'since-before', zone, times }, dueMs, 'monday'),
        );
        expect(second!.fromMs).toBe(first!.toMs);
      }),
      { numRuns: 200 },
    );
  });
});

function toMinutes(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}

describe('the period of a run', () => {
  const show = (
    period: (typeof SCHEDULE_PERIODS)[number],
    due: string,
    zone: string,
    weekStart = 'monday',
  ) => {
    const schedule = { period, zone, times: daily('07:00') };
    const { fromMs, toMs } = toRunPeriod(schedule, Date.parse(due), weekStart as 'monday');
    return [fromMs, toMs].map((atMs) => new Date(atMs).toISOString().slice(0, 16));
  };

  it('is of whole days, weeks and months of the zone', () => {
    expect(show('yesterday', '2026-11-20T12:00:00Z', 'America/Bogota')).toEqual([
      '2026-11-19T05:00',
      '2026-11-20T05:00',
    ]);
    // The day on which the clock goes back has 25 hours.
    expect(show('yesterday', '2026-10-26T06:00:00Z', 'Europe/Berlin')).toEqual([
      '2026-10-24T22:00',
      '2026-10-25T23:00',
    ]);
    expect(show('last-week', '2026-11-20T12:00:00Z', 'UTC')).toEqual([
      '2026-11-09T00:00',
      '2026-11-16T00:00',
    ]);
    expect(show('last-week', '2026-11-20T12:00:00Z', 'UTC', 'sunday')).toEqual([
      '2026-11-08T00:00',
      '2026-11-15T00:00',
    ]);
    expect(show('last-month', '2026-03-31T12:00:00Z', 'UTC')).toEqual([
      '2026-02-01T00:00',
      '2026-03-01T00:00',
    ]);
  });

  it('up to the run is today, and at midnight the day that ends', () => {
    expect(show('today', '2026-11-20T07:00:00Z', 'UTC')).toEqual(['2026-11-20T00:00', '2026-11-20T07:00']);
    expect(show('today', '2026-11-20T00:00:00Z', 'UTC')).toEqual(['2026-11-19T00:00', '2026-11-20T00:00']);
  });
});
