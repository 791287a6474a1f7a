import { DIRECTIONS, type Direction } from '../../../common/reporting/reports.ts';
import { createJudge, detectIncidents, type Incident, type Place, type Series } from './detect-incidents.ts';
import { expectTraffic, TRAFFIC_KINDS, type Expectation, type UsualShares } from './expect-traffic.ts';
import { ALARM } from './scan-minutes.ts';
import {
  addHours,
  addMinutes,
  copyCounts,
  COUNT_NAMES,
  createCounts,
  createHourCounts,
  type HourCounts,
  intersectKnown,
  type KnownSlots,
  type TrafficCoverage,
  type TrafficFlow,
  type TrafficGrid,
} from './traffic-grid.ts';

/** A flow with fewer requests in a week is not judged by itself. */
const MIN_REQUESTS = 60;
/** What is left once a part is taken away is unusual itself where it would be certain by itself. */
const STILL_UNUSUAL = ALARM;

/** Effects come this many minutes before or after their cause. */
export const SAME_ONSET = 12;
/** Or so much of the shorter one before or after the other: where errors rise slowly, a beginning is not seen to the minute. */
const SAME_ONSET_SHARE = 1 / 4;
/** So much, in the first hour, speaks for the other direction having an incident too. */
const LEANING = 3;
const LEANING_MINUTES = 60;

/** A place with what flows through it. */
interface PlaceFlows extends Place {
  readonly directions: readonly Direction[];
  readonly covered: TrafficCoverage;
  readonly flows: readonly TrafficFlow[];
}

/** A place with its requests, and what is usual of them. */
export interface JudgedPlace extends PlaceFlows {
  readonly series: Series;
  readonly expected: readonly (Expectation | null)[];
}

export interface JudgedPlaces {
  readonly places: readonly JudgedPlace[];
  readonly expect: ExpectPlace;
}

interface Candidate {
  readonly incident: Incident;
  readonly place: JudgedPlace;
}

/** True where every request of a part belongs to a whole. */
export function isWithin(part: Place, whole: Place): boolean {
  return (
    (whole.channel === null || whole.channel === part.channel) &&
    (whole.service === null || whole.service === part.service)
  );
}

/** Returns the places whose traffic can be judged by itself. */
export function judgePlaces(grids: readonly TrafficGrid[]): JudgedPlaces {
  const expect = createExpectations(grids);
  const places = listPlaces(grids).flatMap((place): JudgedPlace[] => {
    const series = sumFlows(place, place.flows);
    const total = series.hours.requests.reduce((sum, count) => sum + count, 0);
    if (total < MIN_REQUESTS) return [];
    return [{ ...place, series, expected: expect(place.covered, series.hours, place.flows) }];
  });
  return { places, expect };
}

/**
 * Returns what is unusual, each incident once: described by the channel and service, channel, service, or everything, in
 * one direction or both, in which it is the least likely to be chance, and that leaves nothing unusual beside it. Small
 * flows of both directions, or of a channel, together show what none of them does.
 */
export function findIncidents(
  grids: readonly TrafficGrid[],
  { places, expect }: JudgedPlaces = judgePlaces(grids),
): Incident[] {
  const candidates = places.flatMap((place): Candidate[] =>
    detectIncidents(place.covered, place.series, place.expected).map((incident) => ({ incident, place })),
  );
  return TRAFFIC_KINDS.flatMap((kind) => {
    const kept: Candidate[] = [];
    const ofKind = candidates.filter(({ incident }) => incident.kind === kind);
    const own = ofKind
      .filter((candidate) => isOfItsDirections(candidate, ofKind, places))
      .sort((a, b) => b.incident.score - a.incident.score);
    for (const candidate of own) if (isUnusualBeside(candidate, kept, expect)) kept.push(candidate);
    return kept.map(({ incident }) => incident).sort((a, b) => a.onset - b.onset);
  });
}

/** Channels with their services, channels, services, and everything: of each direction, and of both together. */
function listPlaces(grids: readonly TrafficGrid[]): PlaceFlows[] {
  const toCovered = (covered: TrafficCoverage, flows: readonly TrafficFlow[]): TrafficCoverage => {
    const isWhole = ({ hoursCovered }: TrafficFlow): boolean =>
      grids.some((grid) => grid.hoursCovered === hoursCovered);
    return flows.every(isWhole) ? covered : { ...covered, ...intersectKnown([covered, ...flows]) };
  };
  const single = grids.flatMap((grid) => listPlacesOf(grid, [grid.direction], grid.flows));
  const [first, ...others] = grids;
  const withOwn = (place: PlaceFlows): PlaceFlows => ({
    ...place,
    covered: toCovered(place.covered, place.flows),
  });
  if (first === undefined || others.length === 0) return single.map(withOwn);
  const covered = { ...first, ...intersectKnown(grids) };
  const both = listPlacesOf(
    covered,
    DIRECTIONS,
    grids.flatMap(({ flows }) => flows),
  );
  return [
    ...single,
    ...both.filter(({ flows }) => new Set(flows.map(({ direction }) => direction)).size > 1),
  ].map(withOwn);
}

