import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRecordList } from '../../../../src-main/core/analysis/engine/views/view-slices.ts';

function toList(ids: readonly number[], chunk = 2048) {
  const list = createRecordList();
  for (let from = 0; from < ids.length; from += chunk)
    list.append(Float64Array.from(ids.slice(from, from + chunk)));
  return list;
}

describe('the list of a view', () => {
  it('gives back what was appended, whatever its order', () => {
    const run = fc
      .tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 1, max: 9 }), fc.boolean())
      .map(([first, length, isRising]) =>
        Array.from({ length }, (_none, place) => first + (isRising ? place : -place)),
      );
    fc.assert(
      fc.property(
        fc.array(run, { maxLength: 40 }),
        fc.integer({ min: 1, max: 7 }),
        fc.nat(60),
        fc.nat(60),
        (runs, chunk, start, length) => {
          const ids = runs.flat();
          const list = toList(ids, chunk);
          expect(list.rowCount).toBe(ids.length);
          expect([...list.slice(start, start + length)]).toEqual(ids.slice(start, start + length));
        },
      ),
    );
  });

  it('keeps a snapshot, first to last or last to first, in a few bytes', () => {
    const ids = Array.from({ length: 100_000 }, (_none, place) => place);
    for (const order of [ids, ids.toReversed()]) {
      const list = toList(order);
      expect(list.sizeBytes).toBeLessThan(10_000);
      expect([...list.slice(99_998, 100_001)]).toEqual(order.slice(99_998));
    }
  });

  it('keeps scattered ids at eight bytes each or a little more', () => {
    const ids = Array.from({ length: 100_000 }, (_none, place) => (place * 7919) % 100_003);
    const list = toList(ids);
    expect([...list.slice(0, ids.length)]).toEqual(ids);
    expect(list.sizeBytes).toBeLessThan(8 * 1.6 * ids.length);
  });
});
