import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Value } from 'typebox/value';
import { AppError } from '../../common/contract/errors.ts';
import type { HandlersOf } from '../../common/contract/index.ts';
import {
  type ConnectionPlans,
  findPlannedFault,
  listPlannedSpans,
  MAX_PLANNED_TIMES,
  MAX_TIME_MARKS,
  type PlannedSuggestion,
  type PlannedTimeDraft,
  PlansFile,
  type TimeMarkDraft,
} from '../../common/model/connections/planned.ts';
import { WEEKDAYS } from '../../common/model/schedules/schedule.ts';
import { DETAIL_KINDS } from '../../common/reporting/reports.ts';
import { civilToUtcMs, toCivilTime } from '../../common/time/civil-time.ts';
import { DAY_MS, HOUR_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Ledger } from '../coverage/ledger.ts';
import { listRead } from '../coverage/read-holdings.ts';
import { readCalendar, type ReadCalendar } from './read-calendar.ts';

const LOOKED_BACK_MS = 35 * DAY_MS;
const MAX_DISMISSED = 500;

interface ReadFile extends ReadCalendar {
  readonly marks: readonly TimeMarkDraft[];
}

/** The handlers of `planned/…`. */
export function createPlannedHandlers(parts: {
  readonly connections: Pick<ConnectionStore, 'get' | 'savePlans'>;
  readonly engine: Pick<Engine, 'readHistogram'>;
  readonly ledger: Pick<Ledger, 'read'>;
  now(): number;
}): HandlersOf<'planned'> {
  const { connections, now } = parts;
  return {
    'planned/save-time': ({ connectionId, timeId, draft }) => {
      requireSound(draft);
      return connections.savePlans(connectionId, (plans) => ({
        ...plans,
        times: put(plans.times, timeId, draft, MAX_PLANNED_TIMES),
      }));
    },
    'planned/remove-time': ({ connectionId, timeId }) =>
      connections.savePlans(connectionId, (plans) => ({ ...plans, times: take(plans.times, timeId) })),
    'planned/save-mark': ({ connectionId, markId, draft }) =>
      connections.savePlans(connectionId, (plans) => ({
        ...plans,
        marks: put(plans.marks, markId, draft, MAX_TIME_MARKS).sort((a, b) => a.atMs - b.atMs),
      })),
    'planned/remove-mark': ({ connectionId, markId }) =>
      connections.savePlans(connectionId, (plans) => ({ ...plans, marks: take(plans.marks, markId) })),
    'planned/import': async ({ connectionId, fileName, text }) => {
      const { serviceZone: zone } = connections.get(connectionId);
      const { times, marks, leftOut } = text.trimStart().startsWith('{')
        ? readPlansFile(text, fileName)
        : { ...(await readCalendar({ text, fileName, zone, nowMs: now() })), marks: [] };
      for (const draft of times) requireSound(draft);
      const connection = await connections.savePlans(connectionId, (plans) =>
        addAll(plans, { times, marks }),
      );
      return { connection, times: times.length, marks: marks.length, leftOut: [...leftOut] };
    },
    'planned/suggest': async ({ connectionId }) => {
      const { serviceZone: zone, plans } = connections.get(connectionId);
      const { all, byChannel } = await readSlots(parts, connectionId);
      const whole = suggestPlanned({ slots: all, zone, plans });
      const isIn = ({ spans }: PlannedSuggestion): boolean =>
        whole.some((one) => one.spans.some(({ fromMs }) => spans.some((span) => span.fromMs === fromMs)));
      const single = [...byChannel].flatMap(([channel, slots]) =>
        suggestPlanned({ slots, channel, zone, plans }).filter((one) => !isIn(one)),
      );
      return [...whole, ...single];
    },
    'planned/dismiss': ({ connectionId, key }) =>
      connections.savePlans(connectionId, (plans) => ({
        ...plans,
        dismissed: [...(plans.dismissed ?? []).filter((own) => own !== key), key].slice(-MAX_DISMISSED),
      })),
  };
}

