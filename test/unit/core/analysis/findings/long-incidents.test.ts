import { describe, expect, it } from 'vitest';
import type { JoinedIncident } from '../../../../../src-main/core/analysis/findings/join-incidents.ts';
import {
  judgeLongTraffic,
  toFirstSlot,
  type LongCells,
} from '../../../../../src-main/core/analysis/findings/long-incidents.ts';
import { LONG_SLOT_MS, SHORT_SLOTS } from '../../../../../src-main/core/analysis/findings/long-series.ts';
import { createRandom } from '../../../../../src-main/service/sample/random.ts';
import { DAY_MS, HOUR_MS } from '../../../../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../../../../src-main/common/time/time-span.ts';

/** A Wednesday. */
const TODAY_MS = Date.UTC(2026, 10, 18);
const WINDOW = { fromMs: TODAY_MS, toMs: TODAY_MS + 36 * HOUR_MS };
const BEGIN_MS = toFirstSlot(WINDOW) * LONG_SLOT_MS;

interface Shape {
  /** How many times the usual requests come at a time, and how many times as long they take. */
  readonly volume?: (atMs: number) => number;
  readonly time?: (atMs: number) => number;
  readonly perSlot?: number;
  /** How many times as long requests take in five minutes of a half hour. */
  readonly burst?: (atMs: number) => number;
}

/** Five weeks and a window of one channel and service: busy days, calm nights, calmer weekends, noise. */
function draw(
  { volume = () => 1, time = () => 1, perSlot = 120, burst = () => 1 }: Shape,
  fromMs = BEGIN_MS,
): LongCells {
  const random = createRandom(5);
  const rows: [slot: number, requests: number, logTimes: number, slowest: number][] = [];
  for (let atMs = fromMs; atMs < WINDOW.toMs; atMs += LONG_SLOT_MS) {
    const hour = (atMs / HOUR_MS) % 24;
    const isWeekend = [0, 6].includes(new Date(atMs).getUTCDay());
    const rhythm = (1 + 0.8 * Math.sin(((hour - 9) / 12) * Math.PI)) * (isWeekend ? 0.5 : 1);
    const noise = (): number => random() + random() + random() - 1.5;
    const mean = perSlot * rhythm * volume(atMs);
    const requests = Math.max(0, Math.round(mean + Math.sqrt(mean) * 2 * noise()));
    const logTime = Math.log(200 * time(atMs)) + 0.05 * noise();
    const more = Math.log(burst(atMs));
    rows.push([
      atMs / LONG_SLOT_MS,
      requests,
      requests * (logTime + more / SHORT_SLOTS),
      logTime + more + 0.05,
    ]);
  }
  const column = (place: 0 | 1 | 2 | 3): Float64Array => Float64Array.from(rows, (row) => row[place]);
  return {
    channels: new Float64Array(rows.length).fill(1),
    services: new Float64Array(rows.length).fill(7),
    slots: column(0),
    requests: column(1),
    timed: column(1),
    logTimes: column(2),
    most: column(1).map((requests) => requests / SHORT_SLOTS + Math.sqrt(requests / SHORT_SLOTS)),
    fewest: column(1).map((requests) => requests / SHORT_SLOTS - Math.sqrt(requests / SHORT_SLOTS)),
    slowest: column(3),
    mostAt: new Float64Array(rows.length).fill(2),
    slowestAt: new Float64Array(rows.length).fill(2),
  };
}

const find = (
  shape: Shape,
  {
    covered = [{ fromMs: BEGIN_MS, toMs: WINDOW.toMs }],
    incidents = [],
  }: { readonly covered?: readonly TimeSpan[]; readonly incidents?: readonly JoinedIncident[] } = {},
) =>
  judgeLongTraffic([{ direction: 'inbound', cells: [draw(shape)], covered }], WINDOW)
    .complete(incidents)
    .map(({ kind, channel, service, onset, end }) => [
      kind,
      channel,
      service,
      onset / 60,
      end === null ? null : end / 60,
    ]);

