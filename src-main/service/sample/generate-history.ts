import { DAY_MS } from '../../common/time/durations.ts';
import { toStartError } from '../service-options.ts';
import type {
  RecordStore,
  NewInboundRecord,
  NewOutboundRecord,
  TrafficBatch,
} from '../store/record-store.ts';
import {
  createSlotSums,
  drawLength,
  drawSession,
  drawSlot,
  drawTurn,
  findConditions,
  findLargestVolume,
  findVolume,
  type SampleSession,
  SLOT_MS,
} from './draw-turn.ts';
import { listIncidents, type Incident } from './incidents.ts';
import { createRandom, type Random } from './random.ts';
import { ORIGINS } from './describe-records.ts';

interface HistoryPlan {
  /** Inbound records, exactly. */
  readonly records: number;
  readonly days: number;
  readonly seed: number;
  /** Every record is before this instant. */
  readonly endMs: number;
}

/** A session that runs past midnight does so by less. */
const LONGEST_SESSION_MS = 3_600_000;

/** A part of one day of the history. */
interface HistoryBatch extends TrafficBatch {
  /** Days count from 0. */
  readonly day: number;
  readonly isLastOfDay: boolean;
  /** The first session number that is still free. */
  readonly nextSession: number;
}

/** Inbound records at most: what is held as objects at once. */
const BATCH_RECORDS = 4_000;

/**
 * The sample history in order of date, made a day at a time, so that memory doesn't grow with its length.
 * The same plan always gives the same records. Session numbers count from 1.
 */
export function* generateHistory(plan: HistoryPlan): Generator<HistoryBatch> {
  const random = createRandom(plan.seed);
  const starts = Array.from({ length: plan.days }, (_, day) => plan.endMs - (plan.days - day) * DAY_MS);
  const incidents = starts.map((startMs) =>
    listIncidents(plan.endMs, startMs, startMs + DAY_MS + LONGEST_SESSION_MS),
  );
  const slots = starts.map((startMs, day) => createSlotSums(startMs, DAY_MS, incidents[day] ?? []));
  const weights = slots.map((sums) => sums.at(-1) ?? 0);
  const allWeights = weights.reduce((sum, weight) => sum + weight, 0);
  let weightSoFar = 0;
  let made = 0;
  let nextSession = 1;
  const today = createDay(starts[0] ?? 0);
  let carried = createDay(starts[0] ?? 0);
  for (const [day, startMs] of starts.entries()) {
    weightSoFar += weights[day] ?? 0;
    const isLast = day === starts.length - 1;
    const target = isLast ? plan.records : Math.round((plan.records * weightSoFar) / allWeights);
    today.inbound.restart(carried.inbound);
    today.outbound.restart(carried.outbound);
    carried = createDay(startMs + DAY_MS);
    nextSession = fillDay({
      random,
      plan,
      startMs,
      incidents: incidents[day] ?? [],
      slotSums: slots[day] ?? [],
      quota: target - made,
      nextSession,
      today,
      tomorrow: isLast ? null : carried,
    });
    made = target;
    yield* cutDay(today, day, nextSession);
  }
}

interface Day {
  readonly inbound: DayRecords;
  readonly outbound: DayRecords;
}

function* cutDay({ inbound, outbound }: Day, day: number, nextSession: number): Generator<HistoryBatch> {
  const [inboundOrder, outboundOrder] = [inbound.sortByDate(), outbound.sortByDate()];
  const parts = Math.max(1, Math.ceil(inbound.getLength() / BATCH_RECORDS));
  const cut = <T>(order: Float64Array, part: number, read: (index: number) => T): T[] => {
    const toPlace = (end: number): number => Math.floor((order.length * end) / parts);
    return Array.from(order.subarray(toPlace(part), toPlace(part + 1)), read);
  };
  for (let part = 0; part < parts; part += 1) {
    yield {
      inbound: cut(inboundOrder, part, (index) => inbound.readInbound(index)),
      outbound: cut(outboundOrder, part, (index) => outbound.readOutbound(index)),
      nextSession,
      day,
      isLastOfDay: part === parts - 1,
    };
  }
}

interface DayTask {
  readonly random: Random;
  readonly plan: HistoryPlan;
  readonly startMs: number;
  /** Those that the day's sessions can meet. */
  readonly incidents: readonly Incident[];
  readonly slotSums: readonly number[];
  readonly quota: number;
  readonly nextSession: number;
  readonly today: Day;
  /** Takes what runs past midnight; null on the last day, where it is moved before the end. */
  readonly tomorrow: Day | null;
}

function fillDay(task: DayTask): number {
  const { random, plan, startMs, incidents, quota } = task;
  const hasVolumes = incidents.some(({ volume }) => volume !== undefined);
  let left = quota;
  let session = task.nextSession;
  const toMs = Math.min(startMs + DAY_MS, plan.endMs);
  for (const start of drawRetries(random, incidents, quota, { fromMs: startMs, toMs })) {
    left -= fillSession(task, drawSession(random, session, start.place), start.atMs, start.requests);
    session += 1;
  }
  while (left > 0) {
    const profile = drawSession(random, session);
    const atMs = drawStart(task);
    if (hasVolumes && !isTaken(task, atMs, profile.channel)) continue;
    session += 1;
    left -= fillSession(task, profile, atMs, Math.min(left, drawLength(random)));
  }
  return session;
}

