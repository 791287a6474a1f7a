import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRetryBudget } from '../../../../src-main/core/client/retry.ts';

function createRig() {
  let nowMs = 1_000_000;
  const budget = createRetryBudget(() => nowMs);
  const note = (requests: number, retries = 0): void => {
    for (let count = 0; count < requests; count += 1) budget.noteRequest(false);
    for (let count = 0; count < retries; count += 1) budget.noteRequest(true);
  };
  return { budget, note, pass: (ms: number) => void (nowMs += ms) };
}

it('H-06: counts nothing below 20 requests in a minute', () => {
  const { budget, note } = createRig();
  note(5, 14);
  expect(budget.allowsRetry()).toBe(true);
  note(0, 1);
  expect(budget.allowsRetry()).toBe(false);
});

it('H-06: allows one repeat in ten above that', () => {
  const { budget, note } = createRig();
  note(30, 2);
  expect(budget.allowsRetry()).toBe(true);
  note(0, 1);
  expect(budget.allowsRetry()).toBe(false);
  note(10);
  expect(budget.allowsRetry()).toBe(true);
});

it('H-06: is free again once the minute has passed', () => {
  const { budget, note, pass } = createRig();
  note(0, 15);
  pass(20_000);
  note(10);
  expect(budget.allowsRetry()).toBe(false);
  pass(40_000);
  expect(budget.allowsRetry()).toBe(true);
});

it('forgets what a clock that was set back leaves in the future', () => {
  const { budget, note, pass } = createRig();
  note(0, 50);
  pass(-86_400_000);
  expect(budget.allowsRetry()).toBe(true);
});

it('H-06: repeats never pass a tenth of the last minute, whatever fails when', () => {
  const step = fc.record({ passMs: fc.integer({ min: 0, max: 3000 }), fails: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { minLength: 50, maxLength: 400 }), (steps) => {
      let nowMs = 0;
      const sent: { atMs: number; isRetry: boolean }[] = [];
      const budget = createRetryBudget(() => nowMs);
      const send = (isRetry: boolean): void => {
        budget.noteRequest(isRetry);
        sent.push({ atMs: nowMs, isRetry });
        if (!isRetry) return;
        const recent = sent.filter(({ atMs }) => atMs > nowMs - 60_000);
        const retries = recent.filter((entry) => entry.isRetry).length;
        if (recent.length > 20) expect(retries).toBeLessThanOrEqual(recent.length * 0.1);
      };
      for (const { passMs, fails } of steps) {
        nowMs += passMs;
        send(false);
        if (fails && budget.allowsRetry()) send(true);
      }
    }),
    { numRuns: 50 },
  );
});
