import { expect, test } from 'vitest';
import {
  formatAge,
  formatBytes,
  formatCount,
  formatDuration,
  formatPercent,
  formatRate,
  formatSpan,
} from '../../../../src-renderer/format/formats.ts';

test('counts carry thousands separators', () => {
  expect([0, 999, 412_331].map((value) => formatCount(value))).toEqual(['0', '999', '412,331']);
});

test('durations are milliseconds up to five digits, then seconds', () => {
  expect([0.4, 882, 99_999, 100_000, 123_456].map(formatDuration)).toEqual([
    '0 ms',
    '882 ms',
    '99,999 ms',
    '100.0 s',
    '123.5 s',
  ]);
});

test('a share that is not nothing never reads as nothing, nor as all', () => {
  expect([0, 0.0001, 0.0005, 0.9899, 0.9999, 1].map((share) => formatPercent(share))).toEqual([
    '0.0%',
    '<0.1%',
    '0.1%',
    '99.0%',
    '>99.9%',
    '100.0%',
  ]);
});

test('sizes change their unit before they reach four digits', () => {
  expect([0, 999, 999_600, 386_000_000, 4_600_000_000].map(formatBytes)).toEqual([
    '0 B',
    '999 B',
    '1.0 MB',
    '386 MB',
    '4.6 GB',
  ]);
});

test('rates below ten keep one digit', () => {
  expect([0, 4.26, 41_200].map(formatRate)).toEqual(['0/s', '4.3/s', '41,200/s']);
});

test('spans show their two largest units', () => {
  expect([-5, 383, 7_900, 320_000, 33_840_000, 273_600_000].map(formatSpan)).toEqual([
    '0 s',
    // Not nothing.
    '<1 s',
    '7 s',
    '5 min 20 s',
    '9 h 24 min',
    '3 d 4 h',
  ]);
});

test('an age shows its largest unit, and a clock that runs ahead shows none', () => {
  expect(formatAge(0, 12_400)).toBe('12 s');
  expect(formatAge(0, 7_200_000)).toBe('2 h');
  expect(formatAge(5000, 0)).toBe('0 s');
});
