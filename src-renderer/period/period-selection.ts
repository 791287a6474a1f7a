import type { Clock, Period } from '../../src-main/common/model/period.ts';
import { toWireDate } from '../../src-main/common/reporting/wire-documents.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src-main/common/time/durations.ts';
import {
  type CivilTime,
  fromCivilTime,
  isRealCivilTime,
  toCivilTime,
} from '../../src-main/common/time/civil-time.ts';
import { createQueryClock } from '../../src-main/common/query/query-values.ts';
import { formatExact } from '../format/formats.ts';

/** In the order of the picker. */
export const PERIOD_PRESETS = [
  'last-15-minutes',
  'last-hour',
  'last-6-hours',
  'last-24-hours',
  'today',
  'yesterday',
  'last-7-days',
  'last-30-days',
  'this-month',
] as const;
export type PeriodPreset = (typeof PERIOD_PRESETS)[number];

/** What the person chose: a preset that moves with the clock, or two instants. Both ends are included. */
export type PeriodSelection =
  | { readonly kind: 'preset'; readonly preset: PeriodPreset }
  | { readonly kind: 'custom'; readonly fromMs: number; readonly toMs: number };

/** The clock that periods are picked in. */
export interface PeriodClock {
  readonly choice: Clock;
  readonly zone: string;
  readonly serviceZone: string;
}

/** The first and the last whole second of a period; both are part of it. */
export interface PeriodEnds {
  readonly fromMs: number;
  readonly toMs: number;
}

const ROLLING_MS: Partial<Record<PeriodPreset, number>> = {
  'last-15-minutes': 15 * MINUTE_MS,
  'last-hour': HOUR_MS,
  'last-6-hours': 6 * HOUR_MS,
  'last-24-hours': DAY_MS,
  'last-7-days': 7 * DAY_MS,
  'last-30-days': 30 * DAY_MS,
};

/** Returns the ends of a selection. Days and months begin at midnight in `pickZone`. */
export function toPeriodEnds(selection: PeriodSelection, nowMs: number, pickZone: string): PeriodEnds {
  if (selection.kind === 'custom') {
    return { fromMs: floorToSecond(selection.fromMs), toMs: floorToSecond(selection.toMs) };
  }
  const now = floorToSecond(nowMs);
  const rolling = ROLLING_MS[selection.preset];
  if (rolling !== undefined) return { fromMs: now - rolling, toMs: now };
  if (selection.preset === 'yesterday') {
    return { fromMs: toMidnight(now, pickZone, -1), toMs: toMidnight(now, pickZone, 0) - SECOND_MS };
  }
  if (selection.preset === 'this-month') {
    return { fromMs: toMidnight(now, pickZone, 1 - toCivilTime(now, pickZone).day), toMs: now };
  }
  return { fromMs: toMidnight(now, pickZone, 0), toMs: now };
}

/** Returns the period to request; its texts are in the service's zone, whichever zone the days were picked in. */
export function toPeriod(
  selection: PeriodSelection,
  nowMs: number,
  serviceZone: string,
  pickZone: string,
): Period {
  const { fromMs, toMs } = toPeriodEnds(selection, nowMs, pickZone);
  return {
    startDate: toWireDate(fromMs, serviceZone),
    endDate: toWireDate(toMs, serviceZone),
    fromMs,
    toMs,
    zone: serviceZone,
  };
}

/** Returns the midnight of a zone so many days after the day of an instant. */
export function toMidnight(epochMs: number, zone: string, dayOffset: number): number {
  const { year, month, day } = toCivilTime(epochMs, zone);
  const shifted = new Date(Date.UTC(year, month - 1, day + dayOffset));
  return fromCivilTime(
    {
      year: shifted.getUTCFullYear(),
      month: shifted.getUTCMonth() + 1,
      day: shifted.getUTCDate(),
      hour: 0,
      minute: 0,
      second: 0,
      millisecond: 0,
    },
    zone,
  );
}

function floorToSecond(epochMs: number): number {
  return Math.floor(epochMs / SECOND_MS) * SECOND_MS;
}

/** An address means the same whatever clock is shown. */
const ADDRESS_CLOCK = createQueryClock('UTC');

/** Writes a period as an address carries it: the name of a preset, or its first and last moment in UTC. */
export function toPeriodText(selection: PeriodSelection): string {
  if (selection.kind === 'preset') return selection.preset;
  return [selection.fromMs, selection.toMs].map(ADDRESS_CLOCK.write).join('..');
}

/** Reads the period of an address; null where the text is none. */
export function fromPeriodText(text: string): PeriodSelection | null {
  const preset = PERIOD_PRESETS.find((name) => name === text);
  if (preset !== undefined) return { kind: 'preset', preset };
  const [from = '', to = '', ...rest] = text.split('..');
  const fromMs = ADDRESS_CLOCK.read(from);
  const toMs = ADDRESS_CLOCK.read(to);
  if (fromMs === null || toMs === null || fromMs > toMs || rest.length > 0) return null;
  return { kind: 'custom', fromMs, toMs };
}

/** The period as typed into the picker's four fields. */
export interface PeriodDraft {
  readonly fromDay: string;
  readonly fromTime: string;
  readonly toDay: string;
  readonly toTime: string;
}
export type DraftFault = 'unreadable' | 'reversed';

/** Returns the texts of the fields for a period, as a clock in the zone shows them. */
export function toDraft({ fromMs, toMs }: PeriodEnds, zone: string): PeriodDraft {
  const from = formatExact(fromMs, zone);
  const to = formatExact(toMs, zone);
  return {
    fromDay: from.slice(0, 10),
    fromTime: from.slice(11),
    toDay: to.slice(0, 10),
    toTime: to.slice(11),
  };
}

/** Returns the ends of a draft, or why it is not a period. */
export function readDraft(draft: PeriodDraft, zone: string): PeriodEnds | DraftFault {
  const from = tryReadCivilTime(draft.fromDay, draft.fromTime);
  const to = tryReadCivilTime(draft.toDay, draft.toTime);
  if (from === null || to === null) return 'unreadable';
  const fromMs = fromCivilTime(from, zone);
  const toMs = fromCivilTime(to, zone);
  return fromMs > toMs ? 'reversed' : { fromMs, toMs };
}

function tryReadCivilTime(day: string, time: string): CivilTime | null {
  const days = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(day.trim());
  const times = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(time.trim());
  if (days === null || times === null) return null;
  const civil: CivilTime = {
    year: Number(days[1]),
    month: Number(days[2]),
    day: Number(days[3]),
    hour: Number(times[1]),
    minute: Number(times[2]),
    second: Number(times[3] ?? 0),
    millisecond: 0,
  };
  return isRealCivilTime(civil) ? civil : null;
}
