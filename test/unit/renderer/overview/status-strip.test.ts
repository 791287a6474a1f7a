import { describe, expect, it } from 'vitest';
import type { StatusTick } from '../../../../src-main/common/model/connections/status.ts';
import {
  countTickStates,
  type TickState,
  toStripTicks,
} from '../../../../src-renderer/screens/overview/health/health.ts';

function makeTicks(states: readonly TickState[]): StatusTick[] {
  return states.map((state, index) => ({
    fromMs: index * 960_000,
    toMs: (index + 1) * 960_000,
    platform: state,
    connector: 'up',
    internalResponseTimeMs: null,
  }));
}

describe('status strip', () => {
  it('gives up, partly, down and not checked four different heights', () => {
    const ticks = toStripTicks(makeTicks(['up', 'partly', 'down', 'not-checked']), 'platform');
    expect(new Set(ticks.map((tick) => tick.heightPercent)).size).toBe(4);
  });

  it('decision 28, client: counts what was not checked apart from what was up', () => {
    const counts = countTickStates(toStripTicks(makeTicks(['up', 'not-checked', 'unreachable']), 'platform'));
    expect(counts).toMatchObject({ up: 1, 'not-checked': 1, unreachable: 1, down: 0 });
  });
});
