import { DAY_MS } from '../../../src-main/common/time/durations.ts';
import { startDays, type Deprecation } from '../../deprecations/read-deprecations.ts';

const MARGIN_DAYS = 30;

/** Places are shares from 0 to 1 of the timeline's width. */
export interface TimelineRow {
  readonly id: string;
  readonly announced: readonly number[];
  readonly applicable: readonly number[];
  /** Taken from the text because the written date is impossible. */
  readonly fromText: number | null;
  readonly lineFrom: number;
  readonly lineTo: number;
}

export interface Timeline {
  readonly rows: readonly TimelineRow[];
  readonly years: readonly { readonly year: number; readonly at: number }[];
  readonly today: number;
}

/** Places the announcements from the first date to today, or to the last date when that is later. */
export function placeTimeline(deprecations: readonly Deprecation[], todayMs: number): Timeline {
  const days = deprecations.flatMap((item) => [...announcedDays(item), ...startsOf(item)]);
  const fromMs = Math.min(todayMs, ...days) - MARGIN_DAYS * DAY_MS;
  const toMs = Math.max(todayMs, ...days) + MARGIN_DAYS * DAY_MS;
  const place = (dayMs: number): number => (dayMs - fromMs) / (toMs - fromMs);
  const firstYear = new Date(fromMs).getUTCFullYear() + 1;
  const lastYear = new Date(toMs).getUTCFullYear();
  const years = Array.from({ length: lastYear - firstYear + 1 }, (_, index) => {
    return { year: firstYear + index, at: place(Date.UTC(firstYear + index, 0, 1)) };
  });
  return {
    rows: deprecations.map((item) => toRow(item, place)),
    years,
    today: place(todayMs),
  };
}

function toRow(item: Deprecation, place: (dayMs: number) => number): TimelineRow {
  const announced = announcedDays(item).map(place).sort(ascending);
  const starts = startsOf(item).map(place).sort(ascending);
  const isImpossible = item.applicable.kind === 'impossible';
  return {
    id: item.announcement.id,
    announced,
    applicable: isImpossible ? [] : starts,
    fromText: isImpossible ? (starts[0] ?? null) : null,
    lineFrom: announced[0] ?? starts[0] ?? 0,
    lineTo: starts.at(-1) ?? announced.at(-1) ?? 0,
  };
}

function announcedDays(item: Deprecation): number[] {
  return item.announced.readings.map((reading) => reading.dayMs);
}

function startsOf(item: Deprecation): number[] {
  return startDays(item.applicable, item.textDaysMs);
}

function ascending(a: number, b: number): number {
  return a - b;
}
