import { describe, expect, it } from 'vitest';
import {
  moveInGrid,
  stepRange,
  toBucketIndex,
  toDraggedRange,
  toTimes,
} from '../../../../src-renderer/charts/brush.ts';

const BUCKETS = Array.from({ length: 10 }, (_, index) => ({ fromMs: index * 100, toMs: index * 100 + 100 }));

describe('time brush', () => {
  it('finds the bucket under the pointer, also outside the plot', () => {
    expect(toBucketIndex(55, 100, 10)).toBe(5);
    expect(toBucketIndex(-20, 100, 10)).toBe(0);
    expect(toBucketIndex(500, 100, 10)).toBe(9);
  });

  it('covers both ends of a drag in either direction', () => {
    expect(toDraggedRange(7, 3)).toEqual({ start: 3, end: 8 });
    expect(toDraggedRange(3, 3)).toEqual({ start: 3, end: 4 });
  });

  it('moves with an arrow and stays inside', () => {
    expect(stepRange({ start: 8, end: 10 }, 1, false, 10)).toEqual({ start: 8, end: 10 });
    expect(stepRange({ start: 3, end: 5 }, -1, false, 10)).toEqual({ start: 2, end: 4 });
    expect(stepRange(null, -1, false, 10)).toEqual({ start: 9, end: 10 });
  });

  it('resizes with shift, never below one bucket', () => {
    expect(stepRange({ start: 3, end: 4 }, -1, true, 10)).toEqual({ start: 3, end: 4 });
    expect(stepRange({ start: 3, end: 4 }, 1, true, 10)).toEqual({ start: 3, end: 5 });
  });

  it('gives the times of the buckets that a drag covers', () => {
    expect(toTimes(BUCKETS, { start: 3, end: 8 })).toEqual({ fromMs: 300, toMs: 800 });
    expect(toTimes([], { start: 0, end: 0 })).toBeNull();
  });
});

describe('keys in a chart', () => {
  const press = (key: string, ctrlKey = false) =>
    new KeyboardEvent('keydown', { key, ctrlKey, cancelable: true });
  const size = { columns: 24, rows: 7 };

  it('lead to the places beside, above and below, and to the ends, and never out of it', () => {
    const at = { column: 3, row: 0 };
    expect(moveInGrid(press('ArrowRight'), at, size)).toEqual({ column: 4, row: 0 });
    expect(moveInGrid(press('ArrowDown'), at, size)).toEqual({ column: 3, row: 1 });
    expect(moveInGrid(press('ArrowUp'), at, size)).toEqual(at);
    expect(moveInGrid(press('End'), at, size)).toEqual({ column: 23, row: 0 });
    expect(moveInGrid(press('End', true), at, size)).toEqual({ column: 23, row: 6 });
    expect(moveInGrid(press('Home', true), { column: 9, row: 4 }, size)).toEqual({ column: 0, row: 0 });
  });

  it('go on with up and back with down where there is one row, and leave others alone', () => {
    const row = { columns: 50, rows: 1 };
    expect(moveInGrid(press('ArrowUp'), { column: 5, row: 0 }, row)).toEqual({ column: 6, row: 0 });
    expect(moveInGrid(press('ArrowDown'), { column: 5, row: 0 }, row)).toEqual({ column: 4, row: 0 });
    expect(moveInGrid(press('PageUp'), { column: 5, row: 0 }, row)).toEqual({ column: 15, row: 0 });
    const other = press('a');
    expect(moveInGrid(other, { column: 5, row: 0 }, row)).toBeNull();
    expect(other.defaultPrevented).toBe(false);
  });
});