function listPlacesOf(
  covered: TrafficCoverage,
  directions: readonly Direction[],
  flows: readonly TrafficFlow[],
): PlaceFlows[] {
  const toPair = ({ channel, service }: Place): string => `${String(channel)} ${String(service)}`;
  const pairs = [...Map.groupBy(flows, toPair).values()];
  const count = (own: readonly TrafficFlow[]): number => new Set(own.map(toPair)).size;
  const group = (field: 'channel' | 'service'): PlaceFlows[] =>
    [...Map.groupBy(flows, (flow) => flow[field])].flatMap(([value, own]) => {
      const pairsOfOwn = count(own);
      return value === null || pairsOfOwn < 2 || pairsOfOwn === pairs.length
        ? []
        : [{ channel: null, service: null, [field]: value, directions, covered, flows: own }];
    });
  const known = pairs.flatMap((own): PlaceFlows[] => {
    const { channel, service } = own[0] ?? { channel: null, service: null };
    return channel === null || service === null
      ? []
      : [{ channel, service, directions, covered, flows: own }];
  });
  const isOnePair = pairs.length === known.length && pairs.length < 2;
  return [
    ...known,
    ...group('channel'),
    ...group('service'),
    ...(isOnePair ? [] : [{ channel: null, service: null, directions, covered, flows }]),
  ];
}

function sumFlows({ covered, ...place }: PlaceFlows, flows: readonly TrafficFlow[]): Series {
  const [only] = flows;
  if (flows.length === 1 && only !== undefined) return { ...place, hours: only.hours, minutes: only.minutes };
  const days = only?.hours.slowFor.length ?? 0;
  const whole = {
    hours: createHourCounts(covered.hoursCovered.length, days),
    minutes: createCounts(covered.minutesCovered.length),
  };
  for (const { hours, minutes } of flows) {
    addHours(whole.hours, hours);
    addMinutes(whole.minutes, minutes);
  }
  // While some of its flows are set aside, the others don't tell what became of the place.
  if (areKnownApart(flows)) {
    const isSetAside = (minute: number): boolean =>
      covered.minutesCovered[minute] !== 1 &&
      flows.some(({ minutesCovered }) => minutesCovered[minute] === 1);
    for (let minute = 0; minute < covered.minutesCovered.length; minute += 1) {
      if (!isSetAside(minute)) continue;
      for (const name of COUNT_NAMES) whole.minutes[name][minute] = 0;
    }
  }
  return { ...place, ...whole };
}

function areKnownApart([first, ...others]: readonly TrafficFlow[]): boolean {
  return others.some(({ minutesCovered }) => minutesCovered !== first?.minutesCovered);
}

/** The requests of a place without those of some of its flows. */
function takeAway({ hours, minutes, ...place }: Series, flows: Iterable<TrafficFlow>): Series {
  const copy = (values: Float64Array): Float64Array => values.slice();
  const rest = {
    hours: {
      requests: copy(hours.requests),
      failures: copy(hours.failures),
      timed: copy(hours.timed),
      reached: copy(hours.reached),
      slowFor: hours.slowFor.map(copy),
      lateFor: hours.lateFor.map(copy),
    },
    minutes: copyCounts(minutes),
  };
  for (const flow of flows) {
    addHours(rest.hours, flow.hours, -1);
    addMinutes(rest.minutes, flow.minutes, -1);
  }
  return { ...place, ...rest };
}

/** True for what is not explained by stronger incidents that share some of its flows. */
function isUnusualBeside(candidate: Candidate, stronger: readonly Candidate[], expect: ExpectPlace): boolean {
  const { flows } = candidate.place;
  const shared = new Set(
    stronger
      .filter(({ incident }) => overlaps(incident, candidate.incident))
      .flatMap(({ place }) => place.flows.filter((flow) => flows.includes(flow))),
  );
  return shared.size === 0 || isUnusualWithout(candidate, shared, expect);
}

function overlaps(one: Incident, other: Incident): boolean {
  return one.onset < (other.end ?? Infinity) && other.onset < (one.end ?? Infinity);
}

/**
 * False for what one of two directions has by itself, or has from another moment on: what is told of both began in both.
 */
function isOfItsDirections(
  { incident, place }: Candidate,
  candidates: readonly Candidate[],
  places: readonly JudgedPlace[],
): boolean {
  if (incident.directions.length < 2) return true;
  const isSame = (other: Place): boolean =>
    other.channel === incident.channel && other.service === incident.service;
  const alone = place.directions.map((direction) => ({
    direction,
    incidents: candidates
      .map((other) => other.incident)
      .filter((other) => other.directions.join() === direction && isSame(other) && overlaps(other, incident)),
  }));
  const [one, other] = alone.filter(({ incidents }) => incidents.length > 0);
  if (one === undefined) return true;
  const { length } = place.covered.minutesCovered;
  if (other !== undefined)
    return one.incidents.some((own) => other.incidents.some((two) => beginTogether(own, two, length)));
  const rest = places.find(
    (own) => own.directions.join() !== one.direction && own.directions.length < 2 && isSame(own),
  );
  return rest === undefined || isLeaningTo(incident, rest);
}

