import type { DuckDBConnection } from '@duckdb/node-api';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../common/time/durations.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import type { LongCells } from '../../findings/long-incidents.ts';
import { LONG_SLOT_MS } from '../../findings/long-series.ts';
import type { TrafficCells } from '../../findings/traffic-cells.ts';
import type { ResolvedScope, ScopePart } from '../resolved-scope.ts';
import { readFamilyDays, type FamilyCounts } from './read-families.ts';
import { readLongTraffic } from './read-long-traffic.ts';
import { readLateTraffic, readTraffic } from './read-traffic.ts';

/** Cells that are remembered of each kind: fifty megabytes together. */
const MAX_CELLS = 262_144;

/**
 * Counts the requests of a span, day by day (UTC). `version` is what the feed's was before the scope was resolved; the
 * scope holds all of each day that the span touches, but for what came after the span's end.
 */
export type ReadSettled<Counts> = (
  connection: DuckDBConnection,
  scope: ResolvedScope,
  question: { readonly span: TimeSpan; readonly version: number },
) => Promise<readonly Counts[]>;

/** What is counted of days. */
interface DayCounts<Counts> {
  /** Counts the days of a span; those without records may be missing. */
  readonly read: (
    connection: DuckDBConnection,
    scope: ResolvedScope,
    span: TimeSpan,
  ) => Promise<ReadonlyMap<number, Counts>>;
  /** How much a day holds. */
  readonly measure: (counts: Counts) => number;
  /** How long a day is. */
  readonly dayMs?: number;
}

/**
 * Creates what counts days: it counts again only those that have other records than before. The records of a part are
 * the same as long as it has as many, and the feed has taken none away. A day that the span leaves before its end is
 * counted each time.
 */
export function createDayReader<Counts>(
  getVersion: () => number,
  { read, measure, dayMs = DAY_MS }: DayCounts<Counts>,
): ReadSettled<Counts> {
  const known = new Map<string, Counts | null>();
  let held = 0;
  const forget = (key: string): void => {
    const counts = known.get(key);
    if (counts !== undefined && counts !== null) held -= measure(counts);
    known.delete(key);
  };
  return async (connection, scope, { span, version }) => {
    const first = Math.floor(span.fromMs / dayMs);
    const days = Array.from({ length: Math.max(0, Math.ceil(span.toMs / dayMs) - first) }, (_, place) => {
      const day = first + place;
      const own = clipScope(scope, { fromMs: day * dayMs, toMs: Math.min((day + 1) * dayMs, span.toMs) });
      const key = (day + 1) * dayMs > span.toMs ? null : JSON.stringify([version, day, own]);
      const counts = own.parts.length === 0 ? null : key === null ? undefined : known.get(key);
      return { day, key, counts };
    });
    const counted = new Map<number, Counts | null>();
    for (const run of listRuns(days.filter(({ counts }) => counts === undefined).map(({ day }) => day))) {
      const missing = { fromMs: run.first * dayMs, toMs: Math.min((run.last + 1) * dayMs, span.toMs) };
      const found = await read(connection, clipScope(scope, missing), missing);
      for (let day = run.first; day <= run.last; day += 1) counted.set(day, found.get(day) ?? null);
    }
    return days.flatMap(({ day, key, counts: before }) => {
      const counts = before === undefined ? (counted.get(day) ?? null) : before;
      if (key !== null && getVersion() === version) {
        // The one asked for last is the last to be forgotten.
        forget(key);
        known.set(key, counts);
        held += counts === null ? 0 : measure(counts);
        for (const oldest of known.keys()) {
          if (held <= MAX_CELLS) break;
          forget(oldest);
        }
      }
      return counts ?? [];
    });
  };
}

/** What was counted of days: requests by the minute, the hour, and the half hour of weeks, and patterns of errors. */
export interface SettledTraffic {
  readonly readMinutes: ReadSettled<TrafficCells>;
  readonly readHours: ReadSettled<TrafficCells>;
  readonly readLateMinutes: ReadSettled<TrafficCells>;
  readonly readLateHours: ReadSettled<TrafficCells>;
  readonly readWeeks: ReadSettled<LongCells>;
  readonly readFamilies: ReadSettled<FamilyCounts>;
}

