import { NO_SIMULATION, type Simulation } from '../../common/model/simulation.ts';
import { simulateRequests, simulateTurn } from '../simulation/simulate-turn.ts';
import type { SimulatedPlatform } from '../simulation/simulated-platform.ts';
import type { RecordStore } from '../store/record-store.ts';
import type { NewInboundRecord, NewOutboundRecord, TrafficBatch } from '../store/records.ts';
import { toPeakShare } from './daily-rhythm.ts';
import { drawSession, type SampleSession } from './draw-turn.ts';
import type { Random } from './random.ts';

const SPAN_MS = 1_000;
const MAX_OPEN_SESSIONS = 60;
/** Share of requests that begin a session once some are open: sessions of about ten requests. */
const NEW_SESSION_SHARE = 0.1;

/** What may change new traffic. */
interface TrafficShaping {
  /** Changes what is about to be written. */
  readonly toArriving?: ((batch: TrafficBatch, random: Random) => TrafficBatch) | undefined;
  readonly platform?: Pick<SimulatedPlatform, 'read'>;
}

/** New sample traffic, one second at a time. What was not written while the service was off stays unwritten. */
export interface LiveTraffic {
  /**
   * Writes the traffic of the last second: one inbound request, mostly two at the day's peak, unless
   * simulated otherwise; none of a time that is written already. Not to be called again before it has ended.
   */
  writeSecond(): Promise<void>;
}

/** Goes on where the store says that sample traffic ended. */
export async function createLiveTraffic(
  store: RecordStore,
  random: Random,
  now: () => number,
  { toArriving, platform }: TrafficShaping = {},
): Promise<LiveTraffic> {
  const properties = await store.readProperties();
  let writtenUntilMs = Number(properties['live_until_ms'] ?? 0);
  let nextSession = Number(properties['next_session'] ?? 1);
  const openSessions: SampleSession[] = [];

  const pickSession = (): SampleSession => {
    const open = openSessions[Math.floor(random() * openSessions.length)];
    if (open !== undefined && random() >= NEW_SESSION_SHARE) return open;
    const session = drawSession(random, nextSession);
    nextSession += 1;
    openSessions.push(session);
    if (openSessions.length > MAX_OPEN_SESSIONS) openSessions.shift();
    return session;
  };
  const drawBatch = (
    requests: number,
    simulation: Simulation,
    fromMs: number,
    toMs: number,
  ): TrafficBatch => {
    const inbound: NewInboundRecord[] = [];
    const outbound: NewOutboundRecord[] = [];
    for (let index = 0; index < requests; index += 1) {
      const session = pickSession();
      const dateMs = fromMs + Math.floor(random() * (toMs - fromMs));
      const turn = simulateTurn(random, session, dateMs, simulation);
      inbound.push(turn.inbound);
      for (const record of turn.outbound) {
        outbound.push({ ...record, dateMs: Math.min(record.dateMs, toMs - 1) });
      }
    }
    inbound.sort((a, b) => a.dateMs - b.dateMs);
    outbound.sort((a, b) => a.dateMs - b.dateMs);
    return { inbound, outbound };
  };
  return {
    writeSecond: async () => {
      const toMs = now();
      const fromMs = Math.max(toMs - SPAN_MS, writtenUntilMs);
      if (fromMs >= toMs) return;
      const simulation = platform?.read().simulation ?? NO_SIMULATION;
      const usual = 1 + (random() < toPeakShare(toMs) ? 1 : 0);
      const requests = simulateRequests(random, usual, simulation);
      if (requests === 0) return;
      const batch = drawBatch(requests, simulation, fromMs, toMs);
      await store.writeBatch({
        ...(toArriving?.(batch, random) ?? batch),
        properties: { next_session: String(nextSession), live_until_ms: String(toMs) },
      });
      writtenUntilMs = toMs;
    },
  };
}
