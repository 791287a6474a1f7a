import { expect, test } from 'vitest';
import {
  formatClockSeconds,
  formatDayClock,
  formatExact,
  formatFullDay,
  formatOffsets,
  formatRange,
} from '../../../../src-renderer/format/formats.ts';

const AT = Date.UTC(2026, 10, 20, 20, 52, 6);

test('an instant is written as a clock in the zone shows it', () => {
  expect(formatDayClock(AT, 'America/Bogota')).toBe('20 Nov 15:52');
  expect(formatClockSeconds(AT, 'Asia/Kathmandu')).toBe('02:37:06');
  expect(formatFullDay(AT, 'Asia/Kathmandu')).toBe('21 Nov 2026');
  expect(formatExact(AT, 'UTC')).toBe('2026-11-20 20:52:06');
});

test('a range says its day once when both ends share it', () => {
  expect(formatRange(AT - 3_600_000, AT, 'UTC')).toBe('20 Nov 19:52 – 20:52');
  expect(formatRange(AT, AT + 15_000, 'UTC')).toBe('20 Nov 20:52:06 – 20:52:21');
  expect(formatRange(AT - 6_000, AT + 54_000, 'UTC')).toBe('20 Nov 20:52 – 20:53');
  expect(formatRange(AT - 86_400_000, AT, 'UTC')).toBe('19 Nov 20:52 – 20 Nov 20:52');
});

test('a span in which the clock is moved has two offsets', () => {
  const changeMs = Date.UTC(2026, 9, 25, 1);
  expect(formatOffsets(changeMs - 1, changeMs, 'Europe/Berlin')).toBe('UTC+02:00 – UTC+01:00');
  expect(formatOffsets(changeMs, changeMs + 1, 'Europe/Berlin')).toBe('UTC+01:00');
});