/** Creates what counts the days that findings are made of, each once. */
export function createSettledTraffic(getVersion: () => number): SettledTraffic {
  const createTrafficReader = (read: typeof readTraffic, slotMs: number): ReadSettled<TrafficCells> =>
    createDayReader(getVersion, {
      read: async (connection, scope, span) =>
        divideByDay(await read(connection, scope, span, slotMs), DAY_MS / slotMs),
      measure: ({ slots }) => slots.length,
    });
  return {
    readMinutes: createTrafficReader(readTraffic, MINUTE_MS),
    readHours: createTrafficReader(readTraffic, HOUR_MS),
    readLateMinutes: createTrafficReader(readLateTraffic, MINUTE_MS),
    readLateHours: createTrafficReader(readLateTraffic, HOUR_MS),
    readWeeks: createDayReader(getVersion, {
      read: async (connection, scope, span) =>
        divideByDay(await readLongTraffic(connection, scope, span), DAY_MS / LONG_SLOT_MS),
      measure: ({ slots }) => slots.length,
    }),
    readFamilies: createDayReader(getVersion, { read: readFamilyDays, measure: ({ size }) => size }),
  };
}

type Columns<Cells> = Readonly<Record<keyof Cells & string, Float64Array>>;

/** Divides cells among days of so many slots. */
export function divideByDay<Cells extends { readonly slots: Float64Array } & Columns<Cells>>(
  cells: Cells,
  daySlots: number,
): ReadonlyMap<number, Cells> {
  const lengths = new Map<number, number>();
  for (const slot of cells.slots) {
    const day = Math.floor(slot / daySlots);
    lengths.set(day, (lengths.get(day) ?? 0) + 1);
  }
  const names = Object.keys(cells) as (keyof Cells & string)[];
  const next = new Map<number, number>();
  const days = new Map(
    [...lengths].map(([day, length]) => [
      day,
      Object.fromEntries(names.map((name) => [name, new Float64Array(length)])) as unknown as Cells,
    ]),
  );
  for (let cell = 0; cell < cells.slots.length; cell += 1) {
    const day = Math.floor((cells.slots[cell] ?? 0) / daySlots);
    const own = days.get(day);
    const place = next.get(day) ?? 0;
    next.set(day, place + 1);
    if (own === undefined) continue;
    for (const name of names) own[name][place] = cells[name][cell] ?? 0;
  }
  return days;
}

/** Joins the cells of days; those before a slot are left out. */
export function joinDays(days: readonly TrafficCells[], firstSlot: number): TrafficCells {
  const own = days.map((day) =>
    day.slots.every((slot) => slot >= firstSlot) ? day : leaveOut(day, (slot) => slot < firstSlot),
  );
  const join = (name: keyof TrafficCells): Float64Array => {
    const whole = new Float64Array(own.reduce((length, { slots }) => length + slots.length, 0));
    let length = 0;
    for (const day of own) {
      whole.set(day[name], length);
      length += day.slots.length;
    }
    return whole;
  };
  return {
    channels: join('channels'),
    services: join('services'),
    slots: join('slots'),
    outcomes: join('outcomes'),
    counts: join('counts'),
  };
}

function leaveOut(cells: TrafficCells, isLeftOut: (slot: number) => boolean): TrafficCells {
  const keep = (values: Float64Array): Float64Array =>
    values.filter((_value, cell) => !isLeftOut(cells.slots[cell] ?? 0));
  return {
    channels: keep(cells.channels),
    services: keep(cells.services),
    slots: keep(cells.slots),
    outcomes: keep(cells.outcomes),
    counts: keep(cells.counts),
  };
}

/** The parts of a scope that can have records in a span, with nothing beside it. */
function clipScope({ direction, parts }: ResolvedScope, span: TimeSpan): ResolvedScope {
  return {
    direction,
    parts: parts.flatMap(({ spans, dates, ...part }): ScopePart[] => {
      if (dates !== undefined) {
        const { firstMs, lastMs } = dates;
        if (firstMs === null || lastMs === null || firstMs >= span.toMs || lastMs < span.fromMs) return [];
      }
      const own = spans
        ?.map(({ fromMs, toMs }) => ({
          fromMs: Math.max(fromMs, span.fromMs),
          toMs: Math.min(toMs, span.toMs),
        }))
        .filter(({ fromMs, toMs }) => fromMs < toMs);
      return own?.length === 0 ? [] : [{ ...part, spans: own ?? null }];
    }),
  };
}

function listRuns(days: readonly number[]): { readonly first: number; readonly last: number }[] {
  const runs: { first: number; last: number }[] = [];
  for (const day of days) {
    const run = runs.at(-1);
    if (run?.last === day - 1) run.last = day;
    else runs.push({ first: day, last: day });
  }
  return runs;
}
