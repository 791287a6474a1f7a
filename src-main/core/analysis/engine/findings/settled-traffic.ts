import type { DuckDBConnection } from '@duckdb/node-api';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../common/time/durations.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import type { LongCells } from '../../findings/long-incidents.ts';
import { LONG_SLOT_MS } from '../../findings/long-series.ts';
import { sumCells, type TrafficCells } from '../../findings/traffic-cells.ts';
import type { PlaceField } from '../../../../common/model/analysis/finding.ts';
import { findColumn } from '../engine-tables.ts';
import { countAtMost, type ResolvedScope, type ScopePart } from '../resolved-scope.ts';
import type { KeptCounts } from './kept-counts.ts';
import {
  FLOW_SQL,
  type FlowSql,
  readLateTraffic,
  readLongTraffic,
  readTraffic,
  readValueDays,
  toValueSql,
  type ValuesOfDay,
} from './read-traffic.ts';
import { readFamilyDays, type FamilyCounts } from './read-families.ts';

/** Cells that are remembered of each kind: fifty megabytes together. */
const MAX_CELLS = 262_144;

/** Counts by day (UTC). */
export interface DayReader<Counts> {
  /**
   * Counts the requests of a span. `version` is what the feed's was before the scope was resolved; the scope holds all of
   * each day that the span touches, but for what came after the span's end.
   */
  read(connection: DuckDBConnection, scope: ResolvedScope, question: DayQuestion): Promise<readonly Counts[]>;
  /** Counts days that will be asked for, all in one reading, as far as they can be remembered until then. */
  readAhead(connection: DuckDBConnection, scope: ResolvedScope, question: DayQuestion): Promise<void>;
  /** Takes in what another reader of the same records says of a day, unless it is known. */
  note(key: string, count: () => Counts | null): void;
}

interface DayQuestion {
  readonly span: TimeSpan;
  readonly version: number;
  /** What is counted is kept over restarts, where the reader's days are. */
  readonly isKept?: boolean;
}

/** What is counted of days. */
interface DayCounts<Counts> {
  /** Counts the days of a span; those without records may be missing. */
  readonly read: (
    connection: DuckDBConnection,
    scope: ResolvedScope,
    span: TimeSpan,
  ) => Promise<ReadonlyMap<number, Counts>>;
  /** How much a day holds: at most one for each record. */
  readonly measure: (counts: Counts) => number;
  /** How long a day is. */
  readonly dayMs?: number;
  /** Where days are kept over restarts, and by which name. */
  readonly kept?: { readonly name: string; readonly store: KeptCounts } | undefined;
  /** Hears of each day that was counted, with what says which records it has. */
  readonly onCounted?: ((key: string, counts: Counts | null) => void) | undefined;
}

/**
 * Creates what counts days: it counts again only those that have other records than before. The records of a part are
 * the same as long as it has as many, and the feed has taken none away. A day that the span leaves before its end is
 * counted each time.
 */
