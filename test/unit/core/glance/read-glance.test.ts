import { describe, expect, it } from 'vitest';
import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';
import { type GlanceSource, readTraffic } from '../../../../src-main/core/glance/glance-handlers.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 20, 15, 50);

/** A direction that sees `perHour(fromMs)` requests in each hour, a tenth of them failing. */
function makeDirection(
  uncached: readonly TimeSpan[] = [],
  perHour: (atMs: number) => number = () => 100,
): GlanceSource {
  return {
    count: (edges) =>
      Promise.resolve(
        edges.slice(0, -1).map((fromMs, place) => {
          const toMs = edges[place + 1]!;
          const count = Math.round((perHour(fromMs) * (toMs - fromMs)) / HOUR);
          return { fromMs, toMs, count, failures: Math.round(count / 10) };
        }),
      ),
    findUncached: () => Promise.resolve(uncached),
  };
}

describe('a connection at a glance', () => {
  it('has both directions in half hours, its newest hour, and what is usual for it', async () => {
    const busy = makeDirection([], (atMs) => (atMs >= NOW - HOUR ? 400 : 100));
    const { buckets, hour, usual } = await readTraffic([busy, makeDirection()], NOW);
    expect(buckets).toHaveLength(48);
    expect(buckets.at(-1)).toMatchObject({ fromMs: NOW - 20 * 60_000, toMs: NOW, isCached: true });
    expect(buckets[0]).toMatchObject({ count: 100, failures: 10, isCached: true });
    expect(hour).toEqual({ fromMs: NOW - HOUR, toMs: NOW, count: 500, failures: 50 });
    expect(usual).toEqual({ days: 7, count: 200, failureShare: 0.1 });
  });

  it('shows the newest hour that is whole, where the last one is not cached', async () => {
    const gap = { fromMs: NOW - 3 * HOUR, toMs: NOW };
    const { buckets, hour } = await readTraffic([makeDirection([gap]), makeDirection()], NOW);
    expect(hour).toMatchObject({ fromMs: NOW - 4 * HOUR, toMs: NOW - 3 * HOUR });
    expect(buckets.filter(({ isCached }) => !isCached).map(({ fromMs }) => NOW - fromMs)).toEqual(
      [2.5, 2, 1.5, 1, 0.5, 0].map((hours) => hours * HOUR + 20 * 60_000),
    );
  });

  it('has the running half hour as far as the hour beside it, also while the newest minutes are not cached', async () => {
    const untilMs = NOW - 5 * 60_000;
    const failing = makeDirection([{ fromMs: untilMs, toMs: NOW }], (atMs) => (atMs < untilMs ? 400 : 4000));
    const { buckets, hour } = await readTraffic([failing], NOW);
    expect(hour).toMatchObject({ toMs: untilMs });
    expect(buckets).toHaveLength(48);
    expect(buckets.at(-1)).toMatchObject({
      fromMs: NOW - 20 * 60_000,
      toMs: untilMs,
      count: 100,
      isCached: true,
    });
  });

  it('says nothing of an hour where the last day is not cached, or has a hole in the only one', async () => {
    const nothing = [{ fromMs: NOW - 9 * DAY, toMs: NOW }];
    expect(await readTraffic([makeDirection(nothing)], NOW)).toMatchObject({ hour: null, usual: null });
    const hole = [{ fromMs: NOW - HOUR / 2, toMs: NOW - HOUR / 3 }];
    expect((await readTraffic([makeDirection(hole)], NOW)).hour).toBeNull();
  });

  it('takes only days whose hour is cached for usual, and their middle', async () => {
    const holes = [2, 3, 4, 5].map((days) => ({
      fromMs: NOW - days * DAY - HOUR / 2,
      toMs: NOW - days * DAY,
    }));
    const growing = makeDirection(holes, (atMs) => 100 + Math.round((NOW - atMs) / DAY));
    const { usual } = await readTraffic([growing], NOW);
    expect(usual).toMatchObject({ days: 3, count: 106 });
    const noDays = [{ fromMs: NOW - 9 * DAY, toMs: NOW - DAY }];
    expect((await readTraffic([makeDirection(noDays)], NOW)).usual).toBeNull();
  });
});
