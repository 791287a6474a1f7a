import { expect, test } from 'vitest';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import type { DownloadRow } from '../../../../src-main/core/cache/read/download-rows.ts';
import { listWalkedParts } from '../../../../src-main/core/snapshots/walked-parts.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';

const DAY = 86_400_000;
const THREE_DAYS = { fromMs: 0, toMs: 3 * DAY - 1000 };

/** A download in three days, paused in the second one. */
const read = async (
  change: Partial<DownloadRow>,
  reach: { firstMs: number; lastMs: number } | null,
  snapshot: Partial<Snapshot> = {},
) => {
  const row = {
    snapshot: makeSnapshot(THREE_DAYS, { state: 'paused', recordCount: 60, ...snapshot }),
    sliceDays: 1,
    sliceNumber: 1,
    sliceFirstSeq: 40,
    nextCursor: 'c',
    ...change,
  } as DownloadRow;
  const cache = { listDownloads: () => Promise.resolve([row]), readReach: () => Promise.resolve(reach) };
  return (await listWalkedParts(cache, 'one', 'inbound-detail')).get(1);
};

test.each([
  ['in the order of time', { firstMs: DAY + 5, lastMs: 1.5 * DAY + 700 }, [DAY, 1.5 * DAY]],
  ['against it', { firstMs: 2 * DAY - 5, lastMs: 1.5 * DAY + 700 }, [1.5 * DAY + 1000, 2 * DAY]],
  ['in no order', null, [DAY, 2 * DAY]],
])(
  'a paused download holds its whole slices, and what it reached of the next: %s',
  async (_, reach, part) => {
    expect(await read({}, reach)).toEqual({
      walkedToMs: DAY,
      isSound: true,
      reached: { fromMs: part[0], toMs: part[1] },
    });
  },
);

test('a download that is paused between two slices holds those before', async () => {
  expect(await read({ nextCursor: null }, null)).toEqual({
    walkedToMs: 2 * DAY,
    isSound: true,
    reached: null,
  });
});

test('a slice that lacks records is not called whole, and one whose end is unknown says nothing', async () => {
  const short = { remarks: [{ code: 'fewer-than-total' }] };
  expect(await read({}, null, short)).toMatchObject({ walkedToMs: DAY, isSound: false });
  const broken = { remarks: [{ code: 'cursor-repeated' }] };
  expect(await read({ nextCursor: null }, null, broken)).toBeUndefined();
  expect(await read({ nextCursor: null, sliceNumber: 2 }, null, short)).toBeUndefined();
});
