import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { pollStatus } from '../../../../src-main/core/monitor/create-monitor.ts';

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => vi.useRealTimers());

function startPoll(refreshSeconds = 30) {
  const checks: string[] = [];
  const lastMs = new Map<string, number>();
  const world = { refreshSeconds, watched: ['a'], shown: ['a'], fails: false, refused: [] as string[] };
  const stop = pollStatus({
    readSettings: () => world,
    listWatched: () =>
      world.watched.map((connectionId) => ({ connectionId, isShown: world.shown.includes(connectionId) })),
    findLastCheckMs: (id) => lastMs.get(id),
    isRefused: (id) => world.refused.includes(id),
    check: (id) => {
      checks.push(id);
      lastMs.set(id, Date.now());
      return world.fails ? Promise.reject(new Error('removed')) : Promise.resolve();
    },
    now: Date.now,
  });
  return { checks, lastMs, world, stop };
}

it('checks at the interval of the settings until it is stopped', async () => {
  const { checks, stop } = startPoll();
  await vi.advanceTimersByTimeAsync(62_000);
  expect(checks).toHaveLength(3);
  stop();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(checks).toHaveLength(3);
});

it('follows another connection and another interval within a second or two', async () => {
  const { checks, world, stop } = startPoll();
  await vi.advanceTimersByTimeAsync(2_000);
  world.watched = ['b'];
  world.shown = ['b'];
  await vi.advanceTimersByTimeAsync(2_000);
  expect(checks).toEqual(['a', 'b']);
  world.refreshSeconds = 5;
  await vi.advanceTimersByTimeAsync(6_000);
  expect(checks).toEqual(['a', 'b', 'b']);
  stop();
});

it('checks neither without an interval nor without a connection', async () => {
  const { checks, world, stop } = startPoll(0);
  await vi.advanceTimersByTimeAsync(60_000);
  world.refreshSeconds = 30;
  world.watched = [];
  await vi.advanceTimersByTimeAsync(60_000);
  expect(checks).toEqual([]);
  stop();
});

it('counts a check that the window requested', async () => {
  const { checks, lastMs, stop } = startPoll();
  lastMs.set('a', Date.now());
  await vi.advanceTimersByTimeAsync(20_000);
  expect(checks).toEqual([]);
  stop();
});

it('continues after a failure, and after a clock that was set back', async () => {
  const { checks, world, stop } = startPoll();
  world.fails = true;
  await vi.advanceTimersByTimeAsync(2_000);
  world.fails = false;
  vi.setSystemTime(1_000);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(checks).toEqual(['a', 'a']);
  stop();
});

it('checks every watched connection at the interval, and not all at once', async () => {
  const { checks, world, stop } = startPoll();
  world.watched = ['a', 'b', 'c'];
  await vi.advanceTimersByTimeAsync(2_000);
  expect(checks).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(checks).toEqual(['a', 'b', 'c']);
  world.refused = ['b'];
  await vi.advanceTimersByTimeAsync(31_000);
  expect(checks).toEqual(['a', 'b', 'c', 'a', 'c']);
  stop();
});
