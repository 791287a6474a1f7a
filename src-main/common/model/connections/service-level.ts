import { type Static, Type } from 'typebox';
import { roundParts } from '../../statistics.ts';
import { fromCivilTime, isTimeZone, listZoneOffsets, toCivilTime } from '../../time/civil-time.ts';
import { DAY_MS, MINUTE_MS } from '../../time/durations.ts';
import type { TimeSpan } from '../../time/time-span.ts';
import { Nullable } from '../nullable.ts';
import { WEEKDAYS } from '../schedules/schedule.ts';
import { type ConnectionPlans, joinSpans, listPlannedSpans } from './planned.ts';

/** The most service levels of a connection, and parts of a week in the service hours of one. */
export const MAX_SERVICE_LEVELS = 30;
export const MAX_SERVICE_HOURS = 14;
export const MAX_LEVEL_NAME_CHARACTERS = 80;
/** In per cent; at most three decimals. */
const MIN_LEVEL_TARGET = 1;

/** What of the tenant's status an agreement is about. */
export const LEVEL_PARTS = ['platform', 'connector'] as const;
export type LevelPart = (typeof LEVEL_PARTS)[number];

/** Part of each week, by the clock of the agreement's zone. */
export const ServiceHours = Type.Object({
  /** The days on which it begins. */
  weekdays: Type.Array(Type.Enum([...WEEKDAYS]), { minItems: 1, maxItems: 7, uniqueItems: true }),
  from: Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' }),
  /** Exclusive; not after `from`, it is on the next day. */
  to: Type.String({ pattern: '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$' }),
});
export type ServiceHours = Static<typeof ServiceHours>;

const fields = {
  name: Type.String({ minLength: 1, maxLength: MAX_LEVEL_NAME_CHARACTERS }),
  part: Type.Enum([...LEVEL_PARTS]),
  /** Per cent of the agreed time of a calendar month in which the part is up. */
  target: Type.Number({ minimum: MIN_LEVEL_TARGET, maximum: 100 }),
  /** IANA name; of the service hours and of the months. */
  zone: Type.String({ minLength: 1, maxLength: 100 }),
  /** Empty for all hours. */
  hours: Type.Array(ServiceHours, { maxItems: MAX_SERVICE_HOURS }),
  /** Planned times that uptime leaves out aren't agreed time. */
  leavesOutPlanned: Type.Boolean(),
};

/** An agreed target as a person writes it. */
export const ServiceLevelDraft = Type.Object(fields);
export type ServiceLevelDraft = Static<typeof ServiceLevelDraft>;

export const ServiceLevel = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }), ...fields });
export type ServiceLevel = Static<typeof ServiceLevel>;

/** Service levels as a file holds them, which any connection can take. */
export const ServiceLevelsFile = Type.Object({
  format: Type.Literal('channelscope-service-levels'),
  version: Type.Literal(1),
  levels: Type.Array(ServiceLevelDraft, { maxItems: MAX_SERVICE_LEVELS }),
});
export type ServiceLevelsFile = Static<typeof ServiceLevelsFile>;

