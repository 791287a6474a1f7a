import { describe, expect, it } from 'vitest';
import { readMoment } from '../../../src-main/cli/words/options.ts';

const NOW = Date.UTC(2026, 2, 29, 12, 30, 15, 250);
const read = (text: string, zone = 'UTC'): string | null => {
  const atMs = readMoment(text, zone, NOW);
  return atMs === null ? null : new Date(atMs).toISOString();
};

describe('a moment on the command line', () => {
  it.each([
    ['2026-11-20', 'UTC', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20', 'America/Bogota', '2026-11-20T05:00:00.000Z'],
    ['2026-11-20T10:15Z', 'America/Bogota', '2026-11-20T10:15:00.000Z'],
    ['2026-11-20 10:15:30.999', 'UTC', '2026-11-20T10:15:30.000Z'],
    ['2026-11-20T10:15:30+01:00', 'America/Bogota', '2026-11-20T09:15:30.000Z'],
    ['2026-11-20T10:15:30.123456-0530', 'UTC', '2026-11-20T15:45:30.000Z'],
    ['now', 'UTC', '2026-03-29T12:30:15.000Z'],
    ['now-90m', 'UTC', '2026-03-29T11:00:15.000Z'],
    ['yesterday', 'UTC', '2026-03-28T00:00:00.000Z'],
    ['today+6h', 'UTC', '2026-03-29T06:00:00.000Z'],
    ['tomorrow-1w', 'UTC', '2026-03-23T00:00:00.000Z'],
    // The clock was set forward in the night: the day has 23 hours.
    ['today', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
    ['tomorrow', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
    ['today-1d', 'Europe/Berlin', '2026-03-27T23:00:00.000Z'],
  ])('%s in %s', (text, zone, expected) => {
    expect(read(text, zone)).toBe(expected);
  });

  it.each(['', '20.11.2026', '2026-02-30', 'now-1y', '-24h', 'yesterday 10:00', '2026-11-20T10:15+99:99'])(
    '"%s" is none',
    (text) => {
      expect(read(text)).toBeNull();
    },
  );
});