export function createDayReader<Counts>(
  getVersion: () => number,
  { read, measure, dayMs = DAY_MS, kept, onCounted }: DayCounts<Counts>,
): DayReader<Counts> {
  const known = new Map<string, Counts | null>();
  let held = 0;
  const forget = (key: string): void => {
    const counts = known.get(key);
    if (counts !== undefined && counts !== null) held -= measure(counts);
    known.delete(key);
  };
  const remember = (key: string, counts: Counts | null): void => {
    // The one asked for last is the last to be forgotten.
    forget(key);
    known.set(key, counts);
    held += counts === null ? 0 : measure(counts);
    for (const oldest of known.keys()) {
      if (held <= MAX_CELLS) break;
      forget(oldest);
    }
  };
  const rememberCounted = (key: string, counts: Counts | null): void => {
    remember(key, counts);
    onCounted?.(key, counts);
  };
  const listDays = (scope: ResolvedScope, { span, version }: DayQuestion) => {
    const first = Math.floor(span.fromMs / dayMs);
    return Array.from({ length: Math.max(0, Math.ceil(span.toMs / dayMs) - first) }, (_, place) => {
      const day = first + place;
      const whole = { fromMs: day * dayMs, toMs: (day + 1) * dayMs };
      const own = clipScope(scope, { ...whole, toMs: Math.min(whole.toMs, span.toMs) });
      const key = whole.toMs > span.toMs ? null : toDayKey(version, own, whole);
      const counts = own.parts.length === 0 ? null : key === null ? undefined : known.get(key);
      // What is kept is forgotten where the version would be raised.
      const lasting = key === null || kept === undefined ? null : `${kept.name} ${toDayKey(0, own, whole)}`;
      return {
        day,
        key,
        counts,
        lasting,
        place: `${kept?.name} ${scope.direction} ${own.parts[0]?.snapshotId} ${day}`,
      };
    });
  };
  type Days = ReturnType<typeof listDays>;
  /** The same, with what is kept of those that aren't remembered. */
  const findKept = async (connection: DuckDBConnection, days: Days): Promise<Days> => {
    const missing = days.flatMap(({ counts, lasting }) => (counts === undefined ? (lasting ?? []) : []));
    if (kept === undefined || missing.length === 0) return days;
    const found = await kept.store.read(connection, missing);
    return days.map((day) => {
      const own = day.counts === undefined && day.lasting !== null ? found.get(day.lasting) : undefined;
      return own === undefined ? day : { ...day, counts: own as Counts | null };
    });
  };
  const keep = (days: Days, counted: ReadonlyMap<number, Counts>, version: number): void => {
    const fresh = days.flatMap(({ day, lasting, counts, place }) =>
      counts === undefined && lasting !== null
        ? [{ place, key: lasting, counts: counted.get(day) ?? null }]
        : [],
    );
    kept?.store.keep(fresh, version);
  };
  const countMissing = async (
    connection: DuckDBConnection,
    scope: ResolvedScope,
    days: Days,
    endMs: number,
  ): Promise<ReadonlyMap<number, Counts>> => {
    const counted = new Map<number, Counts>();
    for (const run of listRuns(days.filter(({ counts }) => counts === undefined).map(({ day }) => day))) {
      const missing = { fromMs: run.first * dayMs, toMs: Math.min((run.last + 1) * dayMs, endMs) };
      for (const [day, counts] of await read(connection, clipScope(scope, missing), missing))
        counted.set(day, counts);
    }
    return counted;
  };
  /** How many days fit into half of what is remembered, going by the days that are. */
  const countRoom = (): number => {
    const days = [...known.values()].filter((counts) => counts !== null).length;
    return days === 0 ? 0 : Math.floor((MAX_CELLS / 2) * (days / Math.max(1, held)));
  };
  return {
    async read(connection, scope, question) {
      const days = await findKept(connection, listDays(scope, question));
      const counted = await countMissing(connection, scope, days, question.span.toMs);
      const isSame = getVersion() === question.version;
      return days.flatMap(({ day, key, counts: before }) => {
        const counts = before === undefined ? (counted.get(day) ?? null) : before;
        if (key !== null && isSame) (before === undefined ? rememberCounted : remember)(key, counts);
        return counts ?? [];
      });
    },
    async readAhead(connection, scope, question) {
      const { span, version, isKept = false } = question;
      const all = listDays(scope, question).filter(({ key }) => key !== null);
      const remembered = new Map(
        all.flatMap(({ day, counts }) =>
          counts === null || counts === undefined ? [] : [[day, counts] as const],
        ),
      );
      // What is remembered may not be kept yet.
      const asked = isKept
        ? all.map((day) => (day.counts === null ? day : { ...day, counts: undefined }))
        : all.filter(({ counts }) => counts === undefined);
      const found = await findKept(connection, asked);
      if (getVersion() !== version) return;
      for (const { key, counts } of found) if (key !== null && counts !== undefined) remember(key, counts);
      const days = found.filter(({ counts }) => counts === undefined);
      const room = countAtMost(clipScope(scope, span)) <= MAX_CELLS / 2 ? days.length : countRoom();
      const own = isKept ? days.filter(({ day }) => !remembered.has(day)) : days.slice(0, room);
      // One day is counted when it is asked for.
      if (own.length < 2 && !isKept) return;
      const counted = await countMissing(connection, scope, own, span.toMs);
      if (getVersion() !== version) return;
      if (isKept) keep(days, new Map([...remembered, ...counted]), version);
      for (const { day, key } of own) if (key !== null) rememberCounted(key, counted.get(day) ?? null);
    },
    note(key, count) {
      if (!known.has(key)) remember(key, count());
    },
  };
}

