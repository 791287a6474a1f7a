import { describe, expect, it } from 'vitest';
import {
  countBuckets,
  cutSpan,
  toCells,
  toDays,
  type CoverageBucket,
} from '../../../../src-renderer/screens/library/coverage/coverage-map.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const HOUR_MS = 3_600_000;
const day = { fromMs: Date.UTC(2026, 10, 19), toMs: Date.UTC(2026, 10, 20) };

/** Hours of the day as buckets; what is not given was never fetched. */
function makeHours(states: readonly Partial<CoverageBucket>[]): CoverageBucket[] {
  return states.map((state, hour) => ({
    fromMs: day.fromMs + hour * HOUR_MS,
    toMs: day.fromMs + (hour + 1) * HOUR_MS,
    settled: 0,
    open: 0,
    partial: 0,
    failed: 0,
    ...state,
  }));
}
const fill = (count: number, state: Partial<CoverageBucket>) =>
  Array.from({ length: count }, () => ({ ...state }));

describe('the cells of the coverage map', () => {
  it("are the civil days of the service's zone, also where one has 23 hours", () => {
    const days = toDays(Date.UTC(2026, 2, 30, 12), 'Europe/Berlin', 3);
    expect(days.map(({ fromMs, toMs }) => (toMs - fromMs) / HOUR_MS)).toEqual([24, 23, 24]);
    expect(toDays(NOW_MS, 'America/Bogota', 30).at(-1)?.fromMs).toBe(Date.UTC(2026, 10, 20, 5));
  });

  it('are the hours of a day that the clock makes longer or shorter, and the minutes of an hour', () => {
    const [, short] = toDays(Date.UTC(2026, 2, 30, 12), 'Europe/Berlin', 3);
    expect(cutSpan(short!, 'hours')).toHaveLength(23);
    expect(cutSpan({ fromMs: 0, toMs: HOUR_MS }, 'minutes')).toHaveLength(60);
    // Lord Howe Island moves its clock by half an hour.
    const howe = toDays(Date.UTC(2026, 9, 5, 12), 'Australia/Lord_Howe', 3).find(
      ({ fromMs, toMs }) => toMs - fromMs !== 24 * HOUR_MS,
    );
    expect(cutSpan(howe!, 'hours').at(-1)).toEqual({
      fromMs: howe!.toMs - HOUR_MS / 2,
      toMs: howe!.toMs,
    });
    expect(countBuckets(howe!, 'hours')).toBe(47);
  });

  it('say where a person stated that they are complete', () => {
    const stated = [...fill(23, { settled: 1 }), { settled: 1, stated: 0.5 }];
    expect(toCells([day], makeHours(stated), NOW_MS)[0]).toMatchObject({ state: 'settled', isStated: true });
    expect(toCells([day], makeHours(fill(24, { settled: 1 })), NOW_MS)[0]?.isStated).toBeUndefined();
  });

  it('are complete only when every second is settled, and open when the rest may still change', () => {
    expect(toCells([day], makeHours(fill(24, { settled: 1 })), NOW_MS)[0]).toMatchObject({
      state: 'settled',
      share: 1,
    });
    const almost = [...fill(23, { settled: 1 }), { settled: 0.9997 }];
    expect(toCells([day], makeHours(almost), NOW_MS)[0]?.state).toBe('partial');
    const late = [...fill(20, { settled: 1 }), ...fill(4, { open: 1 })];
    expect(toCells([day], makeHours(late), NOW_MS)[0]?.state).toBe('open');
  });

  it('are still open while they go on and nothing lacks of what has passed but the newest minutes', () => {
    const noonMs = day.fromMs + 12 * HOUR_MS;
    const followed = [...fill(11, { settled: 1 }), { settled: 0.8, open: 0.1 }];
    expect(toCells([day], makeHours(followed), noonMs)[0]).toMatchObject({ state: 'open', share: 1 });
    // A quarter of an hour at most may not have come yet, and only at the end.
    expect(toCells([day], makeHours(followed), noonMs + HOUR_MS / 4)[0]?.state).toBe('partial');
    const torn = [...fill(5, { settled: 1 }), { settled: 0.9 }, ...fill(6, { settled: 1 })];
    expect(toCells([day], makeHours(torn), noonMs)[0]?.state).toBe('partial');
    expect(toCells([day], makeHours([]), day.fromMs + 30_000)[0]?.state).toBe('missing');
    expect(toCells([day], makeHours(fill(12, { failed: 1 })), noonMs)[0]?.state).toBe('failed');
  });

  it('count what a broken download holds as half, and say failed only where nothing is cached', () => {
    const mixed = [...fill(12, { settled: 1 }), ...fill(12, { partial: 1 })];
    expect(toCells([day], makeHours(mixed), NOW_MS)[0]).toMatchObject({ state: 'partial', share: 0.75 });
    expect(toCells([day], makeHours(fill(24, { failed: 1 })), NOW_MS)[0]?.state).toBe('failed');
    expect(toCells([day], makeHours([{ settled: 1 }, { failed: 1 }]), NOW_MS)[0]?.state).toBe('partial');
    expect(toCells([day], [], NOW_MS)[0]).toMatchObject({ state: 'missing', share: 0 });
  });
});
