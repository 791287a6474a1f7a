import { beforeAll, describe, expect, it } from 'vitest';
import type { NoticedSizes } from '../../../../../src-main/common/model/analysis/finding.ts';
import type { Direction } from '../../../../../src-main/common/reporting/reports.ts';
import { ENGLISH } from '../../../../../src-main/common/words/words.ts';
import { groupNoticed, writeNoticed } from '../../../../../src-main/common/words/finding-words.ts';
import { isWithin } from '../../../../../src-main/core/analysis/findings/explain-incidents.ts';
import {
  findSizes,
  isTold,
  joinSizes,
  MOST,
  NOTICED_MINUTES,
  toNoticed,
  type FoundSizes,
} from '../../../../../src-main/core/analysis/findings/noticed-sizes.ts';
import type { TrafficCells } from '../../../../../src-main/core/analysis/findings/traffic-cells.ts';
import { FAILED } from '../../../../../src-main/core/analysis/findings/traffic-grid.ts';
import { createRandom } from '../../../../../src-main/service/sample/random.ts';
import { prepareLook, type SimulatedLook } from '../../../../support/findings/find-in-simulation.ts';
import { DAY_MS } from '../../../../support/findings/simulated-rhythm.ts';
import { simulateMonth } from '../../../../support/findings/simulated-traffic.ts';

/** `CHANNELSCOPE_NOTICED_RUNS=100` is the proof; each run takes some tenths of a second. */
const RUNS = Number(process.env['CHANNELSCOPE_NOTICED_RUNS'] ?? 8);
const OF_RUNS = 0.95;
const MINUTE_MS = 60_000;
const DAYS = 15;
const FROM_MS = Date.UTC(2026, 9, 1);
const UNTIL_MS = FROM_MS + DAYS * DAY_MS;
const LAST_DAY = { fromMs: UNTIL_MS - DAY_MS, toMs: UNTIL_MS };

let look: ReturnType<typeof prepareLook>;
let quiet: SimulatedLook;
let sizes: FoundSizes;
let noticed: NoticedSizes;

beforeAll(() => {
  look = prepareLook(
    simulateMonth({
      seed: 11,
      fromMs: FROM_MS,
      days: DAYS,
      learnDays: DAYS,
      incidents: 0,
      perMinute: 60,
    }),
  );
  quiet = look(UNTIL_MS);
  sizes = findSizes(quiet.grids, quiet.judged.places, LAST_DAY, quiet.long.isRare);
  noticed = toNoticed(sizes, LAST_DAY);
}, 120_000);

interface Injection {
  readonly kind: 'failing' | 'fewer';
  readonly channel: number;
  readonly direction: Direction;
  readonly minute: number;
  readonly size: number;
}

/** Makes each request of a quarter of an hour fail, or not come, with the same chance. */
function inject({ kind, channel, direction, minute, size }: Injection, random: () => number) {
  return (own: Direction, cells: TrafficCells): TrafficCells => {
    if (own !== direction) return cells;
    const added: { service: number; slot: number }[] = [];
    const counts = cells.counts.map((count, cell) => {
      const slot = cells.slots[cell] ?? 0;
      if (cells.channels[cell] !== channel || slot < minute || slot >= minute + NOTICED_MINUTES) return count;
      let left = 0;
      for (let request = 0; request < count; request += 1) {
        if (random() >= size) left += kind === 'failing' && cells.outcomes[cell] === FAILED ? 0 : 1;
        else if (kind === 'failing') added.push({ service: cells.services[cell] ?? 0, slot });
      }
      return left;
    });
    const join = (values: Float64Array, more: readonly number[]) => Float64Array.from([...values, ...more]);
    return {
      channels: join(
        cells.channels,
        added.map(() => channel),
      ),
      services: join(
        cells.services,
        added.map(({ service }) => service),
      ),
      slots: join(
        cells.slots,
        added.map(({ slot }) => slot),
      ),
      outcomes: join(
        cells.outcomes,
        added.map(() => FAILED),
      ),
      counts: join(
        counts,
        added.map(() => 1),
      ),
    };
  };
}

/** How many of so many injections, each at a time and on a channel that something is said of, are found. */
function count(kind: Injection['kind'], factor: number): { found: number; missed: unknown[] } {
  const random = createRandom(kind === 'failing' ? 5 : 6);
  const { groups } = groupNoticed(noticed);
  const missed: unknown[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const said = groups.flatMap((group) =>
      group.channels.flatMap((channel) =>
        group[kind] === null ? [] : [{ channel, size: group[kind].size }],
      ),
    );
    const { channel, size } = said[run % said.length] ?? { channel: 0, size: 0 };
    const own = sizes.channels.filter((one) => one.channel === channel);
    const times = sizes.atMs.filter((_, place) =>
      own.every((one) => isTold(one[kind][place] ?? null, MOST[kind])),
    );
    const atMs = times[Math.floor(random() * times.length)] ?? 0;
    const minute = atMs / MINUTE_MS + Math.floor(random() * NOTICED_MINUTES);
    const direction = own[Math.floor(random() * own.length)]?.direction ?? 'inbound';
    const injection = { kind, channel, direction, minute, size: Math.min(1, size * factor) };
    const { window, find } = look(UNTIL_MS, inject(injection, random));
    const first = minute - window.fromMs / MINUTE_MS;
    const isFound = find().some(
      (incident) =>
        incident.kind === (kind === 'failing' ? 'errors-up' : 'volume-down') &&
        incident.directions.includes(direction) &&
        incident.onset < first + NOTICED_MINUTES &&
        (incident.end ?? Infinity) > first &&
        (isWithin({ channel, service: null }, incident) || isWithin(incident, { channel, service: null })),
    );
    if (!isFound) missed.push(injection);
  }
  return { found: RUNS - missed.length, missed };
}

