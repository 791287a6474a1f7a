import { HOUR_MS, MINUTE_MS } from '../../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { createTrafficGrid } from '../../../src-main/core/analysis/findings/create-traffic-grid.ts';
import {
  findIncidents,
  judgePlaces,
  type JudgedPlaces,
} from '../../../src-main/core/analysis/findings/explain-incidents.ts';
import {
  joinIncidents,
  type JoinedIncident,
} from '../../../src-main/core/analysis/findings/join-incidents.ts';
import { joinFamilies } from '../../../src-main/core/analysis/findings/judge-families.ts';
import {
  judgeLongTraffic,
  toFirstSlot,
  type LongCells,
  type LongTrafficJudge,
} from '../../../src-main/core/analysis/findings/long-incidents.ts';
import {
  LONG_SLOT_MS,
  MIN_SHORT_TIMED,
  SHORT_SLOT_MS,
  SHORT_SLOTS,
} from '../../../src-main/core/analysis/findings/long-series.ts';
import {
  FAILED,
  toFirstHour,
  type TrafficGrid,
} from '../../../src-main/core/analysis/findings/traffic-grid.ts';
import type { TrafficCells } from '../../../src-main/core/analysis/findings/traffic-cells.ts';
import { DAY_MS } from './simulated-rhythm.ts';
import { DIRECTIONS, type SimulatedMonth, type SimulatedRecord } from './simulated-traffic.ts';

/** An incident with the times of its edges in place of minutes. */
export interface FoundIncident extends JoinedIncident {
  readonly sinceMs: number;
  readonly endedMs: number | null;
}

/** What is seen in a simulation as of a time, before errors are looked at one by one. */
export interface SimulatedLook {
  readonly window: TimeSpan;
  readonly grids: readonly TrafficGrid[];
  readonly judged: JudgedPlaces;
  readonly long: LongTrafficJudge;
  find(): JoinedIncident[];
}

type ReadLook = (
  untilMs: number,
  /** Changes what came in the minutes of a direction. */
  change?: (direction: SimulatedRecord['direction'], cells: TrafficCells) => TrafficCells,
) => SimulatedLook;

/** Counts the records of a simulation as the engine does. */
export function prepareLook({ records, fromMs }: SimulatedMonth): ReadLook {
  const [hours, minutes] = [countBySlot(records, HOUR_MS), countBySlot(records, MINUTE_MS)];
  const weeks = countByHalfHour(records);
  return (untilMs, change = (_direction, cells) => cells) => {
    const window = { fromMs: Math.floor((untilMs - 1.5 * DAY_MS) / DAY_MS) * DAY_MS, toMs: untilMs };
    const covered = [{ fromMs, toMs: untilMs }];
    const grids = DIRECTIONS.map((direction) =>
      createTrafficGrid({
        direction,
        window,
        hours: hours[direction](toFirstHour(window), window.fromMs / HOUR_MS),
        minutes: change(direction, minutes[direction](window.fromMs / MINUTE_MS, untilMs / MINUTE_MS)),
        covered,
      }),
    );
    const firstSlot = toFirstSlot(window);
    const traffic = DIRECTIONS.map((direction) => ({
      direction,
      covered,
      cells: [weeks[direction](firstSlot, Math.floor(untilMs / LONG_SLOT_MS))],
    }));
    const judged = judgePlaces(grids);
    const long = judgeLongTraffic(traffic, window);
    const find = (): JoinedIncident[] => long.complete(joinIncidents(findIncidents(grids, judged), grids));
    return { window, grids, judged, long, find };
  };
}

/** Returns what finds incidents of a simulation as of a time. */
export function prepareSimulation(month: SimulatedMonth): (untilMs: number) => FoundIncident[] {
  const { records } = month;
  const look = prepareLook(month);
  const firstOf = new Map<string, number>();
  for (const { error, dateMs } of records)
    if (error !== '' && !firstOf.has(error)) firstOf.set(error, dateMs);
  const failing = records.filter(({ error }) => error !== '');
  return (untilMs) => {
    const { window, find } = look(untilMs);
    const families = failing
      .filter(
        ({ error, dateMs }) =>
          dateMs >= window.fromMs && dateMs < untilMs && (firstOf.get(error) ?? 0) >= window.fromMs,
      )
      .map(({ error, dateMs, direction, channel, service }) => ({
        pattern: error,
        direction,
        channel,
        service,
        minute: Math.floor((dateMs - window.fromMs) / MINUTE_MS),
        count: 1,
      }));
    const isLearned = (): boolean => true;
    return joinFamilies(find(), families, {
      minutes: Math.ceil((untilMs - window.fromMs) / MINUTE_MS),
      newMinutes: DAY_MS / MINUTE_MS,
      isLearned,
    }).map((incident) => ({
      ...incident,
      sinceMs: window.fromMs + incident.onset * MINUTE_MS,
      endedMs: incident.end === null ? null : window.fromMs + incident.end * MINUTE_MS,
    }));
  };
}

type ReadWeeks = (from: number, to: number) => LongCells;

