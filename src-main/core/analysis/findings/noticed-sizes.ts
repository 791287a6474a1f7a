import type { NoticedSizes } from '../../../common/model/analysis/finding.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import { toBinomialTail } from '../../../common/statistics.ts';
import { MINUTE_MS } from '../../../common/time/durations.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { isLarge } from './detect-incidents.ts';
import type { JudgedPlace } from './explain-incidents.ts';
import type { JoinedIncident } from './join-incidents.ts';
import { measureDispersion, weighFewer } from './weigh-volume.ts';
import { ALARM, SETTLE } from './scan-minutes.ts';
import { HOUR_MINUTES, type TrafficGrid } from './traffic-grid.ts';
import { weighHit } from './weigh-shares.ts';

/** Something is said of what lasts so long. */
export const NOTICED_MINUTES = 15;
/** Its size is worked out for a beginning at each of these. */
const STEP_MINUTES = 30;
/** So surely it would have been told. */
const SURE = 0.95;
/** What is less than that, or rarer, doesn't help anybody: half of all requests fail, nearly none come. */
export const MOST = { failing: 0.5, fewer: 0.95 } as const;
/** A size is said of at least this share of the times; of fewer, that there are too few requests. */
const LEAST_TIMES = 0.25;
const SEARCH_STEPS = 14;
/** So many of the times say it for all of them. */
const MAX_TIMES = 100;

/** How many requests had to be hit, of how many that came; null where not even all of them would have been enough. */
type Needed = readonly [hits: number, total: number] | null;

/** What would have been told of a channel in one direction, each by the time at which it would have begun. */
interface SizesOfChannel {
  readonly direction: Direction;
  readonly channel: number;
  /** Requests that fail, and those that don't come. */
  readonly failing: readonly Needed[];
  readonly fewer: readonly Needed[];
}

/** What would have been told, by the times that are known in both directions. */
export interface FoundSizes {
  readonly atMs: readonly number[];
  readonly channels: readonly SizesOfChannel[];
}

export const NO_SIZES: FoundSizes = { atMs: [], channels: [] };

/**
 * Works out how large something must have been on each channel to be told: the rules of the minutes, read backwards over
 * the requests that came. `isRare` says whether a drop is rare enough to be told.
 */
export function findSizes(
  grids: readonly TrafficGrid[],
  places: readonly JudgedPlace[],
  { fromMs, toMs }: TimeSpan,
  isRare: (incident: JoinedIncident) => boolean,
): FoundSizes {
  const [first] = grids;
  if (first === undefined) return NO_SIZES;
  const { firstMinute } = first;
  const minutes = Math.min(...grids.map(({ minutesCovered }) => minutesCovered.length));
  const until = Math.min(minutes - SETTLE, Math.floor(toMs / MINUTE_MS) - firstMinute) - NOTICED_MINUTES;
  const starts: number[] = [];
  const firstStart = Math.max(0, Math.ceil(fromMs / MINUTE_MS) - firstMinute);
  for (let start = firstStart; start <= until; start += STEP_MINUTES) {
    const isKnown = grids.every(({ minutesCovered, ...grid }) => {
      const own = minutesCovered.subarray(start, start + NOTICED_MINUTES);
      return (
        own.every((covered) => covered === 1) && grid.flows.every((flow) => flow.minutesCovered[start] === 1)
      );
    });
    if (isKnown) starts.push(start);
  }
  const channels = grids.flatMap((grid): SizesOfChannel[] =>
    [...Map.groupBy(grid.flows, ({ channel }) => channel)].flatMap(([channel, flows]) => {
      if (channel === null) return [];
      const place = places.find(
        ({ directions, flows: own }) =>
          directions.length === 1 &&
          directions[0] === grid.direction &&
          own.length === flows.length &&
          flows.every((flow) => own.includes(flow)),
      );
      const { direction } = grid;
      const none = starts.map(() => null);
      if (place === undefined) return [{ direction, channel, failing: none, fewer: none }];
      const failing = starts.map((start) => findFailing(place, start));
      return [{ direction, channel, failing, fewer: findFewer(place, starts, isRare) }];
    }),
  );
  return { atMs: starts.map((start) => (firstMinute + start) * MINUTE_MS), channels };
}

/** How many failing requests would have been told, were they those of a quarter of an hour. */
function findFailing({ series, expected }: JudgedPlace, start: number): Needed {
  const { requests } = series.minutes;
  let [total, usual, misses, gains] = [0, 0, 0, 0];
  for (let minute = start; minute < start + NOTICED_MINUTES; minute += 1) {
    const share = expected[Math.floor(minute / HOUR_MINUTES)]?.failing ?? 0;
    const count = requests[minute] ?? 0;
    if (share === 0) {
      if (count > 0) return null;
      continue;
    }
    const { hit, miss } = weighHit('errors-up', share);
    total += count;
    usual += count * share;
    misses += count * miss;
    gains += count * (hit - miss);
  }
  if (total === 0) return null;
  let hits = Math.max(1, Math.ceil((ALARM - misses) / (gains / total)));
  while (hits <= total && !isLarge('errors-up', { hits, total, expected: usual })) hits += 1;
  return hits > total ? null : [hits, total];
}

