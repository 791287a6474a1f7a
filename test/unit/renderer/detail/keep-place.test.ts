import { expect, it, vi } from 'vitest';
import type { RecordRow } from '../../../../src-main/common/model/records/record.ts';
import { createPlaceKeeper } from '../../../../src-renderer/screens/detail/grid/scrolling.ts';

const makeRow = (seq: number, snapshotId = 1): RecordRow =>
  ({ snapshotId, seq: seq * snapshotId, dateMs: seq }) as RecordRow;

/**
 * A table that shows rows from `first` on; `came` records have come before all others in the newer view, which shows
 * what is in snapshot `owner`.
 */
function createTable(first: number | null, came: number, owner = 1) {
  let shown = 0;
  const moveBy = vi.fn();
  const keeper = createPlaceKeeper({
    findFirst: () => first,
    moveBy,
    readRow: (index) => makeRow(index - shown, shown === 0 ? 1 : owner),
    readRows: (_viewId, start, end) =>
      end - start > 500
        ? Promise.reject(new Error('too many rows'))
        : Promise.resolve(
            Array.from({ length: end - start }, (_, index) => makeRow(start + index - came, owner)),
          ),
  });
  const arrive = (): void => {
    shown = came;
    keeper.onRows();
  };
  return { keeper, moveBy, arrive };
}

const VIEW = { viewId: 'two', rowCount: 50_000 };

it('the rows in view move with the records that came before them, once those are loaded', async () => {
  const { keeper, moveBy, arrive } = createTable(120, 7);
  await keeper.keep(VIEW, 5_000);
  expect(moveBy).not.toHaveBeenCalled();
  arrive();
  arrive();
  expect(moveBy.mock.calls).toEqual([[7]]);
});

it('the rows in view move with their records also where another snapshot begins to count for them', async () => {
  const { keeper, moveBy, arrive } = createTable(120, 7, 2);
  await keeper.keep(VIEW, 5_000);
  arrive();
  expect(moveBy.mock.calls).toEqual([[7]]);
});

it('the rows in view move with all that came while a service is busy', async () => {
  const { keeper, moveBy, arrive } = createTable(120, 3_900);
  await keeper.keep(VIEW, 5_000);
  arrive();
  expect(moveBy.mock.calls).toEqual([[3_900]]);
});

it('rows of a period that lost its oldest move up', async () => {
  const { keeper, moveBy, arrive } = createTable(120, -3);
  await keeper.keep(VIEW, 5_000);
  arrive();
  expect(moveBy.mock.calls).toEqual([[-3]]);
});

it('at the top new records come into view, and a row that is gone is not looked for', async () => {
  for (const [first, came] of [
    [null, 7],
    [120, 9_000],
  ] as const) {
    const { keeper, moveBy, arrive } = createTable(first, came);
    await keeper.keep(VIEW, 5_000);
    arrive();
    expect(moveBy).not.toHaveBeenCalled();
  }
});

it('a newer view, or another choice of records, takes the place of one that was waited for', async () => {
  const { keeper, moveBy, arrive } = createTable(120, 7);
  const first = keeper.keep(VIEW, 5_000);
  keeper.forget();
  await first;
  arrive();
  expect(moveBy).not.toHaveBeenCalled();
});
