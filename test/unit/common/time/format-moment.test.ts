import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatMoment,
  isShownTwice,
  nameZonedField,
  toOffsetMs,
} from '../../../../src-main/common/time/civil-time.ts';

const HOUR_MS = 3_600_000;

describe('a moment', () => {
  it('is written as the clock of the zone shows it, with milliseconds where there are some', () => {
    const atMs = Date.UTC(2026, 10, 20, 1, 2, 3);
    expect(formatMoment(atMs, 'UTC')).toBe('2026-11-20 01:02:03');
    expect(formatMoment(atMs + 45, 'America/Bogota')).toBe('2026-11-19 20:02:03.045');
    expect(nameZonedField('Date', 'America/Bogota')).toBe('Date (America/Bogota)');
  });

  it('tells its offset in the hour that is shown twice, and only there', () => {
    const firstMs = Date.UTC(2026, 9, 25, 0);
    const texts = [-1, 0, HOUR_MS - 1, HOUR_MS, 2 * HOUR_MS].map((ms) =>
      formatMoment(firstMs + ms, 'Europe/Berlin'),
    );
    expect(texts).toEqual([
      '2026-10-25 01:59:59.999',
      '2026-10-25 02:00:00+02:00',
      '2026-10-25 02:59:59.999+02:00',
      '2026-10-25 02:00:00+01:00',
      '2026-10-25 03:00:00',
    ]);
    expect(formatMoment(Date.UTC(2026, 3, 4, 14, 45), 'Australia/Lord_Howe')).toBe(
      '2026-04-05 01:45:00+11:00',
    );
    // British time falls back to UTC.
    expect(formatMoment(Date.UTC(2026, 9, 25, 1, 30), 'Europe/London')).toBe('2026-10-25 01:30:00+00:00');
  });

  it('never stands for two instants', () => {
    const zones = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC');
    // Around the ends of daylight saving time in 2026.
    const changes = fc.constantFrom(
      Date.UTC(2026, 9, 25, 1),
      Date.UTC(2026, 10, 1, 6),
      Date.UTC(2026, 3, 4, 15),
      Date.UTC(2026, 2, 29, 1),
    );
    const near = fc.integer({ min: -4 * HOUR_MS, max: 4 * HOUR_MS });
    fc.assert(
      fc.property(zones, changes, near, (zone, changeMs, awayMs) => {
        const atMs = changeMs + awayMs;
        const twins = [-HOUR_MS, -HOUR_MS / 2, HOUR_MS / 2, HOUR_MS].map((ms) => atMs + ms);
        for (const twin of twins) expect(formatMoment(twin, zone)).not.toBe(formatMoment(atMs, zone));
        const civil = atMs + toOffsetMs(atMs, zone);
        const isTwice = twins.some((twin) => twin + toOffsetMs(twin, zone) === civil);
        expect(isShownTwice(atMs, zone)).toBe(isTwice);
      }),
    );
  });
});
