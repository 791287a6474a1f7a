import { NO_SIMULATION, type Simulation } from '../../common/model/connections/local-service.ts';
import { DAY_MS, MINUTE_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import {
  type Conditions,
  drawLength,
  drawSession,
  drawTurn,
  findConditions,
  findVolume,
  MEAN_LENGTH,
  type SampleSession,
  type SampleTurn,
  SLOT_MS,
  toPeakShare,
  weighTraffic,
} from '../sample/draw-turn.ts';
import { listIncidents, type Incident } from '../sample/incidents.ts';
import type { Random } from '../sample/random.ts';
import type {
  RecordStore,
  NewInboundRecord,
  NewOutboundRecord,
  TrafficBatch,
} from '../store/record-store.ts';
import type { SimulatedPlatform } from './watch-platform.ts';

const SPAN_MS = 1_000;
/** Within a minute the rate hardly changes; an hour is written at once. */
const BATCH_MINUTES = 60;
/** A week off is made up for; so a day has its weekday before it to be compared with. */
const MAX_MISSED_MS = 7 * 86_400_000;
/** Keeps a start short however much traffic there is. */
const MAX_MISSED_REQUESTS = 100_000;
/** Seconds without a request are noted this often. */
const NOTE_EVERY_MS = 10_000;

/** What may change new traffic. */
interface TrafficShaping {
  /** Changes what is about to be written. */
  readonly toArriving?: ((batch: TrafficBatch, random: Random) => TrafficBatch) | undefined;
  readonly platform?: Pick<SimulatedPlatform, 'read'>;
  /** Requests a second; null or absent goes on at the rate of the history. */
  readonly perSecond?: number | null;
}

/** New sample traffic: what the time off would have had, then one second at a time. */
interface LiveTraffic {
  /**
   * Writes what would have come since `noteEnd`, or since the last of it was written: for at most the last
   * `MAX_MISSED_MS`, and about `MAX_MISSED_REQUESTS`. To be called before anybody can ask for records: none may
   * be late. Without a history, and after a silence whose end wasn't noted, nothing was missed.
   */
  writeMissed(): Promise<void>;
  /** Notes that records can be asked for while none are added, or that they are added again. */
  noteSilence(isSilent: boolean): Promise<void>;
  /** Notes that nobody can ask for records from now on. */
  noteEnd(): Promise<void>;
  /**
   * Writes the traffic of the last second, if there is any: as much as in the history at that hour of the
   * week, unless simulated otherwise; none of a time that is written already. Not to be called again before
   * it has ended.
   */
  writeSecond(): Promise<void>;
}

/** Goes on where the store says that sample traffic ended. */
export async function createLiveTraffic(
  store: RecordStore,
  random: Random,
  now: () => number,
  { toArriving, platform, perSecond = null }: TrafficShaping = {},
): Promise<LiveTraffic> {
  const properties = await store.readProperties();
  let writtenUntilMs = Number(properties['live_until_ms'] ?? 0);
  const endMs = Number(properties['history_end_ms'] ?? 0);
  const records = Number(properties['records'] ?? 0);
  const rateOf = createLiveRate({ records, days: Number(properties['days'] ?? 0), endMs, perSecond });
  const sessions = createLiveSessions(random, Number(properties['next_session'] ?? 1));

  const toUsual = (incidents: readonly Incident[], { fromMs, toMs }: TimeSpan): number =>
    rateOf(toMs) * ((toMs - fromMs) / SPAN_MS) * Math.max(1, findVolume(incidents, toMs, null));

  const drawBatch = (
    requests: number,
    simulation: Simulation,
    incidents: readonly Incident[],
    { fromMs, toMs }: TimeSpan,
  ): TrafficBatch => {
    const inbound: NewInboundRecord[] = [];
    const outbound: NewOutboundRecord[] = [];
    for (let index = 0; index < requests; index += 1) {
      const dateMs = fromMs + Math.floor(random() * (toMs - fromMs));
      const session = sessions.pick(dateMs);
      const volume = findVolume(incidents, dateMs, session.channel);
      if (volume < 1 && random() >= volume) continue;
      const usual = findConditions(incidents, dateMs, session.channel, session.service);
      const turn = simulateTurn(random, session, dateMs, { usual, simulation });
      inbound.push(turn.inbound);
      for (const record of turn.outbound) {
        outbound.push({ ...record, dateMs: Math.min(record.dateMs, toMs - 1) });
      }
    }
    inbound.sort((a, b) => a.dateMs - b.dateMs);
    outbound.sort((a, b) => a.dateMs - b.dateMs);
    return { inbound, outbound };
  };

  /** The missed time, the newest of it where there is too much. */
  const findMissedStart = (toMs: number): number => {
    const earliestMs = Math.max(writtenUntilMs, toMs - MAX_MISSED_MS);
    let fromMs = toMs;
    for (let requests = 0; fromMs > earliestMs && requests < MAX_MISSED_REQUESTS;) {
      requests += rateOf(fromMs) * (MINUTE_MS / SPAN_MS);
      fromMs = Math.max(earliestMs, fromMs - MINUTE_MS);
    }
    return fromMs;
  };

  const drawMissed = function* (startMs: number, endOfMissedMs: number): Generator<TrafficBatch> {
    for (let fromMs = startMs; fromMs < endOfMissedMs;) {
      const inbound: NewInboundRecord[] = [];
      const outbound: NewOutboundRecord[] = [];
      for (let minute = 0; minute < BATCH_MINUTES && fromMs < endOfMissedMs; minute += 1) {
        const toMs = Math.min(endOfMissedMs, fromMs + MINUTE_MS);
        const span = { fromMs, toMs };
        const incidents = listIncidents(endMs, fromMs, toMs);
        const requests = Math.floor(toUsual(incidents, span) + random());
        const batch = drawBatch(requests, NO_SIMULATION, incidents, span);
        inbound.push(...batch.inbound);
        outbound.push(...batch.outbound);
        fromMs = toMs;
      }
      yield { inbound, outbound, properties: toProperties(fromMs) };
    }
  };
  const toProperties = (untilMs: number): Record<string, string> => ({
    next_session: String(sessions.getNext()),
    live_until_ms: String(untilMs),
  });

  return {
    writeMissed: async () => {
      const toMs = now();
      if (records === 0 || properties['is_silent'] === '1' || writtenUntilMs >= toMs) return;
      await store.writeBatches(drawMissed(findMissedStart(toMs), toMs));
      writtenUntilMs = toMs;
    },
    noteSilence: (isSilent) => store.writeProperties({ is_silent: isSilent ? '1' : '0' }),
    noteEnd: () => store.writeProperties({ is_silent: '0', live_until_ms: String(now()) }),
    writeSecond: async () => {
      const toMs = now();
      const fromMs = Math.max(toMs - SPAN_MS, writtenUntilMs);
      if (fromMs >= toMs) return;
      const simulation = platform?.read().simulation ?? NO_SIMULATION;
      // Without a history there is nothing that incidents could stand out from.
      const incidents = records > 0 ? listIncidents(endMs, fromMs, toMs) : [];
      const span = { fromMs, toMs };
      const requests = simulateRequests(random, toUsual(incidents, span), simulation);
      if (requests === 0) {
        if (toMs - writtenUntilMs >= NOTE_EVERY_MS) {
          await store.writeProperties({ live_until_ms: String(toMs) });
          writtenUntilMs = toMs;
        }
        return;
      }
      const batch = drawBatch(requests, simulation, incidents, span);
      await store.writeBatch({
        ...(toArriving?.(batch, random) ?? batch),
        properties: toProperties(toMs),
      });
      writtenUntilMs = toMs;
    },
  };
}

/** What decides how much new traffic there is. */
interface RatePlan {
  /** Inbound records of the history. */
  readonly records: number;
  readonly days: number;
  readonly endMs: number;
  /** Requests a second, whatever the history; null goes on at its rate. */
  readonly perSecond: number | null;
}

/**
 * Inbound requests in a second of new traffic at an instant: as many as in the history at that hour of the
 * week, so that nothing shows where one ends and the other begins. Without a history, one or two.
 */
function createLiveRate({ records, days, endMs, perSecond }: RatePlan): (atMs: number) => number {
  if (perSecond !== null) return () => perSecond;
  const slots = Math.round((days * DAY_MS) / SLOT_MS);
  let weight = 0;
  for (let slot = 1; slot <= slots; slot += 1) weight += weighTraffic(endMs - slot * SLOT_MS);
  if (!(records > 0) || weight === 0) return (atMs) => 1 + toPeakShare(atMs);
  const share = (records / weight / SLOT_MS) * 1_000;
  return (atMs) => share * weighTraffic(atMs);
}

/** Whoever hasn't written for so long has left. */
const IDLE_MS = 300_000;
/** Looking through all of them for each request would take long where there are many. */
const SWEEP_EVERY_MS = 1_000;

interface OpenSession {
  readonly session: SampleSession;
  left: number;
  lastMs: number;
}

/** Sessions of new traffic: as many begin and as many requests has each as in the history. */
interface LiveSessions {
  /** The session whose request is next. */
  pick(atMs: number): SampleSession;
  /** The first session number that is still free. */
  getNext(): number;
}

/** Session numbers count on from `firstSession`. */
function createLiveSessions(random: Random, firstSession: number): LiveSessions {
  let nextSession = firstSession;
  let open: OpenSession[] = [];
  let sweptMs = -Infinity;
  const sweep = (atMs: number): void => {
    if (atMs - sweptMs < SWEEP_EVERY_MS) return;
    open = open.filter(({ lastMs }) => atMs - lastMs < IDLE_MS);
    sweptMs = atMs;
  };
  const goOn = (place: number, atMs: number): SampleSession | undefined => {
    const going = open[place];
    if (going === undefined) return undefined;
    going.left -= 1;
    going.lastMs = atMs;
    const last = open.at(-1);
    if (going.left === 0 && last !== undefined) {
      open[place] = last;
      open.pop();
    }
    return going.session;
  };
  return {
    pick: (atMs) => {
      sweep(atMs);
      const going = random() * MEAN_LENGTH >= 1 ? goOn(Math.floor(random() * open.length), atMs) : undefined;
      if (going !== undefined) return going;
      const session = drawSession(random, nextSession);
      nextSession += 1;
      const left = drawLength(random) - 1;
      if (left > 0) open.push({ session, left, lastMs: atMs });
      return session;
    },
    getNext: () => nextSession,
  };
}

const LIVE_EVERY_MS = 1_000;

/** Writes traffic once a second while it is on; a second is left out while the one before is being written. */
export function createLiveSwitch(traffic: LiveTraffic, reportError: (error: unknown) => void) {
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | null = null;
  let noting: Promise<void> = Promise.resolve();
  const write = (): void => {
    // A full disk must not end the service: what is stored can still be read.
    writing ??= traffic
      .writeSecond()
      .catch(reportError)
      .finally(() => {
        writing = null;
      });
  };
  const set = (live: boolean): void => {
    clearInterval(timer);
    timer = live ? setInterval(write, LIVE_EVERY_MS) : undefined;
    noting = noting.then(() => traffic.noteSilence(!live)).catch(reportError);
  };
  return {
    set,
    isOn: (): boolean => timer !== undefined,
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await Promise.all([writing, noting]);
    },
  };
}

