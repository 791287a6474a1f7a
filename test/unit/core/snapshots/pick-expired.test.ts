import { expect, test } from 'vitest';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import { pickExpired } from '../../../../src-main/core/snapshots/snapshots-handlers.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';

const DAY = 86_400_000;
const NOW = 100 * DAY;
const aged = (id: number, days: number, changes: Partial<Snapshot> = {}): Snapshot =>
  makeSnapshot(
    { fromMs: 0, toMs: 1000 },
    { id, fetchedAtMs: NOW - days * DAY, fetchedOrder: 100 - days, sizeBytes: 100, ...changes },
  );

test('retention takes what is too old, never what is pinned, downloading or paused', () => {
  const snapshots = [
    aged(1, 31),
    aged(2, 29),
    aged(3, 90, { pinned: true }),
    aged(4, 90, { state: 'downloading' }),
    aged(5, 90, { state: 'paused' }),
    aged(6, 90, { state: 'failed', fetchedAtMs: null, startedAtMs: NOW - 90 * DAY, name: 'old' }),
  ];
  const expired = pickExpired(snapshots, { retentionDays: 30, retentionBytes: 0 }, NOW, 600);
  expect(expired).toMatchObject([
    { id: 6, reason: 'age', name: 'old' },
    { id: 1, reason: 'age' },
  ]);
  expect(pickExpired(snapshots, { retentionDays: 0, retentionBytes: 0 }, NOW, 600)).toEqual([]);
});

test('retention takes the oldest while the cache is too large, as pages lie on the disk', () => {
  const snapshots = [aged(1, 1), aged(2, 5), aged(3, 9, { pinned: true }), aged(4, 3)];
  const pick = (retentionBytes: number) =>
    pickExpired(snapshots, { retentionDays: 0, retentionBytes }, NOW, 800).map(({ id }) => id);
  expect(pick(800)).toEqual([]);
  expect(pick(799)).toEqual([2]);
  expect(pick(600)).toEqual([2]);
  expect(pick(500)).toEqual([2, 4]);
  expect(pick(1)).toEqual([2, 4, 1]);
});
