import { describe, expect, it } from 'vitest';
import { judgeTurn } from '../../../../src-main/core/downloads/judge-failure.ts';
import {
  type FollowedDay,
  listDays,
  planSteps,
  toSettled,
} from '../../../../src-main/core/following/run-turn.ts';
import { AppError, type ErrorCode } from '../../../../src-main/common/contract/errors.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MIDNIGHT = Date.UTC(2026, 2, 10);

const day = (number: number, coveredToMs: number, settledToMs: number): FollowedDay => {
  const fromMs = MIDNIGHT + number * DAY;
  return { fromMs, toMs: fromMs + DAY, snapshotId: number, coveredToMs, settledToMs };
};
const plan = (days: FollowedDay[], nowMs: number, sliceMs = HOUR) =>
  planSteps({ days, nowMs, lookBackMs: 10 * MINUTE, sliceMs }).map(
    ({ day: { snapshotId }, fromMs, toMs }) => [
      snapshotId,
      (fromMs - MIDNIGHT) / MINUTE,
      (toMs - MIDNIGHT) / MINUTE,
    ],
  );
const at = (minutes: number): number => MIDNIGHT + minutes * MINUTE;

describe('a turn', () => {
  it.each<[string, FollowedDay[], number, number[][]]>([
    ['asks from the last covered second', [day(0, at(60), at(50))], 61, [[0, 60, 61]]],
    [
      'looks again at what its look-back is over for',
      [day(0, at(60), at(40))],
      61,
      [
        [0, 60, 61],
        [0, 40, 51],
      ],
    ],
    ['takes that along after a gap', [day(0, at(60), at(50))], 75, [[0, 50, 75]]],
    ['takes a slice of a long gap', [day(0, at(60), at(50))], 600, [[0, 50, 120]]],
    [
      'goes on with today first',
      [day(0, at(60), at(50)), day(1, at(1440), at(1440))],
      1500,
      [
        [1, 1440, 1500],
        [0, 50, 120],
      ],
    ],
    [
      'settles the end of a day',
      [day(0, at(1440), at(1438)), day(1, at(1451), at(1440))],
      1452,
      [
        [1, 1451, 1452],
        [0, 1438, 1440],
      ],
    ],
    ['asks for nothing twice in a second', [day(0, at(60), at(50))], 60, []],
  ])('%s', (_name, days, minute, expected) => {
    expect(plan(days, at(minute))).toEqual(expected);
  });

  it('takes the newest of the days before first', () => {
    const days = [day(0, at(60), at(60)), day(1, at(1440), at(1440)), day(2, at(2890), at(2880))];
    expect(plan(days, at(2890))).toEqual([[1, 1440, 1500]]);
  });

  it('settles only what its requests came late enough for', () => {
    const step = { day: day(0, at(60), at(50)), fromMs: at(50), toMs: at(75) };
    const settle = (minute: number, fromMs = step.fromMs): number =>
      (toSettled({ ...step, fromMs }, { atMs: at(minute), lookBackMs: 10 * MINUTE }) - MIDNIGHT) / MINUTE;
    expect([settle(75), settle(90), settle(75, at(60))]).toEqual([65, 75, 50]);
  });

  it('knows days that a clock change makes shorter', () => {
    const lengths = listDays(Date.UTC(2026, 2, 28, 12), Date.UTC(2026, 2, 30, 12), 'Europe/Berlin').map(
      ({ fromMs, toMs }) => (toMs - fromMs) / HOUR,
    );
    expect(lengths).toEqual([24, 23, 24]);
  });
});

describe('a failed turn', () => {
  const judge = (code: ErrorCode, details = {}, failures = 1, isLocal = false) => {
    const { state, failure, delayMs } = judgeTurn(new AppError(code, 'no', details), {
      failures,
      isLocal,
      intervalMs: 30_000,
    });
    return [state, failure.code, delayMs];
  };
  it.each<[ReturnType<typeof judge>, unknown[]]>([
    [judge('client.credentials-refused'), ['refused', 'client.credentials-refused', null]],
    [judge('secrets.missing'), ['refused', 'secrets.missing', null]],
    [judge('secrets.missing', {}, 1, true), ['paused', 'local-service.not-running', 30_000]],
    [judge('cache.disk-full'), ['paused', 'cache.disk-full', 30_000]],
    [judge('client.unreachable', {}, 3), ['unreachable', 'client.unreachable', 120_000]],
    [judge('client.unreachable', {}, 20), ['unreachable', 'client.unreachable', 300_000]],
    [judge('client.server-error', { status: 500 }, 20), ['failing', 'client.server-error', 900_000]],
    [
      judge('client.rate-limited', { retryAfterMs: 1_200_000 }),
      ['failing', 'client.rate-limited', 1_200_000],
    ],
    [
      judge('client.rate-limited', { retryAfterMs: 86_400_000 }),
      ['failing', 'client.rate-limited', 86_400_000],
    ],
    [
      judge('client.rate-limited', { retryAfterMs: 9 * 86_400_000 }),
      ['failing', 'client.rate-limited', 7 * 86_400_000],
    ],
    [judge('client.rate-limited'), ['failing', 'client.rate-limited', 30_000]],
    [judge('client.not-found', { status: 404 }, 2), ['failing', 'client.not-found', 60_000]],
    [
      judge('client.circuit-open', { reason: 'client.host-not-found', retryAfterMs: 1 }),
      ['unreachable', 'client.circuit-open', 30_000],
    ],
  ])('%j', (judged, expected) => {
    expect(judged).toEqual(expected);
  });
});
