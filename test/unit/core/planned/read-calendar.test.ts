import { describe, expect, it } from 'vitest';
import { readCalendar } from '../../../../src-main/core/planned/read-calendar.ts';

const NOW = Date.UTC(2026, 10, 27, 9);
const wrap = (...events: string[][]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'X-WR-CALNAME:Berlin',
    ...events.flatMap((lines, place) => [
      'BEGIN:VEVENT',
      ...(lines.some((line) => line.startsWith('UID')) ? [] : [`UID:${place}`]),
      ...lines,
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
    '',
  ].join('\r\n');
const read = (text: string, zone = 'Europe/Madrid') =>
  readCalendar({ text, fileName: 'berlin.ics', zone, nowMs: NOW });

describe('a calendar', () => {
  it('becomes a special time of its whole days and a planned one of its hours, by the clock of the service', async () => {
    const { times, leftOut } = await read(
      wrap(
        ['DTSTART;VALUE=DATE:20261225', 'DTEND;VALUE=DATE:20261227', 'SUMMARY:Christ', ' mas\\, both'],
        ['DTSTART;VALUE=DATE:20261003', 'SUMMARY:Unity'],
        ['DTSTART:20261212T210000Z', 'DURATION:PT3H', 'SUMMARY:Move'],
        ['DTSTART;TZID=W. Europe Standard Time:20261213T100000', 'DURATION:PT1H', 'SUMMARY:From Outlook'],
        ['DTSTART:20261214T100000', 'DTEND:20261214T120000', 'SUMMARY:Without a zone'],
      ),
    );
    expect(leftOut).toEqual([]);
    expect(times).toMatchObject([
      {
        name: 'Berlin',
        kind: 'special',
        zone: 'Europe/Madrid',
        source: 'berlin.ics',
        times: {
          repeats: 'dates',
          dates: [
            { from: '2026-10-03T00:00', to: '2026-10-04T00:00', name: 'Unity' },
            { from: '2026-12-25T00:00', to: '2026-12-27T00:00', name: 'Christmas, both' },
          ],
        },
      },
      {
        kind: 'planned',
        times: {
          dates: [
            { from: '2026-12-12T22:00', to: '2026-12-13T01:00', name: 'Move' },
            { from: '2026-12-13T10:00', to: '2026-12-13T11:00', name: 'From Outlook' },
            { from: '2026-12-14T10:00', to: '2026-12-14T12:00', name: 'Without a zone' },
          ],
        },
      },
    ]);
  });

  it('keeps what repeats each week or month as such, and without end to the year 9999', async () => {
    const { times } = await read(
      wrap(
        [
          'DTSTART;TZID=Europe/Berlin:20261105T210000',
          'DTEND;TZID=Europe/Berlin:20261106T000000',
          'RRULE:FREQ=WEEKLY;BYDAY=TH;UNTIL=99991231T000000Z',
          'SUMMARY:Weekly',
        ],
        ['DTSTART:20260130T180000Z', 'DURATION:PT5H', 'RRULE:FREQ=MONTHLY;BYDAY=-1FR', 'SUMMARY:Monthly'],
      ),
    );
    expect(times).toMatchObject([
      {
        name: 'Weekly',
        zone: 'Europe/Berlin',
        firstDay: '2026-11-05',
        times: { repeats: 'weekly', weekdays: ['thursday'], from: '21:00', minutes: 180 },
      },
      {
        name: 'Monthly',
        zone: 'UTC',
        times: { repeats: 'monthly', on: { nth: 'last', weekday: 'friday' }, from: '18:00', minutes: 300 },
      },
    ]);
    expect(times[0]).not.toHaveProperty('lastDay');
  });

  it('writes out what repeats otherwise, over the change of the clock, without what is excepted and with what was moved', async () => {
    const berlin = (name: string, value: string) => `${name};TZID=Europe/Berlin:${value}`;
    const { times } = await read(
      wrap(
        [
          'UID:series',
          berlin('DTSTART', '20261015T210000'),
          berlin('DTEND', '20261015T220000'),
          'RRULE:FREQ=WEEKLY;COUNT=4',
          berlin('EXDATE', '20261022T210000'),
          'SUMMARY:Series',
        ],
        [
          'UID:series',
          berlin('RECURRENCE-ID', '20261105T210000'),
          berlin('DTSTART', '20261106T080000'),
          berlin('DTEND', '20261106T090000'),
          'SUMMARY:Moved',
        ],
      ),
      'UTC',
    );
    expect(times).toMatchObject([
      {
        times: {
          dates: [
            { from: '2026-10-15T19:00', to: '2026-10-15T20:00', name: 'Series' },
            { from: '2026-10-29T20:00', to: '2026-10-29T21:00', name: 'Series' },
            { from: '2026-11-06T07:00', to: '2026-11-06T08:00', name: 'Moved' },
          ],
        },
      },
    ]);
  });

  it('takes dates that an event lists one by one, beside those that it repeats on', async () => {
    const { times, leftOut } = await read(
      wrap(
        [
          'DTSTART;TZID=Europe/Berlin:20261015T210000',
          'DTEND;TZID=Europe/Berlin:20261016T003000',
          'RDATE;TZID=Europe/Berlin:20261020T210000,20261103T220000',
          'RDATE;TZID=Europe/Berlin:20261110T210000',
          'EXDATE;TZID=Europe/Berlin:20261110T210000',
          'SUMMARY:Listed',
        ],
        [
          'DTSTART:20261201T100000Z',
          'DURATION:PT1H',
          'RDATE;VALUE=PERIOD:20261202T100000Z/PT2H,20261203T100000Z/20261203T130000Z',
          'SUMMARY:Periods',
        ],
        [
          'DTSTART:20261204T100000Z',
          'DURATION:PT30M',
          'RRULE:FREQ=WEEKLY;BYDAY=FR',
          'RDATE:20261209T080000Z',
          'SUMMARY:Weekly',
        ],
        ['DTSTART;VALUE=DATE:20261224', 'RDATE;VALUE=DATE:20261231', 'SUMMARY:Half days'],
      ),
      'UTC',
    );
    expect(leftOut).toEqual([]);
    expect(times).toMatchObject([
      {
        kind: 'special',
        times: {
          dates: [
            { from: '2026-12-24T00:00', to: '2026-12-25T00:00', name: 'Half days' },
            { from: '2026-12-31T00:00', to: '2027-01-01T00:00', name: 'Half days' },
          ],
        },
      },
      {
        kind: 'planned',
        times: {
          dates: [
            { from: '2026-10-15T19:00', to: '2026-10-15T22:30', name: 'Listed' },
            { from: '2026-10-20T19:00', to: '2026-10-20T22:30', name: 'Listed' },
            { from: '2026-11-03T21:00', to: '2026-11-04T00:30', name: 'Listed' },
            { from: '2026-12-01T10:00', to: '2026-12-01T11:00', name: 'Periods' },
            { from: '2026-12-02T10:00', to: '2026-12-02T12:00', name: 'Periods' },
            { from: '2026-12-03T10:00', to: '2026-12-03T13:00', name: 'Periods' },
            { from: '2026-12-09T08:00', to: '2026-12-09T08:30', name: 'Weekly' },
          ],
        },
      },
      { name: 'Weekly', times: { repeats: 'weekly', weekdays: ['friday'], minutes: 30 } },
    ]);
  });

  it('leaves out what is no planned time, and says which and why', async () => {
    const good = ['DTSTART:20261212T210000Z', 'DURATION:PT3H', 'SUMMARY:Good'];
    const text = wrap(
      good,
      ['DTSTART:2026121', 'SUMMARY:Cut'],
      ['SUMMARY:Nothing'],
      ['DTSTART:20261212T210000Z', 'SUMMARY:A moment'],
      ['DTSTART:20261212T210000Z', 'DURATION:PT1M', 'RRULE:FREQ=SECONDLY', 'SUMMARY:Each second'],
      ['DTSTART:20261212T210000Z', 'DURATION:PT1H', 'RRULE:FREQ=SOMETIMES', 'SUMMARY:Sometimes'],
      ['DTSTART:19500101T210000Z', 'DURATION:PT1H', 'RRULE:FREQ=YEARLY;COUNT=3', 'SUMMARY:Long ago'],
    ).replace('END:VCALENDAR', 'BEGIN:VEVENT\r\nSUMMARY:Never ended\r\nthis is no line\r\nEND:VCALENDAR');
    const { times, leftOut } = await read(text);
    expect(times).toHaveLength(1);
    expect(leftOut).toEqual([
      { name: 'Cut', reason: 'broken' },
      { name: 'Nothing', reason: 'broken' },
      { name: 'A moment', reason: 'no-end' },
      { name: 'Each second', reason: 'too-often' },
      { name: 'Sometimes', reason: 'repeats' },
      { name: 'Long ago', reason: 'no-date' },
      { name: '', reason: 'broken' },
    ]);
  });

  it.each([
    ['what is no calendar', 'hello', 'planned.no-calendar'],
    ['an empty file', '', 'planned.no-calendar'],
    ['a calendar without events', wrap(), 'planned.no-events'],
    [
      'a hundred thousand events',
      wrap().replace('END:', `${'BEGIN:VEVENT\n'.repeat(20_000)}END:`),
      'planned.too-many-events',
    ],
    ['one that is too large', `BEGIN:VCALENDAR\n${'X'.repeat(600_000)}`, 'planned.calendar-too-large'],
    [
      'an unknown zone',
      wrap(['DTSTART;TZID=Mars/Base:20261212T210000', 'DURATION:PT3H', 'SUMMARY:Landing']),
      'planned.calendar-zone',
    ],
  ])('refuses %s', async (_what, text, code) => {
    await expect(read(text)).rejects.toMatchObject({ code });
  });
});