describe('what would have been noticed', () => {
  it('is said of quiet traffic, and of less of it the fewer requests there are', () => {
    expect(quiet.find()).toEqual([]);
    expect(noticed).toMatchObject({ minutes: NOTICED_MINUTES, hours: 24 });
    const { groups, few } = groupNoticed(noticed);
    expect([...groups.flatMap(({ channels }) => channels), ...few].sort()).toEqual([1, 2, 3, 4]);
    const [busy, thin] = [noticed.channels[0], noticed.channels[3]];
    expect(busy?.failing?.size).toBeLessThan(thin?.failing?.size ?? 1);
    expect(busy?.failing?.hours).toBeGreaterThanOrEqual(thin?.failing?.hours ?? 0);
  });

  it.each(['failing', 'fewer'] as const)(
    'is found in 95 of 100 runs where it is just above the size that is said: %s',
    (kind) => {
      const { found, missed } = count(kind, 1.02);
      expect(found, JSON.stringify(missed)).toBeGreaterThanOrEqual(Math.floor(OF_RUNS * RUNS));
    },
    600_000,
  );

  it.each(['failing', 'fewer'] as const)(
    'is not half as much again as what is found in 95 of 100 runs: %s',
    (kind) => {
      expect(count(kind, 1 / 1.5).found).toBeLessThan(OF_RUNS * RUNS);
    },
    600_000,
  );

  it('is not known where nothing is cached, or nothing before it', () => {
    const day = { fromMs: LAST_DAY.fromMs - 9 * DAY_MS, toMs: LAST_DAY.toMs - 9 * DAY_MS };
    expect(toNoticed(sizes, day)).toMatchObject({ hours: 0 });
    const [first] = quiet.grids;
    const uncovered = quiet.grids.map((grid) => ({
      ...grid,
      minutesCovered: grid.minutesCovered.map((covered, minute) => (minute % 40 === 0 ? 0 : covered)),
    }));
    const known = findSizes(uncovered, quiet.judged.places, LAST_DAY, quiet.long.isRare);
    expect(first?.minutesCovered.every((covered) => covered === 1)).toBe(true);
    expect(known.atMs.length).toBeGreaterThan(0);
    expect(known.atMs.length).toBeLessThan(sizes.atMs.length);
    const places = quiet.judged.places.map((place) => ({
      ...place,
      expected: place.expected.map(() => null),
    }));
    const unlearned = toNoticed(findSizes(quiet.grids, places, LAST_DAY, quiet.long.isRare), LAST_DAY);
    expect(unlearned.channels.every(({ failing, fewer }) => failing === null && fewer === null)).toBe(true);
  });

  it('is joined of days, each time once', () => {
    const [before, after] = [sizes.atMs.slice(0, 20), sizes.atMs.slice(10)];
    const cut = (from: number, to: number): FoundSizes => ({
      atMs: sizes.atMs.slice(from, to),
      channels: sizes.channels.map((own) => ({
        ...own,
        failing: own.failing.slice(from, to),
        fewer: own.fewer.slice(from, to),
      })),
    });
    expect([before.length, after.length]).toEqual([20, sizes.atMs.length - 10]);
    expect(joinSizes([cut(0, 20), cut(10, sizes.atMs.length)])).toEqual(sizes);
  });
});

describe('in words', () => {
  const size = (value: number, hours = 24) => ({ size: value, hours });
  const write = (channels: NoticedSizes['channels'], names: Readonly<Record<string, string>> = {}) =>
    writeNoticed(
      { minutes: 15, hours: 24, channels },
      { ...ENGLISH, toText: (_field, value) => names[String(value)] ?? String(value) },
    );

  it('names channels together of which the same is said, and those with too few requests', () => {
    const channels = [1, 2, 3, 4].map((channel) => ({
      channel,
      failing: size(0.034 + channel / 1000),
      fewer: size(0.58),
    }));
    const few = [5, 6].map((channel) => ({ channel, failing: null, fewer: null }));
    expect(write([...channels, ...few])).toBe(
      'An error rate above 4.0% or a drop of more than 58% for 15 min would have been noticed on channels 1 to 4. There are too few requests to tell on channels 5 and 6.',
    );
  });

  it('says apart what differs, in how many hours, with the names that people gave', () => {
    const channels = [
      { channel: 1, failing: size(0.06), fewer: size(0.6) },
      { channel: 2, failing: size(0.2), fewer: size(0.6, 14) },
      { channel: 3, failing: size(0.4, 7.5), fewer: null },
    ];
    expect(write(channels, { 2: 'Web' })).toBe(
      [
        'An error rate above 6.0% or a drop of more than 60% for 15 min would have been noticed on channel 1.',
        'An error rate above 20% or a drop of more than 60% for 15 min would have been noticed on channel Web, in 14 of 24 hours.',
        'An error rate above 40% for 15 min would have been noticed on channel 3, in 8 of 24 hours; there are too few requests to tell a drop.',
      ].join(' '),
    );
  });
});
