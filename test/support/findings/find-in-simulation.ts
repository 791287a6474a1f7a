import { HOUR_MS, MINUTE_MS } from '../../../src-main/common/time/durations.ts';
import { createTrafficGrid } from '../../../src-main/core/analysis/findings/create-traffic-grid.ts';
import { findIncidents } from '../../../src-main/core/analysis/findings/explain-incidents.ts';
import {
  joinIncidents,
  type JoinedIncident,
} from '../../../src-main/core/analysis/findings/join-incidents.ts';
import { joinFamilies } from '../../../src-main/core/analysis/findings/judge-families.ts';
import { FAILED, toFirstHour } from '../../../src-main/core/analysis/findings/traffic-grid.ts';
import { DAY_MS } from './simulated-rhythm.ts';
import { toTrafficCells, type TrafficCell } from './to-traffic-cells.ts';
import { DIRECTIONS, type SimulatedMonth, type SimulatedRecord } from './simulated-traffic.ts';

/** An incident with the times of its edges in place of minutes. */
export interface FoundIncident extends JoinedIncident {
  readonly sinceMs: number;
  readonly endedMs: number | null;
}

/** Counts the records of a simulation as the engine does, and returns what finds incidents as of a time. */
export function prepareSimulation({ records, fromMs }: SimulatedMonth): (untilMs: number) => FoundIncident[] {
  const [hours, minutes] = [countBySlot(records, HOUR_MS), countBySlot(records, MINUTE_MS)];
  const firstOf = new Map<string, number>();
  for (const { error, dateMs } of records)
    if (error !== '' && !firstOf.has(error)) firstOf.set(error, dateMs);
  const failing = records.filter(({ error }) => error !== '');
  return (untilMs) => {
    const window = { fromMs: Math.floor((untilMs - 1.5 * DAY_MS) / DAY_MS) * DAY_MS, toMs: untilMs };
    const grids = DIRECTIONS.map((direction) =>
      createTrafficGrid({
        direction,
        window,
        hours: toTrafficCells(hours[direction](toFirstHour(window), window.fromMs / HOUR_MS)),
        minutes: toTrafficCells(minutes[direction](window.fromMs / MINUTE_MS, untilMs / MINUTE_MS)),
        covered: [{ fromMs, toMs: untilMs }],
      }),
    );
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
    return joinFamilies(joinIncidents(findIncidents(grids)), families, {
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

type ReadSlots = (from: number, to: number) => TrafficCell[];

function countBySlot(
  records: readonly SimulatedRecord[],
  slotMs: number,
): Record<SimulatedRecord['direction'], ReadSlots> {
  const slots = { inbound: new Map<number, TrafficCell[]>(), outbound: new Map<number, TrafficCell[]>() };
  let cells = new Map<string, { count: number }>();
  let current = -1;
  // Records come in the order of time: a slot that is left never comes again.
  for (const { direction, dateMs, channel, service, responseCode, responseTimeMs } of records) {
    const slot = Math.floor(dateMs / slotMs);
    if (slot !== current) cells = new Map();
    current = slot;
    const outcome = responseCode >= 400 ? FAILED : Math.floor(2 * Math.log2(responseTimeMs + 1));
    const key = `${direction}|${channel}|${service}|${outcome}`;
    const known = cells.get(key);
    if (known !== undefined) {
      known.count += 1;
      continue;
    }
    const cell = { channel, service, slot, outcome, count: 1 };
    cells.set(key, cell);
    const own = slots[direction].get(slot);
    if (own === undefined) slots[direction].set(slot, [cell]);
    else own.push(cell);
  }
  const toReader =
    (own: ReadonlyMap<number, TrafficCell[]>): ReadSlots =>
    (from, to) => {
      const read: TrafficCell[] = [];
      for (let slot = from; slot < to; slot += 1) read.push(...(own.get(slot) ?? []));
      return read;
    };
  return { inbound: toReader(slots.inbound), outbound: toReader(slots.outbound) };
}