const within =
  (fromMs: number, toMs: number, factor: number) =>
  (atMs: number): number =>
    atMs >= fromMs && atMs < toMs ? factor : 1;
const hours = (from: number, to: number, factor: number) =>
  within(TODAY_MS + from * HOUR_MS, TODAY_MS + to * HOUR_MS, factor);

describe('what lasts for hours or days', () => {
  it('is nothing where the weeks before were the same', () => {
    expect(find({})).toEqual([]);
    expect(find({ perSlot: 6 })).toEqual([]);
  });

  it.each([
    ['half of the usual for seven hours', { volume: hours(9, 16, 0.5) }, 'volume-down', 9, 16],
    ['twice the usual for seven hours', { volume: hours(9, 16, 2) }, 'volume-up', 9, 16],
    ['times a third longer for a day', { time: hours(2, 24, 1.35) }, 'slower', 2, 24],
  ] as const)('is told with its onset and its end: %s', (_name, shape, kind, from, to) => {
    const [[found, channel, service, onset, end] = [], ...others] = find(shape);
    expect([found, channel, service, others]).toEqual([kind, 1, 7, []]);
    expect(Math.abs(Number(onset) - from)).toBeLessThanOrEqual(2);
    expect(Math.abs(Number(end) - to)).toBeLessThanOrEqual(2);
  });

  it('is told of a day off that is no holiday of the weeks before, and goes on', () => {
    expect(find({ volume: hours(0, 48, 0.5) })).toMatchObject([['volume-down', 1, 7, 0, null]]);
  });

  it('is told of times that grow by two in a hundred a day, of none that stay', () => {
    const since = TODAY_MS - 14 * DAY_MS;
    const leak = (atMs: number): number => (atMs < since ? 1 : 1.02 ** ((atMs - since) / DAY_MS));
    const [[kind, , , onset, end] = []] = find({ time: leak });
    expect([kind, end]).toEqual(['slower', null]);
    expect(Math.abs(Number(onset) / 24 + 14)).toBeLessThanOrEqual(4);
    expect(find({ time: (atMs) => (atMs < since - 21 * DAY_MS ? 1 : 1.3) })).toEqual([]);
  });

  it('is no maintenance that came at the same hours of weeks before, and what it overran by is', () => {
    const isMaintained = (atMs: number): boolean => {
      const at = new Date(atMs);
      return at.getUTCDay() === 3 && at.getUTCHours() >= 19 && at.getUTCHours() < 22;
    };
    const weekly = (atMs: number): number => (isMaintained(atMs) ? 0 : 1);
    const silence = {
      kind: 'volume-down',
      channel: 1,
      service: 7,
      also: [],
      directions: ['inbound'],
      onset: 19 * 60,
      end: 22 * 60,
      crossed: 19 * 60,
      score: 100,
      measured: { total: 0, hits: 0, expected: 500 },
      source: 'days',
      newFamily: null,
      part: null,
    } as const satisfies JoinedIncident;
    expect(find({ volume: weekly }, { incidents: [silence] })).toEqual([]);
    const overrun = { ...silence, end: 26 * 60 };
    const late = (atMs: number): number => weekly(atMs) * hours(22, 26, 0)(atMs);
    expect(find({ volume: late }, { incidents: [overrun] })).toEqual([['volume-down', 1, 7, 19, 26]]);
    expect(find({ volume: hours(19, 22, 0) }, { incidents: [silence] })).toEqual([
      ['volume-down', 1, 7, 19, 22],
    ]);
  });

  it('is no surge that the same place had every third day', () => {
    const random = createRandom(9);
    const bursts = new Set(
      Array.from(
        { length: 12 },
        (_, burst) => TODAY_MS - Math.round((burst * 3 + 3 * random()) * 48) * LONG_SLOT_MS,
      ),
    );
    const volume = (atMs: number): number => (bursts.has(atMs) ? 6 : 1);
    const surge = {
      kind: 'volume-up',
      channel: 1,
      service: 7,
      also: [],
      directions: ['inbound'],
      onset: 600,
      end: 630,
      crossed: 605,
      score: 100,
      measured: { total: 500, hits: 500, expected: 180 },
      source: 'days',
      newFamily: null,
      part: null,
    } as const satisfies JoinedIncident;
    expect(find({ volume }, { incidents: [surge] })).toEqual([]);
    expect(find({}, { incidents: [surge] })).toHaveLength(1);
  });

  it('is no burst of minutes that the same place had every third day, diluted by the half hours around it', () => {
    const third = (atMs: number): number =>
      Math.floor((TODAY_MS - atMs) / LONG_SLOT_MS) % (3 * 48) === 0 && atMs < TODAY_MS ? 2.5 : 1;
    const now = hours(10, 10.5, 2.5);
    const slow = {
      kind: 'slower',
      channel: 1,
      service: 7,
      also: [],
      directions: ['inbound'],
      onset: 605,
      end: 615,
      crossed: 607,
      score: 100,
      measured: { total: 40, hits: 30, expected: 2 },
      source: 'days',
      newFamily: null,
      part: null,
    } as const satisfies JoinedIncident;
    const both = (atMs: number): number => third(atMs) * now(atMs);
    expect(find({ burst: both }, { incidents: [slow] })).toEqual([]);
    expect(find({ burst: now }, { incidents: [slow] })).toHaveLength(1);
  });

  describe('of minutes', () => {
    /** The busiest half hour of a day, and one of the night. */
    const [noon, night] = [14.5, 3];
    const halfHour = (from: number, factor: number) => hours(from, from + 0.5, factor);

    it('is told where five minutes take longer than any before by far', () => {
      const found = find({ burst: halfHour(night, 3) });
      expect(found).toEqual([['slower', 1, 7, night + 1 / 6, night + 1 / 4]]);
    });

    it('is told where more requests come in half an hour than in any before by far, until they are no more', () => {
      expect(find({ volume: halfHour(noon, 1.7) })).toEqual([['volume-up', 1, 7, noon, noon + 0.5]]);
      expect(find({ volume: hours(noon, noon + 1, 1.7) })).toEqual([['volume-up', 1, 7, noon, noon + 1]]);
    });

    it('is told from a week before, not from less', () => {
      const after = (days: number) => ({
        covered: [{ fromMs: TODAY_MS - days * DAY_MS, toMs: WINDOW.toMs }],
      });
      expect(find({ burst: halfHour(night, 3) }, after(6))).toEqual([]);
      expect(find({ burst: halfHour(night, 3) }, after(8))).toHaveLength(1);
    });

    it('is nothing where it is large for its hour only, or hardly larger than what came before', () => {
      expect(find({ volume: halfHour(night, 2) })).toEqual([]);
      expect(find({ volume: halfHour(noon, 1.15) })).toEqual([]);
      const before = (atMs: number): number =>
        atMs === TODAY_MS - 9 * DAY_MS + 10 * HOUR_MS ? 3 : halfHour(night, 3.5)(atMs);
      expect(find({ burst: before })).toEqual([]);
    });

    it('is told once where its minutes told it, or what else became of the same requests', () => {
      const failing = {
        kind: 'errors-up',
        channel: 1,
        service: null,
        also: [],
        directions: ['inbound'],
        onset: night * 60 + 8,
        end: night * 60 + 20,
        crossed: night * 60 + 9,
        score: 100,
        measured: { total: 40, hits: 30, expected: 2 },
        source: 'days',
        newFamily: null,
        part: null,
      } as const satisfies JoinedIncident;
      const tell = (incident: JoinedIncident): unknown[] =>
        find({ burst: halfHour(night, 3) }, { incidents: [incident] }).map(([kind]) => kind);
      expect(tell(failing)).toEqual(['errors-up']);
      expect(tell({ ...failing, channel: null, service: 7 })).toEqual(['errors-up']);
      expect(tell({ ...failing, kind: 'slower', service: 7, also: [] })).toEqual(['slower']);
      expect(tell({ ...failing, channel: 2 })).toEqual(['errors-up', 'slower']);
      expect(tell({ ...failing, onset: 300, end: 330 })).toEqual(['slower', 'errors-up']);
    });
  });

  describe('at a place that has no requests now and then', () => {
    const silent = (from: number, to: number): JoinedIncident => ({
      kind: 'volume-down',
      channel: 1,
      service: 7,
      also: [],
      directions: ['inbound'],
      onset: from * 60,
      end: to * 60,
      crossed: from * 60,
      score: 100,
      measured: { total: 0, hits: 0, expected: 500 },
      source: 'days',
      newFamily: null,
      part: null,
    });

    it('is a silence that is longer than those before, at whichever hour they were', () => {
      const random = createRandom(11);
      const starts = Array.from({ length: 36 }, (_, day) => TODAY_MS - (day + 0.8 * random()) * DAY_MS);
      const lengths = starts.map(() => 2 + 2 * random());
      const isSilent = (atMs: number): boolean =>
        atMs < TODAY_MS &&
        starts.some((from, place) => atMs >= from && atMs < from + (lengths[place] ?? 0) * HOUR_MS);
      const volume = (to: number) => (atMs: number) => (isSilent(atMs) ? 0 : hours(9, to, 0)(atMs));
      expect(find({ volume: volume(11) }, { incidents: [silent(9, 11)] })).toEqual([]);
      expect(find({ volume: volume(17) }, { incidents: [silent(9, 17)] })).toHaveLength(1);
    });

    it('is none that was as long in the few days that are cached', () => {
      const random = createRandom(11);
      const starts = Array.from({ length: 12 }, (_, day) => TODAY_MS - (day + 0.8 * random()) * DAY_MS);
      const isSilent = (atMs: number): boolean =>
        atMs < TODAY_MS && starts.some((from) => atMs >= from && atMs < from + 3 * HOUR_MS);
      const before = (day: number) => hours(9 - 24 * day, 16.5 - 24 * day, 0);
      const volume = (day: number) => (atMs: number) =>
        isSilent(atMs) ? 0 : before(day)(atMs) * hours(9, 16, 0)(atMs);
      const covered = [{ fromMs: TODAY_MS - 10 * DAY_MS, toMs: WINDOW.toMs }];
      const incidents = [silent(9, 16)];
      expect(find({ volume: volume(5) }, { covered, incidents })).toEqual([]);
      expect(find({ volume: volume(20) }, { covered, incidents })).toHaveLength(1);
    });

    it('is a silence in the hours in which it is open, though it is closed each night for longer', () => {
      const isOpen = (atMs: number): boolean => (atMs / HOUR_MS) % 24 >= 8 && (atMs / HOUR_MS) % 24 < 20;
      const volume = (atMs: number): number => (isOpen(atMs) ? hours(10, 13, 0)(atMs) : 0);
      expect(find({ volume }, { incidents: [silent(10, 13)] })).toHaveLength(1);
    });
  });

  it('is nothing where nights without data make most of a day unknown, nor in what is not cached', () => {
    const random = createRandom(3);
    const holes = new Map<number, boolean>();
    const isHole = (atMs: number): boolean => {
      const six = Math.floor(atMs / (6 * HOUR_MS));
      if (!holes.has(six)) holes.set(six, random() < 0.25);
      return holes.get(six) === true;
    };
    expect(find({ volume: (atMs) => (isHole(atMs) ? 0 : 1) })).toEqual([]);
    const torn = { fromMs: TODAY_MS + 4 * HOUR_MS, toMs: TODAY_MS + 14 * HOUR_MS };
    const covered = [
      { fromMs: BEGIN_MS, toMs: torn.fromMs },
      { fromMs: torn.toMs, toMs: WINDOW.toMs },
    ];
    expect(find({ volume: within(torn.fromMs, torn.toMs, 0) }, { covered })).toEqual([]);
  });

  it('is not told from less than three weeks', () => {
    const covered = [{ fromMs: TODAY_MS - 18 * DAY_MS, toMs: WINDOW.toMs }];
    expect(find({ volume: hours(9, 16, 0.5) }, { covered })).toEqual([]);
  });
});