/** True for what began at the same time, as far as that can be told. `minutes` is when those that go on are looked at. */
export function beginTogether(
  one: Pick<Incident, 'onset' | 'end'>,
  other: Pick<Incident, 'onset' | 'end'>,
  minutes: number,
): boolean {
  const shorter = Math.min(...[one, other].map(({ onset, end }) => (end ?? minutes) - onset));
  return Math.abs(one.onset - other.onset) <= Math.max(SAME_ONSET, SAME_ONSET_SHARE * shorter);
}

/** True where a place's requests speak for an incident from its beginning on, though they may be too few to be certain. */
function isLeaningTo({ kind, onset, end }: Incident, { covered, series, expected }: JudgedPlace): boolean {
  const { evidence } = createJudge(covered, series, expected)(kind);
  const until = Math.min(end ?? evidence.minutes, onset + LEANING_MINUTES);
  let sum = 0;
  for (let minute = 0; minute < until; minute += 1) {
    evidence.advance(minute, minute >= onset);
    if (minute >= onset) sum += evidence.weigh(minute);
  }
  return sum >= LEANING;
}

/** True where what is left of a place without some flows is unusual in the same minutes. */
function isUnusualWithout(
  { incident, place }: Candidate,
  without: ReadonlySet<TrafficFlow>,
  expect: ExpectPlace,
): boolean {
  const rest = place.flows.filter((flow) => !without.has(flow));
  if (rest.length === 0) return false;
  const isSummed = rest.length < without.size || areKnownApart(place.flows);
  const series = isSummed ? sumFlows(place, rest) : takeAway(place.series, without);
  const expected = expect(place.covered, series.hours, rest);
  const { evidence } = createJudge(place.covered, series, expected)(incident.kind);
  const end = incident.end ?? evidence.minutes;
  let sum = 0;
  for (let minute = 0; minute < end; minute += 1) {
    const isInside = minute >= incident.onset;
    evidence.advance(minute, isInside);
    if (!isInside) continue;
    sum = Math.max(0, sum + evidence.weigh(minute));
    if (sum >= STILL_UNUSUAL) return true;
  }
  return false;
}

/** Tells what is usual at a place, from all of its requests and from those of its flows. */
type ExpectPlace = (
  covered: TrafficCoverage,
  hours: HourCounts,
  flows: readonly TrafficFlow[],
) => (Expectation | null)[];

/**
 * Returns a function that tells what is usual at a place; what is usual in a flow is learned only once. The usual
 * share of a place is never more than its flows together have: if each flow had an incident on another day, the place
 * had one on most days.
 */
function createExpectations(grids: readonly TrafficGrid[]): ExpectPlace {
  const known = new Map<TrafficFlow, (Expectation | null)[]>();
  const all = new Map<Direction | null, (Expectation | null)[]>();
  for (const grid of grids) {
    const ofAll = expectTraffic(grid, sumHours([grid]));
    all.set(grid.direction, ofAll);
    for (const flow of grid.flows)
      known.set(flow, expectTraffic({ ...grid, ...pickKnown(flow) }, flow.hours, ofAll));
  }
  return (covered, hours, flows) => {
    const [first] = flows;
    if (flows.length === 1 && first !== undefined) return known.get(first) ?? [];
    const isOneDirection = flows.every(({ direction }) => direction === first?.direction);
    const direction = isOneDirection ? (first?.direction ?? null) : null;
    const ofAll = all.get(direction) ?? expectTraffic(covered, sumHours(grids));
    all.set(direction, ofAll);
    const parts = flows.map((flow) => known.get(flow) ?? []);
    return expectTraffic(covered, hours, ofAll).map((own, hour) => {
      if (own === null) return null;
      const ofHour = parts.map((part) => part[hour] ?? null);
      const shares: UsualShares = {
        failing: toLower(own.failing, weigh(ofHour, 'failing')),
        slow: toLower(own.slow, weigh(ofHour, 'slow')),
        late: toLower(own.late, weigh(ofHour, 'late')),
      };
      return { ...own, ...shares };
    });
  };
}

function pickKnown({ hoursCovered, minutesCovered }: KnownSlots): KnownSlots {
  return { hoursCovered, minutesCovered };
}

function sumHours(grids: readonly TrafficGrid[]): HourCounts {
  const flows = grids.flatMap((grid) => grid.flows);
  const whole = createHourCounts(grids[0]?.hoursCovered.length ?? 0, flows[0]?.hours.slowFor.length ?? 0);
  for (const { hours } of flows) addHours(whole, hours);
  return whole;
}

/** The share of all parts by those of each; null where one is not known. */
function weigh(parts: readonly (Expectation | null)[], name: keyof UsualShares): number | null {
  let hits = 0;
  let all = 0;
  for (const part of parts) {
    const share = part?.[name] ?? null;
    if (part === null || share === null) return null;
    hits += part.rate * share;
    all += part.rate;
  }
  return all > 0 ? hits / all : null;
}

function toLower(own: number | null, ofParts: number | null): number | null {
  return own === null || ofParts === null ? own : Math.min(own, ofParts);
}