/** Places the requests of a session until its channel falls silent, and returns how many those are. */
function fillSession(task: DayTask, profile: SampleSession, startMs: number, requests: number): number {
  const { random, plan, incidents } = task;
  let atMs = startMs;
  for (let index = 0; index < requests; index += 1) {
    const dateMs = task.tomorrow === null ? keepBeforeEnd(random, atMs, plan.endMs) : atMs;
    if (index > 0 && findVolume(incidents, dateMs, profile.channel) === 0) return index;
    const conditions = findConditions(incidents, dateMs, profile.channel, profile.service);
    const turn = drawTurn(random, profile, dateMs, conditions);
    const { inbound } = turn;
    place(task, 'inbound', inbound, inbound.botLatencyMs);
    for (const outbound of turn.outbound) place(task, 'outbound', outbound, outbound.actionId);
    atMs += Math.floor(3_000 + random() * random() * 90_000);
  }
  return requests;
}

function drawStart({ random, startMs, slotSums }: DayTask): number {
  return startMs + drawSlot(random, slotSums) * SLOT_MS + Math.floor(random() * SLOT_MS);
}

/** Whether a session begins there: the slot is weighed by the largest volume that it may have. */
function isTaken({ random, startMs, incidents }: DayTask, atMs: number, channel: number): boolean {
  const slotMs = startMs + Math.floor((atMs - startMs) / SLOT_MS) * SLOT_MS;
  const largest = findLargestVolume(incidents, slotMs);
  return random() * largest < findVolume(incidents, atMs, channel);
}

function place(
  { today, tomorrow, plan, startMs }: DayTask,
  kind: keyof Day,
  record: Omit<NewInboundRecord, 'botLatencyMs'>,
  detail: number,
): void {
  if (tomorrow === null) today[kind].add(record, Math.min(record.dateMs, plan.endMs - 1), detail);
  else (record.dateMs < startMs + DAY_MS ? today : tomorrow)[kind].add(record, record.dateMs, detail);
}

// A minute is enough to spread them; their outbound requests still fit before the end.
function keepBeforeEnd(random: Random, atMs: number, endMs: number): number {
  return atMs < endMs - 1_000 ? atMs : endMs - 1_000 - Math.floor(random() * 60_000);
}

function createDay(startMs: number): Day {
  return { inbound: createDayRecords(startMs), outbound: createDayRecords(startMs) };
}

/** What inbound and outbound records have in common. */
type SharedRecord = Omit<NewInboundRecord, 'botLatencyMs'>;

/** Records of one day and one direction. `detail` is the field that only one direction has. */
interface DayRecords {
  getLength(): number;
  add(record: SharedRecord, dateMs: number, detail: number): void;
  /** Begins another day with what was kept for it. */
  restart(other: DayRecords): void;
  /** Places of the records, oldest first and otherwise in the order they were added. */
  sortByDate(): Float64Array;
  readInbound(index: number): NewInboundRecord;
  readOutbound(index: number): NewOutboundRecord;
  /** What `restart` takes over. */
  getContent(): { readonly startMs: number; readonly values: Int32Array };
}

const COLUMNS = 6;
const FIRST_CAPACITY = 1024;
const ORIGIN_IDS = new Map<string, number>(ORIGINS.map((origin, index) => [origin, index]));

/** Keeps records as whole numbers side by side: a day of a large history would be a hundred megabytes of objects. */
function createDayRecords(firstDayMs: number): DayRecords {
  let values = new Int32Array(COLUMNS * FIRST_CAPACITY);
  let length = 0;
  let startMs = firstDayMs;

  /** Makes room and returns where the first of the new records begins. */
  const reserve = (records: number): number => {
    const at = length * COLUMNS;
    length += records;
    let capacity = values.length;
    while (capacity < length * COLUMNS) capacity *= 2;
    if (capacity > values.length) {
      const grown = new Int32Array(capacity);
      grown.set(values);
      values = grown;
    }
    return at;
  };
  const readShared = (index: number): SharedRecord => {
    const at = index * COLUMNS;
    const place = values[at + 2] ?? 0;
    return {
      dateMs: startMs + (values[at] ?? 0),
      session: values[at + 1] ?? 0,
      channel: place & 0xff,
      service: (place >> 8) & 0xff,
      origin: ORIGINS[place >> 16] ?? ORIGINS[0],
      responseCode: values[at + 3] ?? 0,
      responseTimeUs: values[at + 4] ?? 0,
    };
  };
  return {
    getLength: () => length,
    add: (record, dateMs, detail) => {
      const at = reserve(1);
      values[at] = dateMs - startMs;
      values[at + 1] = record.session;
      values[at + 2] = record.channel | (record.service << 8) | ((ORIGIN_IDS.get(record.origin) ?? 0) << 16);
      values[at + 3] = record.responseCode;
      values[at + 4] = record.responseTimeUs;
      values[at + 5] = detail;
    },
    restart: (other) => {
      const content = other.getContent();
      length = 0;
      startMs = content.startMs;
      const at = reserve(content.values.length / COLUMNS);
      values.set(content.values, at);
    },
    sortByDate: () => {
      const count = length;
      // Date and place in one number: plain numbers are sorted without a call for each comparison.
      const keys = Float64Array.from({ length: count }, (_, index) => {
        return (values[index * COLUMNS] ?? 0) * count + index;
      }).sort();
      return keys.map((key) => key % count);
    },
    readInbound: (index) => ({ ...readShared(index), botLatencyMs: values[index * COLUMNS + 5] ?? 0 }),
    readOutbound: (index) => ({ ...readShared(index), actionId: values[index * COLUMNS + 5] ?? 0 }),
    getContent: () => ({ startMs, values: values.subarray(0, length * COLUMNS) }),
  };
}

