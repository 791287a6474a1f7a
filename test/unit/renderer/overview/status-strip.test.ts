import { describe, expect, it } from 'vitest';
import type { StatusTick } from '../../../../src-main/common/model/status.ts';
import {
  countTickStates,
  findDownWindows,
  toStripTicks,
  type TickState,
} from '../../../../src-renderer/screens/overview/status-strip.ts';

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

describe('down windows', () => {
  it('joins a tick that was partly down to the one that was down all through', () => {
    const windows = findDownWindows(makeTicks(['up', 'partly', 'down', 'up']), 'platform');
    expect(windows).toEqual([{ field: 'platform', fromMs: 960_000, toMs: 3 * 960_000, ongoing: false }]);
  });

  it('leaves out a short hiccup that only made a tick partly down', () => {
    expect(findDownWindows(makeTicks(['up', 'partly', 'up']), 'platform')).toEqual([]);
  });

  it('says that it goes on when the newest tick with a response is down, although nobody checked since', () => {
    const windows = findDownWindows(makeTicks(['up', 'down', 'unreachable', 'not-checked']), 'platform');
    expect(windows[0]).toMatchObject({ ongoing: true, toMs: 2 * 960_000 });
  });

  it('decision 28, client: being unreachable from here is not being down', () => {
    expect(findDownWindows(makeTicks(['up', 'unreachable', 'up']), 'platform')).toEqual([]);
  });

  it('puts the newest first and looks at each part alone', () => {
    const ticks = makeTicks(['down', 'up', 'down', 'up']);
    expect(findDownWindows(ticks, 'platform').map((window) => window.fromMs)).toEqual([2 * 960_000, 0]);
    expect(findDownWindows(ticks, 'connector')).toEqual([]);
  });
});