/** The half hours of the last weeks, of all channels and of the busiest. */
async function readSlots(
  parts: Parameters<typeof createPlannedHandlers>[0],
  connectionId: string,
): Promise<{ all: Slot[]; byChannel: Map<number, Slot[]> }> {
  const toMs = Math.floor(parts.now() / SLOT_MS) * SLOT_MS;
  const fromMs = toMs - LOOKED_BACK_MS;
  const edges = Array.from({ length: LOOKED_BACK_MS / SLOT_MS + 1 }, (_, place) => fromMs + place * SLOT_MS);
  const total = new Float64Array(edges.length - 1);
  const ofChannel = new Map<number, Float64Array>();
  const isKnown = new Uint8Array(total.length);
  const known = await Promise.all(
    DETAIL_KINDS.map(async (report) => {
      const read = listRead((await parts.ledger.read({ connectionId, report }, { fromMs, toMs })).spans);
      const isCached = (slot: number): boolean =>
        read.some((span) => span.fromMs <= slot && span.toMs >= slot + SLOT_MS);
      const { buckets, series } = await parts.engine.readHistogram({
        scope: { connectionId, report, fromMs, toMs },
        filter: { conditions: [] },
        edges,
        split: 'channel',
        withMedian: false,
      });
      for (const [slot, { counts }] of buckets.entries()) {
        for (const [place, count] of counts.entries()) {
          total[slot] = (total[slot] ?? 0) + count;
          const one = series[place];
          if (one?.kind !== 'value' || typeof one.value !== 'number') continue;
          const own = ofChannel.get(one.value) ?? new Float64Array(total.length);
          own[slot] = (own[slot] ?? 0) + count;
          ofChannel.set(one.value, own);
        }
      }
      return edges.slice(0, -1).map(isCached);
    }),
  );
  // A connection may have one direction alone.
  const used = known.filter((own) => own.includes(true));
  for (let slot = 0; slot < isKnown.length; slot += 1)
    isKnown[slot] = used.length > 0 && used.every((own) => own[slot] === true) ? 1 : 0;
  const toSlots = (counts: Float64Array): Slot[] =>
    [...counts].map((count, slot) => ({
      fromMs: fromMs + slot * SLOT_MS,
      toMs: fromMs + (slot + 1) * SLOT_MS,
      count: isKnown[slot] === 1 ? count : null,
    }));
  return {
    all: toSlots(total),
    byChannel: new Map([...ofChannel].map(([channel, counts]) => [channel, toSlots(counts)])),
  };
}

function requireSound(draft: PlannedTimeDraft): void {
  const fault = findPlannedFault(draft);
  if (fault === null) return;
  throw new AppError('planned.invalid', 'The planned time is not valid.', { fault, name: draft.name });
}

function put<Draft extends object>(
  list: readonly (Draft & { readonly id: string })[],
  id: string | null,
  draft: Draft,
  most: number,
): (Draft & { id: string })[] {
  if (id !== null) {
    requireKnown(list, id);
    return list.map((own) => (own.id === id ? { ...draft, id } : own));
  }
  requireRoom(list.length + 1, most);
  return [...list, { ...draft, id: randomUUID() }];
}

function take<Entry extends { readonly id: string }>(list: readonly Entry[], id: string): Entry[] {
  requireKnown(list, id);
  return list.filter((own) => own.id !== id);
}

function requireKnown(list: readonly { readonly id: string }[], id: string): void {
  if (!list.some((own) => own.id === id)) throw new AppError('planned.not-found', 'No such entry.');
}

function requireRoom(count: number, most: number): void {
  if (count > most)
    throw new AppError('planned.too-many', `${count} would be too many: at most ${most} are kept.`, {
      count,
      most,
    });
}

function readPlansFile(text: string, fileName: string): ReadFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (!Value.Check(PlansFile, value)) {
    throw new AppError('planned.no-calendar', `${fileName} holds no planned times as --export writes them.`, {
      fileName,
    });
  }
  return { times: value.times, marks: value.marks, leftOut: [] };
}

/** What came from a file of the same name before is replaced, and what is there already isn't added again. */
function addAll(
  plans: ConnectionPlans,
  { times, marks }: Pick<ReadFile, 'times' | 'marks'>,
): ConnectionPlans {
  const sources = new Set(times.flatMap(({ source }) => source ?? []));
  const isSame = (a: PlannedTimeDraft, b: PlannedTimeDraft): boolean =>
    a.name === b.name && isDeepStrictEqual(a.times, b.times) && a.zone === b.zone;
  const keptTimes = plans.times.filter(({ source }) => source === undefined || !sources.has(source));
  const newTimes = times.filter((time) => !keptTimes.some((own) => isSame(time, own)));
  const newMarks = marks.filter(
    (mark) =>
      !plans.marks.some(
        ({ kind, atMs, text }) => kind === mark.kind && atMs === mark.atMs && text === mark.text,
      ),
  );
  requireRoom(keptTimes.length + newTimes.length, MAX_PLANNED_TIMES);
  requireRoom(plans.marks.length + newMarks.length, MAX_TIME_MARKS);
  return {
    ...plans,
    times: [...keptTimes, ...newTimes.map((time) => ({ ...time, id: randomUUID() }))],
    marks: [...plans.marks, ...newMarks.map((mark) => ({ ...mark, id: randomUUID() }))].sort(
      (a, b) => a.atMs - b.atMs,
    ),
  };
}

export const SLOT_MS = HOUR_MS / 2;
const DAY_SLOTS = 48;
const WEEK_SLOTS = 7 * DAY_SLOTS;
/** So often in a row it must have been quiet. */
const MIN_TIMES = 4;
/** Fewer requests in half an hour say nothing. */
const MIN_USUAL = 10;
const QUIET_SHARE = 0.2;
/** Before and after, there is at least so much of what is usual. */
const BUSY_SHARE = 0.5;
const MAX_QUIET_SLOTS = 24;
const MAX_SUGGESTIONS = 5;

/** A half hour, and the requests of both directions in it; null where they aren't cached in full. */
export interface Slot extends TimeSpan {
  readonly count: number | null;
}

