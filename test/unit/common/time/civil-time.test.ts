import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  civilToUtcMs,
  fromCivilTime,
  isRealCivilTime,
  isTimeZone,
  toCivilTime,
  toOffsetLabel,
  toOffsetMs,
  utcMsToCivil,
} from '../../../../src-main/common/time/civil-time.ts';
import {
  formatWireDate,
  fromWireDate,
  parseWireDate,
  toWireDate,
} from '../../../../src-main/common/reporting/wire-documents.ts';

const anyInstantMs = fc.integer({ min: Date.UTC(1971, 0, 1), max: Date.UTC(2099, 11, 31) });
const zones = fc.constantFrom(
  'UTC',
  'America/Bogota',
  'Europe/Berlin',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
);

describe('wire dates', () => {
  it('give the same second back through any zone, but for the hour a clock shows twice', () => {
    fc.assert(
      fc.property(anyInstantMs, zones, (instantMs, zone) => {
        const second = Math.floor(instantMs / 1000) * 1000;
        const back = fromWireDate(toWireDate(second, zone), zone);
        expect(typeof back).toBe('number');
        // An hour (or half, on Lord Howe) shown twice is read as its first showing.
        expect([0, 3_600_000, 1_800_000]).toContain(second - Number(back));
        expect(toWireDate(Number(back), zone)).toBe(toWireDate(second, zone));
      }),
    );
  });

  it.each([
    ['2024-06-31 00:00:00', 'impossible'],
    ['2023-02-29 00:00:00', 'impossible'],
    ['2024-01-01 24:00:00', 'impossible'],
    ['2024-01-01 23:59:60', 'impossible'],
    ['2024-13-01 00:00:00', 'impossible'],
    ['2024-1-1 00:00:00', 'misformed'],
    ['2024-01-01T00:00:00', 'misformed'],
    ['2024-01-01', 'misformed'],
    ['', 'misformed'],
  ])('%j is %s, never another day', (text, fault) => {
    expect(parseWireDate(text)).toBe(fault);
  });

  it('reads a leap day and writes it again', () => {
    const civil = parseWireDate('2024-02-29 23:59:59');
    expect(typeof civil === 'string' ? civil : formatWireDate(civil)).toBe('2024-02-29 23:59:59');
  });
});

describe('civil time', () => {
  it('keeps the years before 100', () => {
    const civil = { year: 1, month: 1, day: 1, hour: 0, minute: 0, second: 0, millisecond: 0 };
    expect(isRealCivilTime(civil)).toBe(true);
    expect(utcMsToCivil(civilToUtcMs(civil))).toEqual(civil);
  });

  it('goes on before the year 1, in any zone', () => {
    const lastMs = civilToUtcMs({
      year: 0,
      month: 12,
      day: 31,
      hour: 23,
      minute: 0,
      second: 0,
      millisecond: 0,
    });
    for (const zone of ['America/Bogota', 'Asia/Tokyo', '-05:00']) {
      const offsetMs = toOffsetMs(lastMs, zone);
      expect(Math.abs(offsetMs)).toBeLessThan(15 * 3_600_000);
      expect(fromCivilTime(toCivilTime(lastMs, zone), zone)).toBe(lastMs);
    }
  });

  it('takes the earlier instant of an hour shown twice', () => {
    const civil = { year: 2026, month: 10, day: 25, hour: 2, minute: 30, second: 0, millisecond: 0 };
    expect(fromCivilTime(civil, 'Europe/Berlin')).toBe(Date.UTC(2026, 9, 25, 0, 30));
  });

  it('moves on from an hour that no clock shows', () => {
    const civil = { year: 2026, month: 3, day: 29, hour: 2, minute: 30, second: 0, millisecond: 0 };
    const instantMs = fromCivilTime(civil, 'Europe/Berlin');
    expect(toCivilTime(instantMs, 'Europe/Berlin')).toMatchObject({ hour: 3, minute: 30 });
  });

  it('labels offsets as they are usually written', () => {
    expect(toOffsetLabel(0, 'UTC')).toBe('UTC');
    expect(toOffsetLabel(Date.UTC(2026, 10, 20), 'America/Bogota')).toBe('UTC−05:00');
    expect(toOffsetLabel(Date.UTC(2026, 10, 20), 'Asia/Kathmandu')).toBe('UTC+05:45');
  });

  it('knows zones from nonsense', () => {
    expect(isTimeZone('America/Bogota')).toBe(true);
    expect(isTimeZone('Mars/Olympus')).toBe(false);
  });
});
