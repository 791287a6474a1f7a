import { toKindRow } from '../../../common/model/analysis/finding-kinds.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import { MINUTE_MS } from '../../../common/time/durations.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { measureCovered, subtractSpan } from './create-traffic-grid.ts';
import type { Place } from './detect-incidents.ts';
import { isWithin } from './explain-incidents.ts';
import type { JoinedIncident } from './join-incidents.ts';
import {
  compareShortVolume,
  countKnownDays,
  DAY_SLOTS,
  LONG_SLOT_MS,
  LONG_WEEKS,
  SHORT_SLOTS,
  type LongCounts,
} from './long-series.ts';
import { SHORT } from './rare-sizes.ts';
import {
  judgeWeeks,
  LEAST_DAYS,
  LONG_KINDS,
  MEASURES,
  SIGN,
  type LongJudge,
  type LongKind,
  type LongRun,
} from './scan-weeks.ts';
import { isSetAsideAt, type SetAside } from './traffic-grid.ts';

/** The requests of a channel and service in half an hour: a row at each place of the columns. */
export interface LongCells {
  /** NaN stands for no channel, no service. */
  readonly channels: Float64Array;
  readonly services: Float64Array;
  /** Half hours since the epoch. */
  readonly slots: Float64Array;
  readonly requests: Float64Array;
  readonly timed: Float64Array;
  readonly logTimes: Float64Array;
  readonly most: Float64Array;
  readonly fewest: Float64Array;
  readonly slowest: Float64Array;
  readonly mostAt: Float64Array;
  readonly slowestAt: Float64Array;
}

/** The traffic of weeks in one direction. */
export interface LongTraffic {
  readonly direction: Direction;
  readonly cells: readonly LongCells[];
  /** What is cached in full, in order. */
  readonly covered: readonly TimeSpan[];
}

interface LongFlow extends Place, LongCounts {
  readonly total: number;
}

interface LongPlace extends Place {
  readonly direction: Direction;
  readonly flows: readonly LongFlow[];
  readonly readJudge: () => LongJudge;
  /** Days that say what is usual. */
  readonly countDays: () => number;
}

/** Judges what lasts for hours or days, and what is rare at a place. */
export interface LongTrafficJudge {
  /** Incidents of minutes that aren't rare in the weeks before left out, those of hours and days added. */
  readonly complete: (incidents: readonly JoinedIncident[]) => JoinedIncident[];
  /** False for what the same place had more than once a month, or what is usual at this time of the week. */
  readonly isRare: (incident: JoinedIncident) => boolean;
}

/** The busiest places are scanned: a sum of small ones is a place too. */
const MAX_SCANNED = 60;
/** A place with fewer requests in half an hour, on average, shows nothing in hours. */
const MIN_REQUESTS = 2;
const MAX_FLOWS = 400;
const SLOT_MINUTES = LONG_SLOT_MS / MINUTE_MS;
/** A run of hours takes the place of incidents of minutes in it where so much of it is large without them. */
const LONG_SLOTS = 12;
const SMALL = 5;
/** Ten seconds, so that nothing is divided by none. */
const MIN_SLOTS = 1 / 180;
/** What is shorter is rare by its most unusual five minutes as well. */
const SHORT_UNTIL = 2;

/** Returns the first slot, since the epoch, that is looked at for a window. */
export function toFirstSlot({ fromMs }: TimeSpan): number {
  return Math.floor(fromMs / LONG_SLOT_MS) - LONG_WEEKS * 7 * DAY_SLOTS;
}

