import { describe, expect, it } from 'vitest';
import { WEEKDAYS, type Schedule } from '../../../../src-main/common/model/schedules/schedule.ts';
import { MAX_CAUGHT_UP, planRuns } from '../../../../src-main/core/schedules/schedule-book.ts';

const at = (text: string): number => Date.parse(`2026-11-${text}:00Z`);
const schedule = (change: Partial<Schedule> = {}) => ({
  period: 'yesterday' as const,
  zone: 'UTC',
  times: { kind: 'daily' as const, time: '07:00', weekdays: [...WEEKDAYS] },
  countsFromMs: at('01T12:00'),
  ...change,
});
const plan = (change: Partial<Schedule>, handled: string, now: string, written = handled) => {
  const progress = {
    handledMs: handled === '' ? 0 : at(handled),
    writtenToMs: written === '' ? 0 : at(written),
  };
  return planRuns(schedule(change), progress, at(now), 'monday').map((run) => ({
    ...run,
    dueAtMs: new Date(run.dueAtMs).toISOString().slice(8, 16),
    fromMs: new Date(run.fromMs).toISOString().slice(8, 16),
    toMs: new Date(run.toMs).toISOString().slice(8, 16),
  }));
};

describe('the runs that are due', () => {
  it('are none before the time, and none for a time before the schedule was made', () => {
    expect(plan({}, '', '02T06:59')).toEqual([]);
    expect(plan({ countsFromMs: at('20T07:30') }, '', '20T12:00')).toEqual([]);
    expect(plan({}, '20T07:00', '21T06:59')).toEqual([]);
  });

  it('are one at the time, and none for it after that', () => {
    const due = { dueAtMs: '20T07:00', cause: 'time', fromMs: '19T00:00', toMs: '20T00:00', skipped: 0 };
    expect(plan({}, '19T07:00', '20T07:00')).toEqual([due]);
    expect(plan({}, '20T07:00', '20T07:01')).toEqual([]);
  });

  it('after days away are one for each day, oldest first, of a week at most', () => {
    const runs = plan({}, '17T07:00', '20T09:00');
    expect(runs.map(({ fromMs, cause }) => [fromMs, cause])).toEqual([
      ['17T00:00', 'catch-up'],
      ['18T00:00', 'catch-up'],
      ['19T00:00', 'catch-up'],
    ]);
    const many = plan({}, '02T07:00', '20T09:00');
    expect(many).toHaveLength(MAX_CAUGHT_UP);
    expect(many[0]).toMatchObject({ fromMs: '13T00:00', skipped: 11 });
    expect(many.at(-1)).toMatchObject({ fromMs: '19T00:00', skipped: 0 });
  });

  it('after days away are one for a week that several times stand for', () => {
    expect(plan({ period: 'last-week' }, '17T07:00', '20T09:00')).toEqual([
      { dueAtMs: '20T07:00', cause: 'catch-up', fromMs: '09T00:00', toMs: '16T00:00', skipped: 2 },
    ]);
  });

  it('after hours away are one for a period that the newest stands for', () => {
    const times = { kind: 'hourly' as const, hours: 1 as const };
    expect(plan({ period: 'last-24-hours', times }, '20T01:00', '20T09:30')).toEqual([
      { dueAtMs: '20T09:00', cause: 'catch-up', fromMs: '19T09:00', toMs: '20T09:00', skipped: 7 },
    ]);
  });

  it('after hours away are one over everything since the time before', () => {
    const times = { kind: 'hourly' as const, hours: 1 as const };
    expect(plan({ period: 'since-before', times }, '20T01:00', '20T09:00')).toEqual([
      { dueAtMs: '20T09:00', cause: 'time', fromMs: '20T01:00', toMs: '20T09:00', skipped: 7 },
    ]);
  });

  it('take up the period of a run that failed, where nothing may be left out', () => {
    const times = { kind: 'hourly' as const, hours: 1 as const };
    const change = { period: 'since-before' as const, times };
    expect(plan(change, '20T08:00', '20T09:00', '20T06:00')).toMatchObject([
      { fromMs: '20T06:00', toMs: '20T09:00' },
    ]);
    // What was before it was switched on is nobody's.
    const later = { ...change, countsFromMs: at('20T07:30') };
    expect(plan(later, '20T08:00', '20T09:00', '10T06:00')).toMatchObject([
      { fromMs: '20T07:00', toMs: '20T09:00' },
    ]);
  });

  it('are none where the clock of the computer was set back', () => {
    expect(plan({}, '20T07:00', '19T08:00')).toEqual([]);
  });
});