/** Such as `2026-11`. */
export const LevelMonth = Type.String({ pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$' });

/**
 * How a month stands. While it goes on: `met-so-far`, `at-risk` (the target isn't reached so far, or most of the budget
 * is used). Once it is over: `met` whatever wasn't watched, `met-watched` as far as it was watched. `missed` is certain,
 * also before the end; `not-known` says neither.
 */
const LEVEL_STATES = ['met', 'met-watched', 'met-so-far', 'at-risk', 'missed', 'not-known'] as const;
export type LevelState = (typeof LEVEL_STATES)[number];

const Span = Type.Object({ fromMs: Type.Integer(), toMs: Type.Integer() });

/** A time in which the service reported the part as down, within agreed time. */
export const LevelOutage = Type.Object({
  ...Span.properties,
  /** The time for which the service's answers say so; checks may be missing in between. */
  downMs: Type.Integer(),
  /** The newest answer says so, and no other has come since. */
  isOngoing: Type.Boolean(),
});
export type LevelOutage = Static<typeof LevelOutage>;

/** One month of a service level. Times are milliseconds; every time up, down or not watched is agreed time until `untilMs`. */
export const LevelReport = Type.Object({
  level: ServiceLevel,
  month: LevelMonth,
  ...Span.properties,
  /** The end of the month, or the present before. */
  untilMs: Type.Integer(),
  isOver: Type.Boolean(),
  /** Service hours of the whole month. */
  serviceMs: Type.Integer(),
  /** Of them, planned times that are left out. */
  plannedMs: Type.Integer(),
  /** The rest: what the target is a share of. */
  agreedMs: Type.Integer(),
  /** Agreed time until `untilMs`: `upMs`, `downMs` and `unwatchedMs` together. */
  dueMs: Type.Integer(),
  upMs: Type.Integer(),
  downMs: Type.Integer(),
  unwatchedMs: Type.Integer(),
  /** How much of `agreedMs` may be down. */
  budgetMs: Type.Number(),
  state: Type.Enum([...LEVEL_STATES]),
  /** Oldest first; their `downMs` add up to that of the month. */
  outages: Type.Array(LevelOutage),
  /** The longest times that weren't watched, oldest first. */
  gaps: Type.Array(Span),
  /** How many there were in all. */
  gapCount: Type.Integer(),
  /** What is left out, oldest first. */
  planned: Type.Array(Type.Object({ ...Span.properties, name: Type.String() })),
  /** The service hours of the month, oldest first. */
  service: Type.Array(Span),
  /** When the oldest check that is kept was made; null where there is none. */
  checkedSinceMs: Nullable(Type.Integer()),
});
export type LevelReport = Static<typeof LevelReport>;

/** From this share of the budget on, a month that goes on is at risk. */
const AT_RISK = 0.8;
/** 1 January 1970 was a Thursday. */
const FIRST_WEEKDAY = 3;

/** Why a service level can't be kept, or null. */
export function findLevelFault({
  zone,
  hours,
  target,
}: ServiceLevelDraft): 'zone' | 'hours' | 'target' | null {
  if (!isTimeZone(zone)) return 'zone';
  if (hours.some(({ from, to }) => from === to)) return 'hours';
  return Math.abs(target * 1000 - Math.round(target * 1000)) > 1e-6 ? 'target' : null;
}

/** The month that the clock of a zone shows, such as `2026-11`. */
export function toMonth(atMs: number, zone: string): string {
  const { year, month } = toCivilTime(atMs, zone);
  return writeMonth(year, month);
}

/** The month so many months later, or earlier. */
export function moveMonth(month: string, by: number): string {
  const [year = 0, place = 1] = month.split('-').map(Number);
  const months = year * 12 + place - 1 + by;
  return writeMonth(Math.floor(months / 12), (months % 12) + 1);
}

function writeMonth(year: number, month: number): string {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}`;
}

/** A calendar month by the clock of a zone. */
export function toMonthSpan(month: string, zone: string): TimeSpan {
  return { fromMs: toMonthStart(month, zone), toMs: toMonthStart(moveMonth(month, 1), zone) };
}

function toMonthStart(text: string, zone: string): number {
  const [year = 0, month = 1] = text.split('-').map(Number);
  return fromCivilTime({ year, month, day: 1, hour: 0, minute: 0, second: 0, millisecond: 0 }, zone);
}

/**
 * Lists service hours within a span, oldest first: whenever the clock of the zone shows a time in them. An hour that the
 * clock shows twice counts twice; one that it leaves out doesn't count.
 */
function listServiceHours(hours: readonly ServiceHours[], span: TimeSpan, zone: string): TimeSpan[] {
  if (hours.length === 0) return [span];
  const offsets = listZoneOffsets(span.fromMs, span.toMs, zone);
  const found = offsets.flatMap(({ fromMs, offsetMs }, place) => {
    const toMs = offsets[place + 1]?.fromMs ?? span.toMs;
    const firstDay = Math.floor((fromMs + offsetMs) / DAY_MS) - 1;
    const days = Math.floor((toMs + offsetMs) / DAY_MS) - firstDay + 1;
    return Array.from({ length: days }, (_, ago) => firstDay + ago).flatMap((day) =>
      hours
        .filter(({ weekdays }) =>
          weekdays.some((own) => own === WEEKDAYS[(((day + FIRST_WEEKDAY) % 7) + 7) % 7]),
        )
        .map(({ from, to }) => {
          const [start, end] = [toMinute(from), toMinute(to)];
          const dayMs = day * DAY_MS - offsetMs;
          return {
            fromMs: Math.max(fromMs, dayMs + start * MINUTE_MS),
            toMs: Math.min(toMs, dayMs + (end <= start ? end + 1_440 : end) * MINUTE_MS),
          };
        })
        .filter((one) => one.toMs > one.fromMs),
    );
  });
  return joinSpans(found.sort((a, b) => a.fromMs - b.fromMs));
}

function toMinute(clock: string): number {
  return Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
}

/** Returns what of spans lies in others; both are in order and don't overlap among themselves. */
export function intersectSpans(spans: readonly TimeSpan[], others: readonly TimeSpan[]): TimeSpan[] {
  const found: TimeSpan[] = [];
  let first = 0;
  for (const { fromMs, toMs } of spans) {
    while ((others[first]?.toMs ?? Infinity) <= fromMs) first += 1;
    for (let place = first; place < others.length; place += 1) {
      const other = others[place];
      if (other === undefined || other.fromMs >= toMs) break;
      found.push({ fromMs: Math.max(fromMs, other.fromMs), toMs: Math.min(toMs, other.toMs) });
    }
  }
  return found;
}

/** Returns what of spans lies in none of others; both are in order and don't overlap among themselves. */
export function subtractSpans(spans: readonly TimeSpan[], others: readonly TimeSpan[]): TimeSpan[] {
  return spans.flatMap((span) => {
    const rest: TimeSpan[] = [];
    let { fromMs } = span;
    for (const other of intersectSpans([span], others)) {
      if (other.fromMs > fromMs) rest.push({ fromMs, toMs: other.fromMs });
      fromMs = other.toMs;
    }
    if (fromMs < span.toMs) rest.push({ fromMs, toMs: span.toMs });
    return rest;
  });
}

/** How long spans are together. */
export function addUpSpans(spans: readonly TimeSpan[]): number {
  return spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
}

/** What a month of a service level is measured over. */
interface LevelTimes {
  /** Service hours. */
  readonly service: readonly TimeSpan[];
  /** Planned times in them, which are left out; they may overlap. */
  readonly planned: readonly (TimeSpan & { readonly name: string })[];
  /** Service hours without planned times. */
  readonly agreed: readonly TimeSpan[];
}

/** Lists the service hours of a span and what of them is agreed time. */
export function listLevelTimes(
  { hours, zone, leavesOutPlanned }: ServiceLevelDraft,
  plans: ConnectionPlans | undefined,
  span: TimeSpan,
): LevelTimes {
  const service = listServiceHours(hours, span, zone);
  // As in uptime, a planned time of some channels leaves the platform as it is.
  const planned = (leavesOutPlanned ? listPlannedSpans(plans, span) : [])
    .filter(({ time }) => time.leftOut.uptime && time.channels === undefined && time.services === undefined)
    .flatMap(({ fromMs, toMs, name }) =>
      intersectSpans([{ fromMs, toMs }], service).map((own) => ({ ...own, name })),
    );
  return { service, planned, agreed: subtractSpans(service, joinSpans(planned)) };
}

type Figures = Pick<
  LevelReport,
  'agreedMs' | 'dueMs' | 'upMs' | 'downMs' | 'unwatchedMs' | 'budgetMs' | 'isOver'
>;

/** How long a part may be down in the agreed time of a month. */
export function toBudgetMs(agreedMs: number, target: number): number {
  // In whole thousandths of a per cent: 100 - 99.9 isn't 0.1.
  return (agreedMs * (100_000 - Math.round(target * 1000))) / 100_000;
}

/** The share of watched time in which the part was up; null where nothing was watched. */
function toReachedShare({ upMs, downMs }: Pick<LevelReport, 'upMs' | 'downMs'>): number | null {
  return upMs + downMs === 0 ? null : upMs / (upMs + downMs);
}

/** How a month stands, as `LEVEL_STATES` says it. */
export function toLevelState(figures: Figures, target: number): LevelState {
  const { downMs, unwatchedMs, budgetMs, isOver } = figures;
  const share = toReachedShare(figures);
  if (downMs > budgetMs) return 'missed';
  const isReached = share !== null && share * 100_000 >= Math.round(target * 1000);
  if (isOver) {
    if (figures.agreedMs > 0 && downMs + unwatchedMs <= budgetMs) return 'met';
    return isReached ? 'met-watched' : 'not-known';
  }
  if (share === null) return 'not-known';
  return !isReached || (downMs > 0 && downMs > AT_RISK * budgetMs) ? 'at-risk' : 'met-so-far';
}

/** What is shown of a month: shares never read as more than they are, minutes used never as fewer. */
export interface LevelFigures {
  /** 0 to 1, of watched time; null where nothing was watched. */
  readonly share: number | null;
  /** The same if the part had been down whenever it wasn't watched; null where no agreed time is over. */
  readonly leastShare: number | null;
  /** Of agreed time so far; null where none is over. */
  readonly watchedShare: number | null;
  /** Decimals of the shares in per cent. */
  readonly digits: number;
  readonly usedMinutes: number;
  readonly budgetMinutes: number;
  /** Decimals of the budget. */
  readonly budgetDigits: number;
  /** 0 to 1 of the budget; 1 where there is none and some was used. */
  readonly usedShare: number;
  /** Minutes of each outage; they add up to those used. */
  readonly outageMinutes: readonly number[];
}

/** Returns the figures of a month as they are shown. */
export function toLevelFigures(report: LevelReport): LevelFigures {
  const { upMs, downMs, dueMs, unwatchedMs, budgetMs, outages, level } = report;
  const digits = Number.isInteger(Math.round(level.target * 1000) / 10) ? 2 : 3;
  const floor = (share: number | null, decimals = digits): number | null => {
    const scale = 10 ** (decimals + 2);
    return share === null ? null : Math.floor(share * scale + 1e-7) / scale;
  };
  const usedMinutes = Math.ceil(downMs / MINUTE_MS);
  const budgetDigits = budgetMs < 10 * MINUTE_MS ? 1 : 0;
  const scale = 10 ** budgetDigits;
  return {
    share: floor(toReachedShare(report)),
    leastShare: floor(dueMs === 0 ? null : upMs / dueMs),
    watchedShare: floor(dueMs === 0 ? null : (dueMs - unwatchedMs) / dueMs, 0),
    digits,
    usedMinutes,
    budgetMinutes: Math.floor((budgetMs / MINUTE_MS) * scale + 1e-7) / scale,
    budgetDigits,
    usedShare: budgetMs === 0 ? (downMs > 0 ? 1 : 0) : Math.min(1, downMs / budgetMs),
    outageMinutes: roundParts(
      outages.map((outage) => outage.downMs / MINUTE_MS),
      0,
      usedMinutes,
    ),
  };
}

/** Returns service levels as a file holds them. */
export function toServiceLevelsFile(levels: readonly ServiceLevel[]): ServiceLevelsFile {
  return {
    format: 'channelscope-service-levels',
    version: 1,
    levels: levels.map(({ name, part, target, zone, hours, leavesOutPlanned }) => ({
      name,
      part,
      target,
      zone,
      hours,
      leavesOutPlanned,
    })),
  };
}