/** Returns what judges the traffic of a window, which begins at a midnight, by the weeks before. */
export function judgeLongTraffic(
  traffic: readonly LongTraffic[],
  window: TimeSpan,
  setAside: readonly SetAside[] = [],
): LongTrafficJudge {
  const firstSlot = toFirstSlot(window);
  // The last half hour counts once it is over.
  const length = Math.floor(window.toMs / LONG_SLOT_MS) - firstSlot;
  const judged = Math.floor(window.fromMs / LONG_SLOT_MS) - firstSlot;
  const toMinute = (slot: number): number => ((firstSlot + slot) * LONG_SLOT_MS - window.fromMs) / MINUTE_MS;
  const measureKnown = (spans: readonly TimeSpan[]): Uint8Array =>
    Uint8Array.from(measureCovered(spans, firstSlot, length, LONG_SLOT_MS), (share) => (share >= 1 ? 1 : 0));
  const places = traffic.flatMap(({ direction, cells, covered }): LongPlace[] => {
    let knownOfAll: Uint8Array | null = null;
    return groupPlaces(readFlows(cells, firstSlot, length)).map((place) => {
      let judge: LongJudge | null = null;
      let known: Uint8Array | null = null;
      const findKnown = (): Uint8Array => {
        const own = setAside.filter((span) => place.flows.some((flow) => isSetAsideAt(span, flow)));
        if (own.length === 0) return (knownOfAll ??= measureKnown(covered));
        return measureKnown(own.reduce<readonly TimeSpan[]>(subtractSpan, covered));
      };
      const readKnown = (): Uint8Array => (known ??= findKnown());
      const read = (): LongJudge =>
        judgeWeeks({ ...sumFlows(place.flows, length), firstSlot, judged, covered: readKnown() });
      return {
        ...place,
        direction,
        readJudge: () => (judge ??= read()),
        countDays: () => countKnownDays({ covered: readKnown(), judged }),
      };
    });
  });
  const isRare = (incident: JoinedIncident): boolean => {
    const kind = LONG_KINDS.find((own) => own === incident.kind);
    if (kind === undefined) return true;
    const own = places.filter(
      ({ direction, channel, service }) =>
        incident.directions.includes(direction) &&
        channel === incident.channel &&
        service === incident.service,
    );
    const from = incident.onset / SLOT_MINUTES + judged;
    const to = Math.min(length, (incident.end ?? Infinity) / SLOT_MINUTES + judged);
    return (
      own.length === 0 || own.some(({ readJudge }) => isRareAt(readJudge(), kind, incident, { from, to }))
    );
  };
  return {
    isRare,
    complete: (incidents) => {
      const kept = incidents.filter(isRare);
      const isSame = (one: JoinedIncident, other: JoinedIncident): boolean =>
        one.kind === other.kind &&
        one.onset < (other.end ?? Infinity) &&
        other.onset < (one.end ?? Infinity) &&
        (isWithin(one, other) || isWithin(other, one));
      // A peak is told by its minutes, or with what else becomes of the same requests.
      const isToldWith = (peak: JoinedIncident, other: JoinedIncident): boolean =>
        peak.onset < (other.end ?? Infinity) + SLOT_MINUTES &&
        other.onset < (peak.end ?? Infinity) + SLOT_MINUTES &&
        [other.kind, ...other.also].some(
          (kind) => kind === peak.kind || toKindRow(peak.kind).joins.includes(kind),
        ) &&
        hasSame(peak, other);
      const own = findRuns(places, length).flatMap((run) => {
        const incident = toIncident(run, toMinute);
        if (run.source === 'days' && kept.some((other) => isToldWith(incident, other))) return [];
        const same = kept.filter((other) => isSame(incident, other));
        return same.length === 0 || isLargeWithout(run, same, { judged, length }) ? [incident] : [];
      });
      return [...kept.filter((incident) => !own.some((run) => isSame(run, incident))), ...own].toSorted(
        (a, b) => a.onset - b.onset || b.score - a.score,
      );
    },
  };
}

function readFlows(cells: readonly LongCells[], firstSlot: number, length: number): LongFlow[] {
  const flows = new Map<string, { -readonly [Name in keyof LongFlow]: LongFlow[Name] }>();
  const toNumber = (value: number): number | null => (Number.isNaN(value) ? null : value);
  for (const own of cells) {
    const { channels, services, slots, requests, timed, logTimes, most, fewest, slowest } = own;
    for (let cell = 0; cell < slots.length; cell += 1) {
      const slot = (slots[cell] ?? 0) - firstSlot;
      if (slot < 0 || slot >= length) continue;
      const [channel, service] = [channels[cell] ?? NaN, services[cell] ?? NaN];
      const key = `${String(channel)} ${String(service)}`;
      let flow = flows.get(key);
      if (flow === undefined) {
        const create = (): Float64Array => new Float64Array(length);
        flow = {
          channel: toNumber(channel),
          service: toNumber(service),
          requests: create(),
          timed: create(),
          logTimes: create(),
          most: create(),
          fewest: create(),
          slowest: create().fill(NaN),
          mostAt: create(),
          slowestAt: create(),
          total: 0,
        };
        flows.set(key, flow);
      }
      const count = requests[cell] ?? 0;
      flow.total += count;
      flow.requests[slot] = (flow.requests[slot] ?? 0) + count;
      flow.timed[slot] = (flow.timed[slot] ?? 0) + (timed[cell] ?? 0);
      flow.logTimes[slot] = (flow.logTimes[slot] ?? 0) + (logTimes[cell] ?? 0);
      flow.most[slot] = most[cell] ?? 0;
      flow.fewest[slot] = fewest[cell] ?? 0;
      flow.slowest[slot] = slowest[cell] ?? NaN;
      flow.mostAt[slot] = own.mostAt[cell] ?? 0;
      flow.slowestAt[slot] = own.slowestAt[cell] ?? 0;
    }
  }
  return [...flows.values()].sort((a, b) => b.total - a.total).slice(0, MAX_FLOWS);
}

type Grouped = Omit<LongPlace, 'direction' | 'readJudge' | 'countDays'>;

