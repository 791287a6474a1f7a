import { expect, test } from 'vitest';
import { oneAtATime } from '../../../../src-renderer/backend/backend.ts';

test('work that is asked for while it runs is done once more, however often it was asked for', async () => {
  const ends: (() => void)[] = [];
  const run = oneAtATime(() => new Promise((resolve) => ends.push(resolve)));
  const first = run();
  void run();
  void run();
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await first;
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await new Promise((resolve) => setTimeout(resolve));
  expect(ends).toHaveLength(2);
  void run();
  expect(ends).toHaveLength(3);
});