/** A session of people who try again because their requests fail or take long. */
interface RetryStart {
  readonly place: { readonly channel?: number; readonly service?: number };
  readonly atMs: number;
  readonly requests: number;
}

const LONGEST_SESSION = 4;
/** Each incident's retries take at most a fortieth of the day's requests, however small the history. */
const DAY_PARTS = 40;

/**
 * Where requests of a day go wrong, people try again: otherwise a quiet hour would hold too few requests for anyone
 * to notice. Only what begins from `fromMs` on, and up to `toMs`.
 */
function drawRetries(
  random: Random,
  incidents: readonly Incident[],
  dayRequests: number,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): RetryStart[] {
  return incidents.flatMap((incident) => {
    const { channel, service, retries = 0 } = incident;
    const starts: RetryStart[] = [];
    if (incident.fromMs < fromMs || incident.fromMs >= toMs) return starts;
    const lengthMs = Math.min(incident.toMs, toMs) - incident.fromMs;
    const place = {
      ...(channel === undefined ? {} : { channel }),
      ...(service === undefined ? {} : { service }),
    };
    let left = Math.min(retries, Math.floor(dayRequests / DAY_PARTS));
    while (left > 0) {
      const requests = Math.min(left, 1 + Math.floor(random() * LONGEST_SESSION));
      left -= requests;
      starts.push({ place, atMs: Math.floor(incident.fromMs + random() * lengthMs), requests });
    }
    return starts;
  });
}

interface FillRequest {
  readonly tenant: number;
  readonly records: number;
  readonly days: number;
  readonly seed: number;
  readonly nowMs: number;
}

/**
 * Fills an empty store with the sample history that ends at this second; a filled one is left as it is.
 * Each part of a day is one batch together with how far the history has come, so a start that was cut short
 * is continued with the same plan. Returns the seed of the sample records. Throws AppError
 * `local-service.start-failed` when the folder belongs to another tenant.
 */
export async function fillStore(store: RecordStore, request: FillRequest): Promise<number> {
  const { tenant } = await store.readProperties();
  if (tenant !== undefined && tenant !== String(request.tenant)) {
    throw toStartError(`The data folder holds the records of tenant ${tenant}, not ${request.tenant}.`);
  }
  if (tenant === undefined) {
    const endMs = String(Math.floor(request.nowMs / 1000) * 1000);
    await store.writeProperties({
      tenant: String(request.tenant),
      records: String(request.records),
      days: String(request.days),
      seed: String(request.seed),
      history_end_ms: endMs,
      live_until_ms: endMs,
      days_written: '0',
    });
  }
  const properties = await store.readProperties();
  const plan = {
    records: Number(properties['records']),
    days: Number(properties['days']),
    seed: Number(properties['seed']),
    endMs: Number(properties['history_end_ms']),
  };
  const daysWritten = Number(properties['days_written']);
  if (daysWritten < plan.days) {
    await store.writeBatches(generateRest(plan, daysWritten, Number(properties['parts_written'] ?? 0)));
  }
  return plan.seed;
}

/** The history from where it was cut short. */
function* generateRest(
  plan: HistoryPlan,
  daysWritten: number,
  partsWritten: number,
): Generator<TrafficBatch> {
  let partsToSkip = partsWritten;
  let parts = 0;
  for (const { day, isLastOfDay, nextSession, inbound, outbound } of generateHistory(plan)) {
    if (day < daysWritten) continue;
    parts = isLastOfDay ? 0 : parts + 1;
    if (partsToSkip > 0) {
      partsToSkip -= 1;
      continue;
    }
    const properties = {
      days_written: String(isLastOfDay ? day + 1 : day),
      parts_written: String(parts),
      next_session: String(nextSession),
    };
    yield { inbound, outbound, properties };
  }
}