/** Channels with their services, channels, services, and everything; of those with the same flows, the smallest. */
function groupPlaces(flows: readonly LongFlow[]): Grouped[] {
  const group = (field: 'channel' | 'service'): Grouped[] =>
    [...Map.groupBy(flows, (flow) => flow[field])].flatMap(([value, own]) =>
      value === null ? [] : [{ channel: null, service: null, [field]: value, flows: own }],
    );
  const single = flows.flatMap((flow) =>
    flow.channel === null || flow.service === null
      ? []
      : [{ channel: flow.channel, service: flow.service, flows: [flow] }],
  );
  return [...single, ...group('channel'), ...group('service'), { channel: null, service: null, flows }];
}

function sumFlows(flows: readonly LongFlow[], length: number): LongCounts {
  const [only] = flows;
  if (flows.length === 1 && only !== undefined) return only;
  const create = (): Float64Array => new Float64Array(length);
  const [requests, timed, logTimes] = [create(), create(), create()];
  const [most, fewest, slowest] = [create(), create(), create().fill(NaN)];
  const [mostAt, slowestAt] = [create(), create()];
  const more = create();
  const fewer = create();
  const slower = create().fill(-Infinity);
  for (const flow of flows) {
    for (let slot = 0; slot < length; slot += 1) {
      requests[slot] = (requests[slot] as number) + (flow.requests[slot] as number);
      timed[slot] = (timed[slot] as number) + (flow.timed[slot] as number);
      logTimes[slot] = (logTimes[slot] as number) + (flow.logTimes[slot] as number);
    }
  }
  // The most unusual five minutes of one of them, with what the others had on average.
  for (const flow of flows) {
    for (let slot = 0; slot < length; slot += 1) {
      const mean = (flow.requests[slot] as number) / SHORT_SLOTS;
      const own = (flow.most[slot] as number) - mean;
      if (own > (more[slot] as number)) {
        more[slot] = own;
        mostAt[slot] = flow.mostAt[slot] as number;
      }
      fewer[slot] = Math.max(fewer[slot] as number, mean - (flow.fewest[slot] as number));
      const time =
        ((flow.slowest[slot] as number) * (flow.timed[slot] as number) - (flow.logTimes[slot] as number)) /
        (timed[slot] as number);
      // Nothing is larger than what isn't known.
      if (!(time > (slower[slot] as number))) continue;
      slower[slot] = time;
      slowestAt[slot] = flow.slowestAt[slot] as number;
    }
  }
  for (let slot = 0; slot < length; slot += 1) {
    const mean = (requests[slot] as number) / SHORT_SLOTS;
    most[slot] = mean + (more[slot] as number);
    fewest[slot] = mean - (fewer[slot] as number);
    if ((slower[slot] as number) > -Infinity)
      slowest[slot] = (logTimes[slot] as number) / (timed[slot] as number) + (slower[slot] as number);
  }
  return { requests, timed, logTimes, most, fewest, slowest, mostAt, slowestAt };
}

/** False for what the same place had more than once a month, or what is usual at this time of the week. */
function isRareAt(
  judge: LongJudge,
  kind: LongKind,
  { measured }: JoinedIncident,
  { from, to }: { readonly from: number; readonly to: number },
): boolean {
  const { compare, compareShort, count } = judge.read(kind);
  const [first, last] = [Math.floor(from), Math.max(Math.floor(from) + 1, Math.ceil(to))];
  const slots = Math.max(MIN_SLOTS, to - from);
  let [usual, compared] = [0, 0];
  for (let slot = first; slot < last; slot += 1) {
    const share = Math.min(to, slot + 1) - Math.max(from, slot);
    if (compare(slot, slot + 1) === null) continue;
    compared += share;
    usual += share * count(slot, slot + 1).usual;
  }
  if (MEASURES[kind] === 'volume') {
    const onAndOff = judge.readOnAndOff();
    if (onAndOff !== null && kind === 'volume-down') return onAndOff.isRareSilence(from, to);
    if (onAndOff !== null && compared <= 0) return onAndOff.isRarePeak(measured.hits / Math.max(1, slots));
  }
  if (compared <= 0) return true;
  const measure = (window: number): number | null => {
    if (MEASURES[kind] === 'time') {
      const sizes: (number | null)[] = [];
      if (window === SHORT) for (let slot = first; slot < last; slot += 1) sizes.push(compareShort(slot));
      else for (let slot = first; slot + window <= last; slot += 1) sizes.push(compare(slot, slot + window));
      const known = sizes.filter((size) => size !== null);
      return known.length === 0 ? null : Math.max(...known);
    }
    // What came is taken from the minutes: those of less than a slot are a part of it.
    const hits = measured.hits / slots;
    const ofSlot = usual / compared;
    if (window === SHORT) return SIGN[kind] * compareShortVolume(hits / SHORT_SLOTS, ofSlot);
    const share = Math.min(1, slots / window);
    const seen = (share * hits + (1 - share) * ofSlot) * window;
    return SIGN[kind] * Math.log((seen + SMALL) / (ofSlot * window + SMALL));
  };
  // Each is compared with its like: a burst of minutes is small in half an hour, and so were those before it.
  const windows = slots < SHORT_UNTIL ? [SHORT, Math.max(1, Math.round(slots))] : [Math.round(slots)];
  const isRareIn = (window: number): boolean => {
    const known = judge.readRare(kind, window);
    if (known === null) return true;
    const own = measure(known.window);
    return own === null || own >= Math.max(known.rare, known.often);
  };
  // How short a drop is found to be depends on a few requests: it is rare by either.
  return kind === 'volume-down' ? windows.some(isRareIn) : windows.every(isRareIn);
}

