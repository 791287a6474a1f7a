import type { NewInboundRecord, NewOutboundRecord, TrafficBatch } from '../store/write-records.ts';
import { findConditions } from './conditions.ts';
import { weighTraffic } from './daily-rhythm.ts';
import { drawExchange, drawSession, type SampleSession } from './draw-exchange.ts';
import { createRandom, type Random } from './random.ts';
import { drawSurges } from './draw-surges.ts';

export interface HistoryPlan {
  /** Inbound records, exactly. */
  readonly records: number;
  readonly days: number;
  readonly seed: number;
  /** Every record is before this instant. */
  readonly endMs: number;
}

const DAY_MS = 86_400_000;
const SLOT_MS = 300_000;
const SLOTS = DAY_MS / SLOT_MS;

/**
 * The sample history, a day at a time and in order of date, so that memory doesn't grow with its length.
 * The same plan always gives the same records. Session numbers count from 1.
 */
export function* generateHistory(plan: HistoryPlan): Generator<TrafficBatch> {
  const random = createRandom(plan.seed);
  const starts = Array.from({ length: plan.days }, (_, day) => plan.endMs - (plan.days - day) * DAY_MS);
  const slots = starts.map(sumSlots);
  const weights = slots.map((sums) => sums.at(-1) ?? 0);
  const allWeights = weights.reduce((sum, weight) => sum + weight, 0);
  let weightSoFar = 0;
  let made = 0;
  let nextSession = 1;
  let carried = createDayRecords();
  for (const [day, startMs] of starts.entries()) {
    weightSoFar += weights[day] ?? 0;
    const isLast = day === starts.length - 1;
    const target = isLast ? plan.records : Math.round((plan.records * weightSoFar) / allWeights);
    const records = carried;
    carried = createDayRecords();
    nextSession = fillDay({
      random,
      plan,
      startMs,
      slotSums: slots[day] ?? [],
      quota: target - made,
      nextSession,
      today: records,
      tomorrow: isLast ? null : carried,
    });
    made = target;
    yield { inbound: sortByDate(records.inbound), outbound: sortByDate(records.outbound), nextSession };
  }
}

interface DayRecords {
  readonly inbound: NewInboundRecord[];
  readonly outbound: NewOutboundRecord[];
}

interface DayTask {
  readonly random: Random;
  readonly plan: HistoryPlan;
  readonly startMs: number;
  readonly slotSums: readonly number[];
  readonly quota: number;
  readonly nextSession: number;
  readonly today: DayRecords;
  /** Takes what runs past midnight; null on the last day, where it is moved before the end. */
  readonly tomorrow: DayRecords | null;
}

function fillDay(task: DayTask): number {
  const { random, plan } = task;
  let left = task.quota;
  let session = task.nextSession;
  if (task.tomorrow === null) {
    for (const start of drawSurges(random, task.quota, plan.endMs)) {
      fillSession(task, drawSession(random, session, start.place), start.atMs, start.requests);
      session += 1;
      left -= start.requests;
    }
  }
  while (left > 0) {
    const profile = drawSession(random, session);
    session += 1;
    const atMs = drawStart(random, task.startMs, task.slotSums);
    const length = Math.min(left, 1 + Math.floor(random() * random() * 12));
    left -= length;
    fillSession(task, profile, atMs, length);
  }
  return session;
}

function fillSession(task: DayTask, profile: SampleSession, startMs: number, requests: number): void {
  const { random, plan } = task;
  let atMs = startMs;
  for (let index = 0; index < requests; index += 1) {
    const dateMs = task.tomorrow === null ? keepBeforeEnd(random, atMs, plan.endMs) : atMs;
    const conditions = findConditions(plan.endMs - dateMs, profile.channel, profile.service);
    const exchange = drawExchange(random, profile, dateMs, conditions);
    place(task, exchange.inbound, 'inbound');
    for (const outbound of exchange.outbound) place(task, outbound, 'outbound');
    atMs += Math.floor(3_000 + random() * random() * 90_000);
  }
}

function place<K extends keyof DayRecords>(task: DayTask, record: DayRecords[K][number], kind: K): void {
  const { today, tomorrow } = task;
  const list: DayRecords[K][number][] =
    tomorrow !== null && record.dateMs >= task.startMs + DAY_MS ? tomorrow[kind] : today[kind];
  list.push(tomorrow === null ? { ...record, dateMs: Math.min(record.dateMs, task.plan.endMs - 1) } : record);
}

// A minute is enough to spread them; the answer's own requests still fit before the end.
function keepBeforeEnd(random: Random, atMs: number, endMs: number): number {
  return atMs < endMs - 1_000 ? atMs : endMs - 1_000 - Math.floor(random() * 60_000);
}

function sumSlots(startMs: number): number[] {
  let sum = 0;
  return Array.from({ length: SLOTS }, (_, slot) => (sum += weighTraffic(startMs + slot * SLOT_MS)));
}

function drawStart(random: Random, startMs: number, slotSums: readonly number[]): number {
  const wanted = random() * (slotSums.at(-1) ?? 0);
  let low = 0;
  let high = slotSums.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((slotSums[middle] ?? 0) > wanted) high = middle;
    else low = middle + 1;
  }
  return startMs + low * SLOT_MS + Math.floor(random() * SLOT_MS);
}

function createDayRecords(): DayRecords {
  return { inbound: [], outbound: [] };
}

function sortByDate<T extends { readonly dateMs: number }>(records: T[]): T[] {
  return records.sort((a, b) => a.dateMs - b.dateMs);
}
