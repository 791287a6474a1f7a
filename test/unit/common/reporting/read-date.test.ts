import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createDateReader,
  isEmptyDate,
  readDate,
} from '../../../../src-main/common/reporting/reading/read-date.ts';
import { toWireDate } from '../../../../src-main/common/reporting/wire-documents.ts';

const at = Date.UTC(2026, 10, 20, 10, 15, 30, 123);
const whole = Date.UTC(2026, 10, 20, 10, 15, 30);

describe('decision 3, client: forms of a date', () => {
  it.each([
    ['2026-11-20T10:15:30.123Z', at],
    ['2026-11-20T10:15:30.1234567Z', at],
    ['2026-11-20T10:15:30.123', at],
    ['2026-11-20T10:15:30,123Z', at],
    ['2026-11-20T10:15:30Z', whole],
    ['2026-11-20t10:15:30z', whole],
    ['2026-11-20 10:15:30', whole],
    ['2026-11-20 10:15:30.123', at],
    ['2026-11-20 10:15:30.1234567', at],
    ['2026-11-20 10:15:30.1', whole + 100],
    ['2026-11-20T10:15', whole - 30_000],
    ['2026-11-20', Date.UTC(2026, 10, 20)],
    ['2026-11-20T10:15:30.123+02:00', at - 7_200_000],
    ['2026-11-20T10:15:30.123-0530', at + 19_800_000],
    ['2026-11-20T10:15:30.123+02', at - 7_200_000],
    ['2026-11-20 10:15:30 +02:00', whole - 7_200_000],
    [' 2026-11-20T10:15:30.123Z ', at],
    [`/Date(${at})/`, at],
    [`/Date(${at}+0200)/`, at],
    ['/Date(-1000)/', -1000],
    [at, at],
    [String(at), at],
    [whole / 1000, whole],
    [String(whole / 1000), whole],
    [whole / 1000 + 0.5, whole + 500],
    ['2024-02-29T00:00:00.000Z', Date.UTC(2024, 1, 29)],
    ['1969-12-31T23:59:59.999Z', -1],
  ])('decision 3, client: %j', (text, expected) => {
    expect(readDate(text, 'UTC')).toBe(expected);
  });
  it.each([
    '2026-02-29T10:15:30.123Z',
    '2026-06-31 00:00:00',
    '2026-13-01T00:00:00.000Z',
    '2026-00-10T00:00:00.000Z',
    '2026-11-20T24:00:00.000Z',
    '2026-11-20T10:60:30.123Z',
    '2026-11-20T10:15:60.123Z',
    '2026-11-20T10:1x:30.123Z',
    '2026-11-20T10:15:30.12xZ',
    '2026-11-20T10:15:30.123+25:00',
    '20/11/2026',
    '31/06/2024',
    '20261120',
    '20261120101530',
    'yesterday',
    '638678997301234567',
    '/Date(99999999999999999)/',
    5,
    -5,
    Number.NaN,
    true,
    {},
    [],
  ])('decision 3, client: %j is no date, not the next best one', (value) => {
    expect(readDate(value, 'UTC')).toBeNull();
    expect(isEmptyDate(value)).toBe(false);
  });
  it.each(['', null, undefined, 0, '0', '0001-01-01T00:00:00', '0001-01-01', '/Date(-62135596800000)/'])(
    'decision 3, client: %j is empty',
    (value) => {
      expect(readDate(value, 'UTC')).toBeNull();
      expect(isEmptyDate(value)).toBe(true);
    },
  );
});

describe('decision 3, client: a date without a zone is in the zone of the connection', () => {
  const read = createDateReader('America/New_York');
  it.each([
    ['2026-07-01 12:00:00', Date.UTC(2026, 6, 1, 16)],
    ['2026-12-01 12:00:00', Date.UTC(2026, 11, 1, 17)],
    ['2026-12-01', Date.UTC(2026, 11, 1, 5)],
    // The hour that the clock skips, and the one that it shows twice.
    ['2026-03-08 02:30:00', Date.UTC(2026, 2, 8, 7, 30)],
    ['2026-11-01 01:30:00', Date.UTC(2026, 10, 1, 5, 30)],
    ['2026-12-01T12:00:00Z', Date.UTC(2026, 11, 1, 12)],
    [String(at), at],
  ])('decision 3, client: %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });
  it('refuses a zone that does not exist', () => {
    expect(() => createDateReader('Mars/Olympus')).toThrow(RangeError);
  });
});

describe('dates that were written are read back', () => {
  const instants = fc.integer({ min: Date.UTC(1000, 0, 1), max: Date.UTC(9999, 11, 31) });
  it('in the form of the bundled service', () => {
    fc.assert(
      fc.property(instants, (epochMs) => {
        const text = new Date(epochMs).toISOString();
        expect(readDate(text, 'Asia/Kathmandu')).toBe(epochMs);
        expect(readDate(text.replace('Z', '0000'), 'UTC')).toBe(epochMs);
        expect(readDate(text.replace('Z', '-00:00'), 'Asia/Kathmandu')).toBe(epochMs);
      }),
    );
  });
  it('without a zone, in zones that move their clocks, but for the hour shown twice', () => {
    const zones = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/St_Johns',
      'Australia/Lord_Howe',
      '+05:45',
    );
    const recent = fc.integer({ min: Date.UTC(1990, 0, 1) / 1000, max: Date.UTC(2035, 0, 1) / 1000 });
    fc.assert(
      fc.property(zones, recent, (zone, epochSeconds) => {
        const text = toWireDate(epochSeconds * 1000, zone);
        const readMs = readDate(text, zone);
        expect(readMs).not.toBeNull();
        expect(toWireDate(readMs!, zone)).toBe(text);
        expect(readMs! <= epochSeconds * 1000).toBe(true);
      }),
    );
  });
  it('never reads a date that does not exist', () => {
    const part = fc.integer({ min: 0, max: 99 });
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 9999 }), part, part, part, (year, month, day, hour) => {
        const pad = (value: number, length: number): string => String(value).padStart(length, '0');
        const text = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}T${pad(hour, 2)}:00:00.000Z`;
        const readMs = readDate(text, 'UTC');
        if (readMs !== null) expect(new Date(readMs).toISOString()).toBe(text);
        else expect(month < 1 || month > 12 || day < 1 || day > 28 || hour > 23).toBe(true);
      }),
    );
  });
});
