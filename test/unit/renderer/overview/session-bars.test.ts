import { describe, expect, it } from 'vitest';
import { toSessionBars } from '../../../../src-renderer/screens/overview/sessions/session-bars.ts';

const traffic = [
  { Division: 1, Channel: 1, Service: 2, Sessions: 30 },
  { Division: 2, Channel: 1, Service: 2, Sessions: 20 },
  { Division: 1, Channel: 1, Service: 7, Sessions: 10 },
  { Division: 1, Channel: 3, Service: 7, Sessions: 40 },
];

describe('session bars', () => {
  it('joins divisions and puts the largest pair first', () => {
    const { bars, total } = toSessionBars(traffic, 'pair', 10);
    expect(total).toBe(100);
    expect(bars.map((bar) => [bar.channel, bar.service, bar.sessions])).toEqual([
      [1, 2, 50],
      [3, 7, 40],
      [1, 7, 10],
    ]);
    expect(bars[0]).toMatchObject({ share: 0.5, length: 1 });
    expect(bars[1]?.length).toBeCloseTo(0.8);
  });

  it('groups by channel and by service', () => {
    expect(toSessionBars(traffic, 'channel', 10).bars.map((bar) => [bar.channel, bar.service])).toEqual([
      [1, null],
      [3, null],
    ]);
    expect(toSessionBars(traffic, 'service', 10).bars.map((bar) => bar.sessions)).toEqual([50, 50]);
  });

  it('groups by division', () => {
    const { bars } = toSessionBars(traffic, 'division', 10);
    expect(bars.map((bar) => [bar.division, bar.channel, bar.sessions])).toEqual([
      [1, null, 80],
      [2, null, 20],
    ]);
  });

  it('says what did not fit instead of dropping it', () => {
    expect(toSessionBars(traffic, 'pair', 1)).toMatchObject({ restGroups: 2, restSessions: 50 });
  });

  it('has no shares of nothing', () => {
    const quiet = toSessionBars([{ Division: 1, Channel: 1, Service: 1, Sessions: 0 }], 'pair', 5);
    expect(quiet.bars[0]).toMatchObject({ share: 0, length: 0 });
    expect(toSessionBars([], 'pair', 5)).toMatchObject({ bars: [], total: 0 });
  });
});
