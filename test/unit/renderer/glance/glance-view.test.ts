import { describe, expect, it } from 'vitest';
import type { ConnectionGlance } from '../../../../src-main/common/contract/operations/overview.ts';
import {
  findCheckedAtMs,
  type GlanceEntry,
  isHighShare,
  isLastHour,
  sortByTrouble,
  toFailedShare,
  toPartHealth,
  toShapes,
  toTrouble,
} from '../../../../src-renderer/screens/glance/glance.ts';
import { makeGlance, NOW } from './make-glance.ts';

const MINUTE = 60_000;

function makeEntry(change: Partial<ConnectionGlance>, id = 'a'): GlanceEntry {
  return {
    connection: { id } as never,
    glance: makeGlance(change),
    report: null,
    isReadingReport: false,
    refreshSeconds: 30,
  };
}

describe('the state of a part', () => {
  it('is what the service said just now, since when it was seen all the time', () => {
    expect(toPartHealth(makeGlance(), 'platform', NOW, 30)).toEqual({
      state: 'up',
      sinceMs: NOW - 60 * MINUTE,
      lastSaid: null,
    });
  });

  it('has no beginning where it was not seen all the time', () => {
    const glance = makeGlance({ platformState: { sinceMs: NOW - 60 * MINUTE, seenMs: 10 * MINUTE } });
    expect(toPartHealth(glance, 'platform', NOW, 30).sinceMs).toBeNull();
  });

  it('decision 28: is never called up when the service was not reached, or not asked for long', () => {
    const latest = {
      platform: 'unreachable' as const,
      connector: 'unreachable' as const,
      checkedAtMs: NOW - MINUTE,
      failure: 'client.timeout',
    };
    const lastSaid = { state: 'up', atMs: NOW - MINUTE };
    expect(toPartHealth(makeGlance({ latest }), 'connector', NOW, 30)).toMatchObject({
      state: 'unreachable',
      lastSaid,
    });
    expect(toPartHealth(makeGlance(), 'connector', NOW + 60 * MINUTE, 30)).toMatchObject({
      state: 'not-checked',
      lastSaid,
    });
  });

  it.each([
    ['two minutes where the next one was due before', 30, 2],
    ['until the next one is overdue by a minute', 300, 6],
    ['two minutes where nothing is checked by itself', 0, 2],
  ])('holds after a check for %s, and then nobody knows it', (_how, refreshSeconds, minutes) => {
    const checkedAtMs = NOW - MINUTE;
    const stateAt = (nowMs: number) => toPartHealth(makeGlance(), 'platform', nowMs, refreshSeconds).state;
    expect(stateAt(checkedAtMs + minutes * MINUTE)).toBe('up');
    expect(stateAt(checkedAtMs + minutes * MINUTE + 1)).toBe('not-checked');
    const entry = { ...makeEntry({}), refreshSeconds, report: { findings: [], gaps: [] } as never };
    expect(toTrouble(entry, checkedAtMs + minutes * MINUTE + 1)).toBe('not-checked');
  });

  it('is as old as the last check that was made, not as one that sent nothing', () => {
    const failed = { platform: 'not-checked' as const, connector: 'not-checked' as const, checkedAtMs: NOW };
    const latest = { ...failed, failure: 'secrets.missing' };
    expect(findCheckedAtMs(makeGlance())).toBe(NOW - MINUTE);
    expect(findCheckedAtMs(makeGlance({ latest }))).toBe(NOW - MINUTE);
    expect(findCheckedAtMs(makeGlance({ latest, lastAnswered: null }))).toBeNull();
    const unreachable = { ...latest, platform: 'unreachable' as const, connector: 'unreachable' as const };
    expect(findCheckedAtMs(makeGlance({ latest: unreachable }))).toBe(NOW);
  });
});

describe('the newest cached hour', () => {
  it('is called the last hour only when it is', () => {
    expect(isLastHour(makeGlance(), NOW)).toBe(true);
    expect(isLastHour(makeGlance(), NOW + 60 * MINUTE)).toBe(false);
    expect(isLastHour(makeGlance({ hour: null }), NOW)).toBe(false);
  });

  it('has no share of failures with too few requests', () => {
    const hour = { fromMs: 0, toMs: 1, count: 19, failures: 10 };
    expect(toFailedShare(hour)).toBeNull();
    expect(toFailedShare({ ...hour, count: 20 })).toBe(0.5);
  });

  it('stands out when it fails much more than usual', () => {
    const usual = { days: 7, count: 100, failureShare: 0.03 };
    expect(isHighShare(0.04, usual)).toBe(false);
    expect(isHighShare(0.055, usual)).toBe(false);
    expect(isHighShare(0.06, usual)).toBe(true);
    expect(isHighShare(0.06, null)).toBe(true);
    expect(isHighShare(null, null)).toBe(false);
  });
});

it('connections come with trouble first', () => {
  const state = (platform: 'up' | 'down', failure: string | null = null): Partial<ConnectionGlance> => ({
    latest: { platform, connector: 'up', checkedAtMs: NOW, failure },
  });
  const entries = [
    makeEntry(state('up'), 'fine'),
    makeEntry(state('up', 'client.timeout'), 'away'),
    { ...makeEntry(state('up'), 'finding'), report: { findings: [{}] } as never },
    makeEntry(state('down'), 'down'),
  ];
  expect(sortByTrouble(entries, NOW).map(({ connection }) => connection.id)).toEqual([
    'down',
    'away',
    'finding',
    'fine',
  ]);
  expect(toTrouble({ ...entries[0]!, glance: null }, NOW)).toBe('unsure');
});

it('24 hours are drawn without anything where nothing is cached', () => {
  const bucket = (count: number, failures: number, isCached = true) => ({
    fromMs: 0,
    toMs: 30 * MINUTE,
    count,
    failures,
    isCached,
  });
  const buckets = [
    bucket(100, 0),
    bucket(50, 15),
    bucket(0, 0, false),
    bucket(0, 0, false),
    bucket(9, 9),
    bucket(20, 1),
  ];
  const shapes = toShapes({ buckets, hour: null });
  expect(shapes.bars.map(({ x, height }) => [x, height])).toEqual([
    [1, 100],
    [11, 50],
    [41, 9],
    [51, 20],
  ]);
  expect(shapes.gaps).toEqual([{ x: 20, width: 20 }]);
  expect(shapes.steps).toBe('M0 100H10V0H20M50 83.3H60');
  expect(shapes).toMatchObject({ peakCount: 100, peakShare: 0.3, width: 60 });
  expect(toShapes({ buckets: [bucket(0, 0, false)], hour: null }).peakShare).toBeNull();
  // More than the usual scale shows has a scale of its own.
  expect(toShapes({ buckets: [bucket(100, 20)], hour: null }).fullShare).toBe(0.3);
  expect(toShapes({ buckets: [bucket(100, 62)], hour: null })).toMatchObject({
    fullShare: 1,
    steps: 'M0 38H10',
  });
  const part = { ...bucket(40, 10), toMs: 20 * MINUTE };
  expect(toShapes({ buckets: [part, bucket(50, 0), part], hour: null }).gaps).toEqual([{ x: 0, width: 10 }]);
});

it('no failed share of the newest hour is above what is called the peak beside it', () => {
  const { buckets, hour } = makeGlance({ hour: { fromMs: 0, toMs: 60 * MINUTE, count: 200, failures: 60 } });
  expect(toShapes({ buckets, hour }).peakShare).toBe(toFailedShare(hour));
});
