import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import { readCoverage, type WalkedPart } from '../../../../src-main/core/analysis/read-coverage.ts';
import { pickExpired } from '../../../../src-main/core/snapshots/pick-expired.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 86_400_000;
const LOOK_BACK = 10 * MINUTE;
const cover = (snapshots: Snapshot[], toMinute: number, buckets: number) =>
  readCoverage(snapshots, { fromMs: 0, toMs: toMinute * MINUTE, buckets }, LOOK_BACK);
/** Minutes [from, to) of a report; the wire's end is the last second inside. */
const span = (from: number, to: number, changes: Partial<Snapshot> = {}): Snapshot =>
  makeSnapshot({ fromMs: from * MINUTE, toMs: to * MINUTE - SECOND }, changes);

test('each bucket shows how much of it is settled, partial, failed or was never fetched', () => {
  const { buckets, gaps } = cover(
    [
      span(0, 10),
      span(10, 15, { state: 'incomplete' }),
      span(15, 20, { state: 'failed', recordCount: 0 }),
      span(12, 13),
    ],
    30,
    3,
  );
  expect(buckets).toEqual([
    { fromMs: 0, toMs: 10 * MINUTE, settled: 1, open: 0, partial: 0, failed: 0 },
    { fromMs: 10 * MINUTE, toMs: 20 * MINUTE, settled: 0.1, open: 0, partial: 0.4, failed: 0.5 },
    { fromMs: 20 * MINUTE, toMs: 30 * MINUTE, settled: 0, open: 0, partial: 0, failed: 0 },
  ]);
  expect(gaps.map(({ fromMs, toMs, state }) => [fromMs / MINUTE, toMs / MINUTE, state])).toEqual([
    [10, 12, 'partial'],
    [13, 15, 'partial'],
    [15, 20, 'failed'],
    [20, 30, 'missing'],
  ]);
});

test('decision 27, client: what was fetched up to now is settled but for its last minutes', () => {
  const snapshot = span(0, 60, { stillOpen: true, startedAtMs: 50 * MINUTE });
  const { gaps } = cover([snapshot], 60, 1);
  expect(gaps.map(({ fromMs, toMs, state }) => [fromMs / MINUTE, toMs / MINUTE, state])).toEqual([
    [40, 50, 'open'],
    [50, 60, 'missing'],
  ]);
});

test('a cache of many holes has each of them among its gaps: none is taken for cached', () => {
  const everyOther = Array.from({ length: 1_200 }, (_, place) => span(2 * place, 2 * place + 1));
  const { gaps } = cover(everyOther, 2_400, 1);
  expect(gaps).toHaveLength(1_200);
  expect(gaps.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)).toBe(1_200 * MINUTE);
});

test('neighbours that end and begin within a second leave no gap', () => {
  expect(cover([span(0, 5), span(5, 9)], 9, 1).gaps).toEqual([]);
});

test('every instant has the best state of the snapshots that cover it', () => {
  const states = ['complete', 'incomplete', 'failed', 'paused'] as const;
  const one = fc
    .tuple(fc.nat(19), fc.integer({ min: 1, max: 9 }), fc.constantFrom(...states))
    .map(([from, length, state]) => span(from, from + length, { state }));
  const ranks = { complete: 'settled', incomplete: 'partial', paused: 'partial', failed: 'failed' } as const;
  fc.assert(
    fc.property(fc.array(one, { maxLength: 8 }), (snapshots) => {
      const { buckets, gaps } = cover(snapshots, 30, 30);
      for (const [minute, bucket] of buckets.entries()) {
        const here = snapshots
          .filter(({ period }) => period.fromMs <= minute * MINUTE && period.toMs >= minute * MINUTE)
          .map(({ state }) => ranks[state as keyof typeof ranks]);
        const best = (['settled', 'partial', 'failed'] as const).find((state) => here.includes(state));
        const shares = { settled: 0, open: 0, partial: 0, failed: 0, ...(best ? { [best]: 1 } : {}) };
        expect(bucket).toMatchObject(shares);
        const gap = gaps.find(({ fromMs, toMs }) => fromMs <= bucket.fromMs && toMs >= bucket.toMs);
        expect(gap?.state ?? 'settled').toBe(best ?? 'missing');
      }
    }),
  );
});

const NOW = 100 * DAY;
const aged = (id: number, days: number, changes: Partial<Snapshot> = {}): Snapshot =>
  makeSnapshot({ fromMs: 0, toMs: 1000 }, { id, fetchedAtMs: NOW - days * DAY, sizeBytes: 100, ...changes });

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

describe('coverage of a paused download shows what is there', () => {
  const paused = span(0, 30, { id: 7, state: 'paused', recordCount: 50 });
  const show = (state: Snapshot['state'], part: WalkedPart) =>
    readCoverage(
      [{ ...paused, state }],
      { fromMs: 0, toMs: 30 * MINUTE, buckets: 1 },
      LOOK_BACK,
      new Map([[7, part]]),
    ).gaps.map((gap) => [gap.fromMs / MINUTE, gap.toMs / MINUTE, gap.state]);
  const reached = { fromMs: 10 * MINUTE, toMs: 16 * MINUTE };

  test('what was read to its end is there, what its records reach is so in part, and the rest is missing', () => {
    const part = { walkedToMs: 10 * MINUTE, isSound: true, reached };
    expect(show('paused', part)).toEqual([
      [10, 16, 'partial'],
      [16, 30, 'missing'],
    ]);
    expect(show('failed', part)).toEqual([
      [10, 16, 'partial'],
      [16, 30, 'failed'],
    ]);
  });

  test('what is known to lack records is there in part', () => {
    const part = { walkedToMs: 10 * MINUTE, isSound: false, reached: null };
    expect(show('incomplete', part)).toEqual([
      [0, 10, 'partial'],
      [10, 30, 'missing'],
    ]);
  });
});