/** How many requests fewer would have been told, were so many left out of those that came. */
function findFewer(
  place: JudgedPlace,
  starts: readonly number[],
  isRare: (incident: JoinedIncident) => boolean,
): Needed[] {
  const { covered, series, expected, directions, channel, service } = place;
  const before = Math.floor(covered.firstMinute / HOUR_MINUTES) - covered.firstHour;
  const dispersion = measureDispersion(series.hours.requests.subarray(0, before), covered.hoursCovered);
  const { requests } = series.minutes;
  const probe = weighFewer({ ...covered, dispersion }, series.minutes, expected);
  return probe(starts, (start, weigh) => {
    let came = 0;
    for (let minute = start; minute < start + NOTICED_MINUTES; minute += 1) came += requests[minute] ?? 0;
    const isTold = (left: number): boolean => {
      const usual = weigh(NOTICED_MINUTES, came === 0 ? 0 : left / came);
      if (usual === null) return false;
      const measured = { hits: left, total: left, expected: usual };
      const incident: JoinedIncident = {
        kind: 'volume-down',
        also: [],
        directions,
        channel,
        service,
        onset: start,
        end: start + NOTICED_MINUTES,
        crossed: start + NOTICED_MINUTES,
        score: 0,
        measured,
        source: 'days',
        newFamily: null,
        part: null,
      };
      return isLarge('volume-down', measured) && isRare(incident);
    };
    if (came === 0 || !isTold(0)) return null;
    let [least, most] = [0, came];
    while (most - least > 1) {
      const middle = Math.floor((least + most) / 2);
      if (isTold(middle)) least = middle;
      else most = middle;
    }
    return [came - least, came];
  });
}

/** True where a share that is worth saying would have been told as surely as said. */
export function isTold(needed: Needed, most: number): boolean {
  return needed !== null && toBinomialTail(...needed, most) >= SURE;
}

/** The least share, at most so much, of which each request is hit by chance that is told at one of some times as surely as said. */
function findLeast(needed: readonly NonNullable<Needed>[], most: number): number {
  const every = Math.ceil(needed.length / MAX_TIMES);
  const own = needed.filter((_, place) => place % every === 0);
  const toChance = (share: number): number =>
    own.reduce((sum, [hits, total]) => sum + toBinomialTail(hits, total, share), 0) / own.length;
  let [low, high] = [0, most];
  for (let step = 0; step < SEARCH_STEPS; step += 1) {
    const middle = (low + high) / 2;
    if (toChance(middle) >= SURE) high = middle;
    else low = middle;
  }
  return high;
}

/** Returns the sizes of spans that follow one another; what both tell of a time, the first one does. */
export function joinSizes(parts: readonly FoundSizes[]): FoundSizes {
  const known = new Set<number>();
  const atMs: number[] = [];
  const channels = new Map<string, { -readonly [Name in keyof SizesOfChannel]: SizesOfChannel[Name] }>();
  for (const part of parts) {
    const isNew = part.atMs.map((at) => !known.has(at));
    const own = part.atMs.filter((_, place) => isNew[place]);
    const pick = (sizes: readonly Needed[]) => sizes.filter((_, place) => isNew[place]);
    const pad = (length: number): null[] => Array.from({ length }, () => null);
    const told = new Set<string>();
    for (const { direction, channel, failing, fewer } of part.channels) {
      const key = `${direction} ${channel}`;
      told.add(key);
      const before = channels.get(key) ?? {
        direction,
        channel,
        failing: pad(atMs.length),
        fewer: pad(atMs.length),
      };
      channels.set(key, {
        ...before,
        failing: [...before.failing, ...pick(failing)],
        fewer: [...before.fewer, ...pick(fewer)],
      });
    }
    for (const [key, before] of channels) {
      if (told.has(key)) continue;
      const none = pad(own.length);
      channels.set(key, {
        ...before,
        failing: [...before.failing, ...none],
        fewer: [...before.fewer, ...none],
      });
    }
    for (const at of own) known.add(at);
    atMs.push(...own);
  }
  return { atMs, channels: [...channels.values()] };
}

/** Returns what can be said of a period: for each channel one size, and of how many hours it is true. */
export function toNoticed({ atMs, channels }: FoundSizes, { fromMs, toMs }: TimeSpan): NoticedSizes {
  const places = atMs.flatMap((at, place) => (at >= fromMs && at < toMs ? [place] : []));
  const toHours = (times: number): number => (times * STEP_MINUTES) / HOUR_MINUTES;
  const ofChannels = [...Map.groupBy(channels, ({ channel }) => channel)].sort(([a], [b]) => a - b);
  return {
    minutes: NOTICED_MINUTES,
    hours: toHours(places.length),
    channels: ofChannels.map(([channel, own]) => {
      const sum = (name: 'failing' | 'fewer') => {
        const most = MOST[name];
        const times = places.filter((place) => own.every((one) => isTold(one[name][place] ?? null, most)));
        if (times.length === 0 || times.length < LEAST_TIMES * places.length) return null;
        const sizes = own.map((one) => {
          const needed = times.flatMap((place) => {
            const at = one[name][place] ?? null;
            return at === null ? [] : [at];
          });
          return findLeast(needed, most);
        });
        return { size: Math.max(...sizes), hours: toHours(times.length) };
      };
      return { channel, failing: sum('failing'), fewer: sum('fewer') };
    }),
  };
}
