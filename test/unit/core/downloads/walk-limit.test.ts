import { expect, it } from 'vitest';
import { createWalkLimit } from '../../../../src-main/core/downloads/fetch-queue.ts';

/** Pages of one size that come in so many milliseconds each, while as many walks run as the limit says. */
function run(pages: number, toDurationMs: (walks: number) => number, most: number | null = null) {
  let nowMs = 0;
  const limit = createWalkLimit(() => nowMs);
  const seen: number[] = [];
  const step = (count: number): void => {
    for (let page = 0; page < count; page += 1) {
      const walks = limit.read(most);
      const durationMs = toDurationMs(walks);
      nowMs += durationMs / walks;
      limit.note({ bytes: 1000, durationMs });
      seen.push(limit.read(most));
    }
  };
  step(pages);
  return { limit, seen, step, wait: (ms: number) => (nowMs += ms) };
}

it('decision 39, client: begins with one walk and grows to six while each makes the whole faster', () => {
  const { seen } = run(60, () => 250);
  expect(seen[0]).toBe(1);
  expect(seen.at(-1)).toBe(6);
  expect(Math.max(...seen)).toBe(6);
});

it('stays at few where the service does one thing at a time', () => {
  const { seen } = run(60, (walks) => 100 * walks);
  expect(Math.max(...seen)).toBeLessThanOrEqual(2);
});

it('steps back where responses take more than twice as long as alone', () => {
  const { seen } = run(60, (walks) => (walks > 3 ? 700 : 250));
  expect(new Set(seen.slice(34))).toEqual(new Set([3]));
});

it('falls to one when the service asks for a pause, and grows again later', () => {
  const { limit, step, seen, wait } = run(60, () => 250);
  limit.fallBack();
  expect(limit.read(null)).toBe(1);
  step(5);
  expect(seen.at(-1)).toBe(1);
  wait(30_000);
  step(60);
  expect(seen.at(-1)).toBe(6);
});

it('runs as many as keep the storing of pages busy, and no more', () => {
  const stored = (ms: number) => {
    const { limit, step, seen } = run(1, () => 250);
    limit.noteStored(ms);
    step(80);
    return seen.at(-1);
  };
  expect([300, 250, 130, 100, 20].map(stored)).toEqual([1, 1, 2, 3, 6]);
});

it('keeps the number that a person chose, but for such a pause', () => {
  const { limit, seen, wait } = run(10, () => 250, 4);
  expect(new Set(seen)).toEqual(new Set([4]));
  limit.fallBack();
  expect(limit.read(4)).toBe(1);
  wait(30_001);
  expect(limit.read(4)).toBe(4);
});