/** Which records a day has: the same ones whichever span the scope was resolved for. */
function toDayKey(version: number, { parts }: ResolvedScope, day: TimeSpan): string {
  const records = parts.map(({ snapshotId, recordCount, fromSeq = 0, spans }) => [
    snapshotId,
    fromSeq,
    recordCount,
    (spans ?? [day]).map(({ fromMs, toMs }) => [fromMs, toMs]),
  ]);
  return JSON.stringify([version, day.fromMs, records]);
}

/** What was counted of days: requests by the minute, the hour, and the half hour of weeks, and patterns of errors. */
export interface SettledTraffic {
  readonly minutes: DayReader<TrafficCells>;
  readonly hours: DayReader<TrafficCells>;
  readonly lateMinutes: DayReader<TrafficCells>;
  readonly lateHours: DayReader<TrafficCells>;
  readonly weeks: DayReader<LongCells>;
  readonly families: DayReader<FamilyCounts>;
  /** The same by the values of a field, whatever channel and service: each value is what a service is else. */
  readonly byValue: Readonly<Record<PlaceField, ValueTraffic>>;
}

/** Requests by the values of a field. */
export interface ValueTraffic {
  readonly values: DayReader<ValuesOfDay>;
  readonly minutes: DayReader<TrafficCells>;
  readonly hours: DayReader<TrafficCells>;
  readonly lateMinutes: DayReader<TrafficCells>;
  readonly lateHours: DayReader<TrafficCells>;
  readonly weeks: DayReader<LongCells>;
}