interface FoundRun extends LongRun {
  readonly place: LongPlace;
  readonly directions: readonly Direction[];
}

/** True for places that may have the same requests. */
function hasSame(one: Place, other: Place): boolean {
  const isOne = (own: number | null, its: number | null): boolean =>
    own === null || its === null || own === its;
  return isOne(one.channel, other.channel) && isOne(one.service, other.service);
}

/** The runs of all places, each once: at the place where it is the strongest, in one direction or both. */
function findRuns(places: readonly LongPlace[], length: number): FoundRun[] {
  const distinct = places.filter(
    (place) =>
      !places.some(
        (other) =>
          other.direction === place.direction &&
          other.flows.length === place.flows.length &&
          places.indexOf(other) < places.indexOf(place) &&
          other.flows.every((flow) => place.flows.includes(flow)),
      ),
  );
  const toTotal = ({ flows }: LongPlace): number => flows.reduce((sum, { total }) => sum + total, 0);
  const scanned = distinct
    .filter((place) => toTotal(place) >= MIN_REQUESTS * length)
    .sort((a, b) => toTotal(b) - toTotal(a))
    .slice(0, MAX_SCANNED)
    // Before a series is made of it.
    .filter((place) => place.countDays() >= LEAST_DAYS);
  const found: FoundRun[] = [];
  const runs = scanned
    .flatMap((place) =>
      place
        .readJudge()
        .scan()
        .map((run) => ({ ...run, place })),
    )
    // A peak in hours that are told as a whole is a part of them.
    .sort((a, b) => Number(a.source === 'days') - Number(b.source === 'days') || b.strength - a.strength);
  for (const run of runs) {
    const other = found.find(
      (own) =>
        own.kind === run.kind &&
        own.from < (run.to ?? Infinity) &&
        run.from < (own.to ?? Infinity) &&
        (run.source === 'days'
          ? hasSame(own.place, run.place)
          : isWithin(own.place, run.place) || isWithin(run.place, own.place)),
    );
    if (other === undefined) {
      found.push({ ...run, directions: [run.place.direction] });
      continue;
    }
    const { channel, service, direction } = run.place;
    const isOtherDirection = !other.directions.includes(direction);
    if (!isOtherDirection || channel !== other.place.channel || service !== other.place.service) continue;
    const joined: FoundRun = {
      ...other,
      directions: (['inbound', 'outbound'] as const).filter(
        (own) => own === direction || other.directions.includes(own),
      ),
      seen: other.seen + run.seen,
      usual: other.usual + run.usual,
    };
    found[found.indexOf(other)] = joined;
  }
  return found;
}

/** True where a run is one of hours without the minutes of sharper incidents, too. */
function isLargeWithout(
  { place, kind, from, to }: FoundRun,
  incidents: readonly JoinedIncident[],
  { judged, length }: { readonly judged: number; readonly length: number },
): boolean {
  const rest = incidents
    .map(({ onset, end }) => ({
      fromMs: Math.floor(onset / SLOT_MINUTES) + judged,
      toMs: Math.ceil((end ?? Infinity) / SLOT_MINUTES) + judged,
    }))
    .reduce<readonly TimeSpan[]>(subtractSpan, [{ fromMs: from, toMs: to ?? length }]);
  return rest.some(
    (span) =>
      span.toMs - span.fromMs >= LONG_SLOTS && place.readJudge().isLarge(kind, span.fromMs, span.toMs),
  );
}

function toIncident(
  { kind, source, from, to, place, directions, strength, seen, usual }: FoundRun,
  toMinute: (slot: number) => number,
): JoinedIncident {
  return {
    kind,
    channel: place.channel,
    service: place.service,
    also: [],
    directions,
    onset: toMinute(from),
    end: to === null ? null : toMinute(to),
    crossed: toMinute(from),
    score: strength,
    measured: { total: seen, hits: seen, expected: usual },
    source,
    newFamily: null,
    part: null,
  };
}