function countByHalfHour(
  records: readonly SimulatedRecord[],
): Record<SimulatedRecord['direction'], ReadWeeks> {
  const toReadWeeks = (direction: SimulatedRecord['direction']): ReadWeeks => {
    const cells = new Map<string, number[]>();
    const shorts = new Map<number[], { requests: number; timed: number; logTimes: number }[]>();
    for (const record of records) {
      if (record.direction !== direction) continue;
      const slot = Math.floor(record.dateMs / LONG_SLOT_MS);
      const key = `${record.channel} ${record.service} ${slot}`;
      let cell = cells.get(key);
      if (cell === undefined) {
        cell = [record.channel, record.service, slot, 0, 0, 0];
        cells.set(key, cell);
        shorts.set(
          cell,
          Array.from({ length: SHORT_SLOTS }, () => ({ requests: 0, timed: 0, logTimes: 0 })),
        );
      }
      const isTimed = record.responseCode < 400;
      cell[3] = (cell[3] ?? 0) + 1;
      cell[4] = (cell[4] ?? 0) + (isTimed ? 1 : 0);
      const logTime = isTimed ? Math.log(1 + record.responseTimeMs) : 0;
      cell[5] = (cell[5] ?? 0) + logTime;
      const short = shorts.get(cell)?.[Math.floor(record.dateMs / SHORT_SLOT_MS) % SHORT_SLOTS];
      if (short === undefined) continue;
      short.requests += 1;
      short.timed += isTimed ? 1 : 0;
      short.logTimes += logTime;
    }
    for (const [cell, own] of shorts) {
      const requests = own.map((short) => short.requests);
      const slow = own.map(({ timed, logTimes }) =>
        timed >= MIN_SHORT_TIMED ? logTimes / timed : -Infinity,
      );
      const [most, slowest] = [Math.max(...requests), Math.max(...slow)];
      cell.push(most, Math.min(...requests), slowest === -Infinity ? NaN : slowest);
      cell.push(requests.indexOf(most), slow.indexOf(slowest));
    }
    const rows = [...cells.values()].sort((a, b) => (a[2] ?? 0) - (b[2] ?? 0));
    const column = (place: number): Float64Array => Float64Array.from(rows, (row) => row[place] ?? 0);
    const columns = {
      channels: column(0),
      services: column(1),
      slots: column(2),
      requests: column(3),
      timed: column(4),
      logTimes: column(5),
      most: column(6),
      fewest: column(7),
      slowest: column(8),
      mostAt: column(9),
      slowestAt: column(10),
    };
    return (from, to) => {
      const begin = columns.slots.findIndex((slot) => slot >= from);
      const after = columns.slots.findIndex((slot) => slot >= to);
      const [first, last] = [begin, after].map((place) => (place === -1 ? rows.length : place));
      const pick = (values: Float64Array): Float64Array => values.subarray(first, last);
      return {
        channels: pick(columns.channels),
        services: pick(columns.services),
        slots: pick(columns.slots),
        requests: pick(columns.requests),
        timed: pick(columns.timed),
        logTimes: pick(columns.logTimes),
        most: pick(columns.most),
        fewest: pick(columns.fewest),
        slowest: pick(columns.slowest),
        mostAt: pick(columns.mostAt),
        slowestAt: pick(columns.slowestAt),
      };
    };
  };
  return { inbound: toReadWeeks('inbound'), outbound: toReadWeeks('outbound') };
}

type ReadSlots = (from: number, to: number) => TrafficCells;

/** Cells as they are counted: a value of each is at its place in each list. */
interface Counted {
  readonly channels: number[];
  readonly services: number[];
  readonly slots: number[];
  readonly outcomes: number[];
  readonly counts: number[];
  /** Where the cells of each slot begin. */
  readonly begins: Map<number, number>;
  /** The places of the current slot's cells. */
  readonly places: Map<number, number>;
}

function countBySlot(
  records: readonly SimulatedRecord[],
  slotMs: number,
): Record<SimulatedRecord['direction'], ReadSlots> {
  const counted = { inbound: createCounted(), outbound: createCounted() };
  // Records come in the order of time: a slot that is left never comes again.
  for (const { direction, dateMs, channel, service, responseCode, responseTimeMs } of records) {
    const { channels, services, slots, outcomes, counts, begins, places } = counted[direction];
    const slot = Math.floor(dateMs / slotMs);
    if (slots.at(-1) !== slot) {
      begins.set(slot, slots.length);
      places.clear();
    }
    const outcome = responseCode >= 400 ? FAILED : Math.floor(2 * Math.log2(responseTimeMs + 1));
    const key = (channel * 100 + service) * 100 + outcome + 1;
    const place = places.get(key);
    if (place !== undefined) {
      counts[place] = (counts[place] ?? 0) + 1;
      continue;
    }
    places.set(key, slots.length);
    channels.push(channel);
    services.push(service);
    slots.push(slot);
    outcomes.push(outcome);
    counts.push(1);
  }
  return { inbound: toReader(counted.inbound), outbound: toReader(counted.outbound) };
}

function createCounted(): Counted {
  return {
    channels: [],
    services: [],
    slots: [],
    outcomes: [],
    counts: [],
    begins: new Map(),
    places: new Map(),
  };
}

/** Reads views of one set of columns: most of the week that a judgement reads was read by the one before. */
function toReader(counted: Counted): ReadSlots {
  const { begins } = counted;
  const channels = Float64Array.from(counted.channels);
  const services = Float64Array.from(counted.services);
  const slots = Float64Array.from(counted.slots);
  const outcomes = Float64Array.from(counted.outcomes);
  const counts = Float64Array.from(counted.counts);
  const toPlace = (slot: number): number => {
    for (let own = slot; own <= (slots.at(-1) ?? -1); own += 1) {
      const place = begins.get(own);
      if (place !== undefined) return place;
    }
    return slots.length;
  };
  return (from, to) => {
    const [begin, end] = [toPlace(from), toPlace(to)];
    return {
      channels: channels.subarray(begin, end),
      services: services.subarray(begin, end),
      slots: slots.subarray(begin, end),
      outcomes: outcomes.subarray(begin, end),
      counts: counts.subarray(begin, end),
    };
  };
}