/** Creates what counts the days that findings are made of, each once. */
export function createSettledTraffic(getVersion: () => number, store?: KeptCounts): SettledTraffic {
  const toKept = (name: string | null) =>
    store === undefined || name === null ? undefined : { name, store };
  /** Counts by the minute and by the hour; a day that was counted by the minute isn't read again for its hours. */
  const createTrafficReaders = (
    read: typeof readTraffic,
    toName: (slots: string) => string,
    toFlowSql: (scope: ResolvedScope) => FlowSql | null = () => FLOW_SQL,
  ): Record<'minutes' | 'hours', DayReader<TrafficCells>> => {
    const create = (
      slotMs: number,
      slots: string,
      onCounted?: DayCounts<TrafficCells>['onCounted'],
    ): DayReader<TrafficCells> =>
      createDayReader<TrafficCells>(getVersion, {
        read: async (connection, scope, span) => {
          const flow = toFlowSql(scope);
          if (flow === null) return new Map();
          return divideByDay(await read(connection, scope, { span, slotMs, flow }), DAY_MS / slotMs);
        },
        measure: ({ slots: own }) => own.length,
        kept: toKept(toName(slots)),
        onCounted,
      });
    const hours = create(HOUR_MS, 'hours');
    const minutes = create(MINUTE_MS, 'minutes', (key, counts) =>
      hours.note(key, () => (counts === null ? null : sumCells(counts, HOUR_MS / MINUTE_MS))),
    );
    return { minutes, hours };
  };
  const createWeeksReader = (
    name: string | null,
    toFlowSql: (scope: ResolvedScope) => FlowSql | null = () => FLOW_SQL,
  ): DayReader<LongCells> =>
    createDayReader<LongCells>(getVersion, {
      read: async (connection, scope, span) => {
        const flow = toFlowSql(scope);
        if (flow === null) return new Map();
        return divideByDay(await readLongTraffic(connection, scope, span, flow), DAY_MS / LONG_SLOT_MS);
      },
      measure: ({ slots }) => slots.length,
      kept: toKept(name),
    });
  const createValueTraffic = (field: PlaceField): ValueTraffic => {
    const toFlowSql = ({ direction }: ResolvedScope): FlowSql | null => {
      const column = findColumn(field, direction);
      return column === null ? null : { channel: '0', service: toValueSql(column.name) };
    };
    const late = createTrafficReaders(readLateTraffic, (slots) => `late ${slots} of ${field}`, toFlowSql);
    return {
      values: createDayReader(getVersion, {
        read: (connection, scope, span) => readValueDays(connection, scope, span, field),
        measure: ({ size }) => size,
        kept: toKept(`values of ${field}`),
      }),
      ...createTrafficReaders(readTraffic, (slots) => `${slots} of ${field}`, toFlowSql),
      lateMinutes: late.minutes,
      lateHours: late.hours,
      weeks: createWeeksReader(null, toFlowSql),
    };
  };
  const late = createTrafficReaders(readLateTraffic, (slots) => `late ${slots}`);
  return {
    ...createTrafficReaders(readTraffic, (slots) => slots),
    lateMinutes: late.minutes,
    lateHours: late.hours,
    weeks: createWeeksReader('weeks'),
    families: createDayReader(getVersion, {
      read: readFamilyDays,
      measure: ({ size }) => size,
      kept: toKept('families'),
    }),
    byValue: { origin: createValueTraffic('origin'), actionId: createValueTraffic('actionId') },
  };
}

type Columns<Cells> = Readonly<Record<keyof Cells & string, Float64Array>>;

/** Divides cells among days of so many slots. */
export function divideByDay<Cells extends { readonly slots: Float64Array } & Columns<Cells>>(
  cells: Cells,
  daySlots: number,
): ReadonlyMap<number, Cells> {
  const { slots } = cells;
  /** The place of each cell's day among the days, and how many cells each has. */
  const dayOf = new Uint32Array(slots.length);
  const places = new Map<number, number>();
  const lengths: number[] = [];
  let [last, place] = [NaN, 0];
  for (let cell = 0; cell < slots.length; cell += 1) {
    const day = Math.floor((slots[cell] as number) / daySlots);
    if (day !== last) {
      last = day;
      place = places.get(day) ?? places.size;
      places.set(day, place);
    }
    dayOf[cell] = place;
    lengths[place] = (lengths[place] ?? 0) + 1;
  }
  const names = Object.keys(cells) as (keyof Cells & string)[];
  const divided = names.map((name) =>
    divideColumn(
      cells[name],
      dayOf,
      lengths.map((length) => new Float64Array(length)),
    ),
  );
  return new Map(
    [...places].map(([day, own]) => [
      day,
      Object.fromEntries(names.map((name, at) => [name, divided[at]?.[own]])) as unknown as Cells,
    ]),
  );
}

function divideColumn(column: Float64Array, dayOf: Uint32Array, days: Float64Array[]): Float64Array[] {
  const next = new Uint32Array(days.length);
  for (let cell = 0; cell < column.length; cell += 1) {
    const place = dayOf[cell] as number;
    (days[place] as Float64Array)[next[place] as number] = column[cell] as number;
    next[place] = (next[place] as number) + 1;
  }
  return days;
}

/** Joins the cells of days; those before a slot are left out. */
export function joinDays(days: readonly TrafficCells[], firstSlot: number): TrafficCells {
  const own = days.map((day) =>
    isFrom(day.slots, firstSlot) ? day : leaveOut(day, (slot) => slot < firstSlot),
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

function isFrom(slots: Float64Array, first: number): boolean {
  for (const slot of slots) if (slot < first) return false;
  return true;
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