/** The code that the connector returns while the platform is down, and callers while the connector is. */
const PLATFORM_DOWN_CODE = 502;
const CONNECTOR_DOWN_CODE = 503;
const BURST_CODE = 500;
const BY_CHANNEL = -1;

/**
 * One turn of new traffic, whose usual conditions a simulation changes. With the platform down every request fails at the
 * connector and nothing is sent; with the connector down every request fails, and so does what the platform
 * still sends to channels, while no action runs.
 */
function simulateTurn(
  random: Random,
  session: SampleSession,
  dateMs: number,
  { usual, simulation }: { readonly usual: Conditions; readonly simulation: Simulation },
): SampleTurn {
  const conditions = toConditions(session, usual, simulation);
  const turn = drawTurn(random, session, dateMs, conditions);
  if (simulation.platformDown) return { inbound: turn.inbound, outbound: [] };
  if (simulation.connectorDown) {
    const toChannels = turn.outbound.filter(({ actionId }) => actionId === BY_CHANNEL);
    return {
      inbound: turn.inbound,
      outbound: toChannels.map((record) => ({ ...record, responseCode: CONNECTOR_DOWN_CODE })),
    };
  }
  if (!isInBurst(session, simulation)) return turn;
  // Half of the share is drawn already; this adds the rest among what succeeded.
  const { failureShare } = conditions;
  const restShare = failureShare / (2 - failureShare);
  return {
    inbound: turn.inbound,
    outbound: turn.outbound.map((record) =>
      record.responseCode < 400 && random() < restShare ? { ...record, responseCode: BURST_CODE } : record,
    ),
  };
}

/** How many requests there are where `usual` are to be expected; it need not be a whole number. */
function simulateRequests(random: Random, usual: number, { trafficFactor }: Simulation): number {
  return Math.floor(usual * trafficFactor + random());
}

function toConditions(session: SampleSession, usual: Conditions, simulation: Simulation): Conditions {
  const slowed = { ...usual, slowdown: usual.slowdown * simulation.latencyFactor };
  const down = { ...slowed, failureShare: 1, outboundFailureShare: null };
  if (simulation.platformDown) return { ...down, failureCode: PLATFORM_DOWN_CODE };
  if (simulation.connectorDown) return { ...down, failureCode: CONNECTOR_DOWN_CODE };
  const { errorBurst } = simulation;
  if (errorBurst === null || !isInBurst(session, simulation)) return slowed;
  return { ...slowed, failureShare: Math.max(usual.failureShare, errorBurst.share) };
}

function isInBurst({ channel, service }: SampleSession, { errorBurst }: Simulation): boolean {
  if (errorBurst === null) return false;
  const isChannel = errorBurst.channel === null || errorBurst.channel === channel;
  return isChannel && (errorBurst.service === null || errorBurst.service === service);
}
