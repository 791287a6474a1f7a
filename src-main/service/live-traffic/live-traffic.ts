import { NO_SIMULATION, type Simulation } from '../../common/model/connections/simulation.ts';
import { simulateRequests, simulateTurn } from '../simulation/simulate-turn.ts';
import type { SimulatedPlatform } from '../simulation/simulated-platform.ts';
import type { RecordStore } from '../store/record-store.ts';
import type { NewInboundRecord, NewOutboundRecord, TrafficBatch } from '../store/records.ts';
import { findConditions, findVolume } from '../sample/conditions.ts';
import { listIncidents, type Incident } from '../sample/incidents.ts';
import { createLiveRate } from './live-rate.ts';
import { createLiveSessions } from './live-sessions.ts';
import type { Random } from '../sample/random.ts';
import { MINUTE_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';

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
export interface LiveTraffic {
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
