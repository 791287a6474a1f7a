import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import { createCircuit, type Outcome } from '../../../../src-main/core/client/retry.ts';

function createRig() {
  let nowMs = 1_000_000;
  const circuit = createCircuit(() => nowMs);
  const attempt = (outcome: Outcome): void => circuit.enter()(outcome, 'client.unreachable');
  const failTimes = (times: number): void => {
    for (let count = 0; count < times; count += 1) attempt('failed');
  };
  /** Milliseconds until an attempt may be sent; 0 when it may be now. */
  const readWaitMs = (): unknown => {
    try {
      circuit.enter()('neutral');
      return 0;
    } catch (error) {
      return (error as AppError).details['retryAfterMs'];
    }
  };
  return { circuit, readWaitMs, attempt, failTimes, pass: (ms: number) => void (nowMs += ms) };
}

describe('H-06: the circuit', () => {
  it('opens after five failures in a row, for 30 s', () => {
    const { readWaitMs, failTimes, pass } = createRig();
    failTimes(4);
    expect(readWaitMs()).toBe(0);
    failTimes(1);
    expect(readWaitMs()).toBe(30_000);
    pass(29_999);
    expect(readWaitMs()).toBe(1);
    pass(1);
    expect(readWaitMs()).toBe(0);
  });

  it('says how long it stays open and why', () => {
    const { circuit, failTimes, pass } = createRig();
    failTimes(5);
    pass(12_000);
    const refuse = (): void => void circuit.enter();
    expect(refuse).toThrow(AppError);
    expect(refuse).toThrow(
      expect.objectContaining({
        code: 'client.circuit-open',
        details: { retryAfterMs: 18_000, reason: 'client.unreachable' },
      }),
    );
  });

  it('a response in between starts the count again', () => {
    const { readWaitMs, attempt, failTimes } = createRig();
    failTimes(4);
    attempt('responded');
    failTimes(4);
    expect(readWaitMs()).toBe(0);
  });

  it('lets one trial through, which closes it', () => {
    const { circuit, readWaitMs, failTimes, pass } = createRig();
    failTimes(5);
    pass(30_000);
    const leave = circuit.enter();
    expect(() => circuit.enter()).toThrow(AppError);
    leave('responded');
    expect(readWaitMs()).toBe(0);
    failTimes(4);
    expect(readWaitMs()).toBe(0);
  });

  it('opens again when the trial fails, and allows another when it was cancelled', () => {
    const { readWaitMs, attempt, failTimes, pass } = createRig();
    failTimes(5);
    pass(30_000);
    attempt('failed');
    expect(readWaitMs()).toBe(30_000);
    pass(30_000);
    attempt('neutral');
    expect(readWaitMs()).toBe(0);
    attempt('failed');
    expect(readWaitMs()).toBe(30_000);
  });

  it('does not stay open for a day when the clock is set back', () => {
    const { readWaitMs, failTimes, pass } = createRig();
    failTimes(5);
    pass(-86_400_000);
    expect(readWaitMs()).toBe(0);
  });
});
