import { describe, expect, it } from 'vitest';
import type { RecordRow } from '../../../../src-main/common/model/records/record.ts';
import { createRowIds } from '../../../../src-renderer/screens/detail/grid/row-picks.ts';

const first = (): number => 0;

function makeRow(snapshotId: number, seq: number, change: Partial<RecordRow> = {}): RecordRow {
  return { snapshotId, seq, sessionId: 's', dateText: 'soon', dateMs: null, ...change } as RecordRow;
}

describe('a selected record without a date', () => {
  it('keeps its id when another snapshot takes over, and again when the next one does', () => {
    const ids = createRowIds();
    const [own, next, last] = [makeRow(1, 4), makeRow(2, 9), makeRow(3, 2)] as const;
    ids.recognise([makeRow(2, 8, { sessionId: 'other' }), next], [own], first, 'one');
    expect(ids.toId(next)).toBe(ids.toId(own));
    ids.recognise([next], [next], first, 'one');
    ids.recognise([last], [next], first, 'two');
    expect(ids.toId(last)).toBe(ids.toId(own));
  });

  it('is not taken for one that shows something else', () => {
    const ids = createRowIds();
    const [own, other] = [makeRow(1, 4), makeRow(2, 4, { dateText: 'later' })] as const;
    ids.recognise([other], [own], first, 'one');
    expect(ids.toId(other)).not.toBe(ids.toId(own));
  });

  it('is the one of several equal ones that has its place among them', () => {
    const ids = createRowIds();
    const rows = [makeRow(2, 0), makeRow(2, 1)];
    ids.recognise(rows, [makeRow(1, 1)], () => 1, 'one');
    expect(rows.map(ids.toId)).toEqual(['2:0', '1:1']);
  });

  it('gives no two rows one id where both snapshots are shown, before or after', () => {
    const ids = createRowIds();
    const [own, next] = [makeRow(1, 4), makeRow(2, 9)] as const;
    ids.recognise([own, next], [own], first, 'one');
    expect(ids.toId(next)).not.toBe(ids.toId(own));
    ids.recognise([next], [own], first, 'two');
    expect(ids.toId(next)).toBe('1:4');
    ids.recognise([own, next], [next], first, 'three');
    expect(ids.toId(next)).toBe('1:4');
    expect(ids.toId(own)).not.toBe('1:4');
  });

  it('gives no two rows one id where they come in different parts of a view', () => {
    for (const order of [
      [makeRow(1, 4), makeRow(2, 9)],
      [makeRow(2, 9), makeRow(1, 4)],
    ]) {
      const ids = createRowIds();
      for (const row of order) ids.recognise([row], [makeRow(1, 4)], first, 'one');
      expect(new Set(order.map(ids.toId)).size).toBe(2);
    }
  });
});