interface WeekSlot {
  /** Oldest first. */
  readonly seen: readonly { readonly fromMs: number; readonly toMs: number; readonly count: number }[];
  readonly median: number | null;
}

interface Question {
  /** Oldest first, of some weeks. */
  readonly slots: readonly Slot[];
  readonly channel?: number;
  readonly zone: string;
  readonly plans: ConnectionPlans | undefined;
}

/**
 * Finds times that were quiet in each of the last weeks at the same hour of the same weekday, though other days are busy
 * then and so are the hours around: what a person may have planned.
 */
export function suggestPlanned({ slots, channel, zone, plans }: Question): PlannedSuggestion[] {
  const week = toWeek(slots, zone);
  /** What other weekdays have at that time of day. */
  const usual = week.map((_, place) => {
    const others = WEEKDAYS.map((_day, day) => (place + day * DAY_SLOTS) % WEEK_SLOTS)
      .slice(1)
      .flatMap((other) => week[other]?.median ?? []);
    return others.length < MIN_TIMES ? null : toMedian(others);
  });
  const isQuiet = (place: number): boolean => {
    const { seen = [] } = week[place] ?? {};
    const most = usual[place] ?? 0;
    return (
      seen.length >= MIN_TIMES && most >= MIN_USUAL && seen.every(({ count }) => count <= most * QUIET_SHARE)
    );
  };
  const isBusy = (at: number): boolean => {
    const place = (at + WEEK_SLOTS) % WEEK_SLOTS;
    const most = usual[place] ?? 0;
    return most >= MIN_USUAL && (week[place]?.median ?? 0) >= most * BUSY_SHARE;
  };
  const dismissed = new Set(plans?.dismissed ?? []);
  const found: PlannedSuggestion[] = [];
  for (let begin = 0; begin < WEEK_SLOTS; begin += 1) {
    if (!isQuiet(begin) || !isBusy(begin - 1)) continue;
    let length = 1;
    while (length <= MAX_QUIET_SLOTS && isQuiet((begin + length) % WEEK_SLOTS)) length += 1;
    if (length > MAX_QUIET_SLOTS || !isBusy(begin + length)) continue;
    const places = Array.from({ length }, (_, more) => (begin + more) % WEEK_SLOTS);
    const suggestion = describe(places, { week, usual, zone, channel });
    if (!dismissed.has(suggestion.key) && !isPlanned(suggestion, plans)) found.push(suggestion);
  }
  return found.sort((a, b) => b.usual - b.requests - (a.usual - a.requests)).slice(0, MAX_SUGGESTIONS);
}

function describe(
  places: readonly number[],
  parts: {
    readonly week: readonly WeekSlot[];
    readonly usual: readonly (number | null)[];
    readonly zone: string;
    readonly channel: number | undefined;
  },
): PlannedSuggestion {
  const { week, usual, zone, channel } = parts;
  const [begin = 0] = places;
  const weekday = WEEKDAYS[Math.floor(begin / DAY_SLOTS)] ?? 'monday';
  const minute = (begin % DAY_SLOTS) * 30;
  const from = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${minute % 60 === 0 ? '00' : '30'}`;
  const seen = places.map((place) => week[place]?.seen ?? []);
  const times = seen[0]?.length ?? 0;
  const minutes = places.length * 30;
  return {
    key: `${weekday} ${from} ${minutes}${channel === undefined ? '' : ` channel ${channel}`}`,
    weekday,
    from,
    minutes,
    zone,
    spans: (seen[0] ?? []).map(({ fromMs }) => ({ fromMs, toMs: fromMs + places.length * SLOT_MS })),
    requests: seen.flat().reduce((sum, { count }) => sum + count, 0),
    usual: Math.round(times * places.reduce((sum, place) => sum + (usual[place] ?? 0), 0)),
    ...(channel === undefined ? {} : { channel }),
  };
}

/** True where a person already planned the last time that it was seen. */
function isPlanned({ spans, channel }: PlannedSuggestion, plans: ConnectionPlans | undefined): boolean {
  const last = spans.at(-1);
  if (last === undefined) return false;
  return listPlannedSpans(plans, last).some(
    ({ time }) =>
      time.channels === undefined || (channel !== undefined && time.channels.some((own) => own === channel)),
  );
}

/** What is known of each half hour of a week, by the clock of a zone; it begins on Monday. */
function toWeek(slots: readonly Slot[], zone: string): WeekSlot[] {
  const seen: { fromMs: number; toMs: number; count: number }[][] = Array.from(
    { length: WEEK_SLOTS },
    () => [],
  );
  for (const { fromMs, toMs, count } of slots) {
    if (count === null) continue;
    const civil = toCivilTime(fromMs, zone);
    const day = (new Date(civilToUtcMs(civil)).getUTCDay() + 6) % 7;
    seen[day * DAY_SLOTS + civil.hour * 2 + (civil.minute >= 30 ? 1 : 0)]?.push({ fromMs, toMs, count });
  }
  return seen.map((own) => ({
    seen: own,
    median: own.length === 0 ? null : toMedian(own.map(({ count }) => count)),
  }));
}

function toMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
