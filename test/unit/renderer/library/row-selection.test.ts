import { describe, expect, it } from 'vitest';
import {
  EMPTY_SELECTION,
  keepExisting,
  moveSelection,
  selectRow,
} from '../../../../src-renderer/components/table/table-parts.ts';

const order = [5, 3, 9, 1];

describe('row selection', () => {
  it('replaces, adds and takes away', () => {
    const one = selectRow(EMPTY_SELECTION, order, 3, 'replace');
    const two = selectRow(one, order, 1, 'toggle');
    expect([...two.ids]).toEqual([3, 1]);
    expect([...selectRow(two, order, 3, 'toggle').ids]).toEqual([1]);
    expect([...selectRow(two, order, 9, 'replace').ids]).toEqual([9]);
  });

  it('selects a range in the order shown, upwards as well, and keeps where it began', () => {
    const anchor = selectRow(EMPTY_SELECTION, order, 9, 'replace');
    const down = selectRow(anchor, order, 1, 'range');
    expect([...down.ids]).toEqual([9, 1]);
    expect([...selectRow(down, order, 5, 'range').ids]).toEqual([5, 3, 9]);
  });

  it('moves with the keyboard and stops at the ends', () => {
    const first = moveSelection(EMPTY_SELECTION, order, 1, 'replace');
    expect(first.activeId).toBe(5);
    expect(moveSelection(first, order, -1, 'replace').activeId).toBe(5);
    expect(moveSelection(first, order, 99, 'replace').activeId).toBe(1);
    expect([...moveSelection(first, order, 2, 'range').ids]).toEqual([5, 3, 9]);
    expect(moveSelection(EMPTY_SELECTION, [], 1, 'replace')).toBe(EMPTY_SELECTION);
  });

  it('forgets rows that were deleted', () => {
    const all = selectRow(selectRow(EMPTY_SELECTION, order, 5, 'replace'), order, 1, 'range');
    const kept = keepExisting(all, [3, 1]);
    expect([...kept.ids]).toEqual([3, 1]);
    expect(kept.anchorId).toBeNull();
    expect(kept.activeId).toBe(1);
  });
});
