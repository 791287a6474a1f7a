import { expect, it } from 'vitest';
import { toUptime, type StatusPoint } from '../../../../../src-main/core/analysis/status/status-figures.ts';

const MINUTE = 60_000;

/** A check each minute of ten; down in the minutes 3 to 6. */
const points = Array.from({ length: 10 }, (_, minute): StatusPoint => {
  const state = minute >= 3 && minute < 6 ? 'down' : 'up';
  return {
    checkedAtMs: minute * MINUTE,
    platform: state,
    connector: 'up',
    failure: null,
    internalResponseTimeMs: null,
  };
});
const upOf = (...planned: (readonly [number, number])[]) =>
  toUptime(
    points,
    'platform',
    10 * MINUTE,
    planned.map(([from, to]) => ({ fromMs: from * MINUTE, toMs: to * MINUTE })),
  );

it('uptime is of the time outside of planned times', () => {
  expect(upOf()).toMatchObject({ share: 0.7, seenMs: 10 * MINUTE });
  expect(upOf([3, 6])).toMatchObject({ share: 1, seenMs: 7 * MINUTE });
  expect(upOf([-5, 1], [3, 6], [9, 20])).toMatchObject({ share: 1, seenMs: 5 * MINUTE });
  expect(upOf([4.5, 5])?.share).toBeCloseTo(7 / 9.5, 9);
  expect(upOf([-1, 11])).toBeNull();
});
