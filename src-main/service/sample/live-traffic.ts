import type { RecordStore } from '../store/record-store.ts';
import { NO_SIMULATION } from '../../common/model/simulation.ts';
import { simulateExchange, simulateRequests } from '../simulation/simulate-exchange.ts';
import type { SimulatedPlatform } from '../simulation/simulated-platform.ts';
import type { NewInboundRecord, NewOutboundRecord, TrafficBatch } from '../store/write-records.ts';
import { toPeakShare } from './daily-rhythm.ts';
import { drawSession, type SampleSession } from './draw-exchange.ts';
import type { Random } from './random.ts';

const SPAN_MS = 1_000;
const OPEN_SESSIONS = 60;
/** Share of requests that begin a session once some are open: sessions of about ten requests. */
const NEW_SESSION_SHARE = 0.1;

/** What may change new traffic. */
interface TrafficShaping {
  /** Changes what is about to be written. */
  readonly toArriving?: ((batch: TrafficBatch, random: Random) => TrafficBatch) | undefined;
  readonly platform?: Pick<SimulatedPlatform, 'simulation'>;
}

/** New sample traffic, one second at a time. What was not written while the service was off stays unwritten. */
export class LiveTraffic {
  readonly #store: RecordStore;
  readonly #random: Random;
  readonly #now: () => number;
  readonly #shaping: TrafficShaping;
  readonly #open: SampleSession[] = [];

  constructor(store: RecordStore, random: Random, now: () => number, shaping: TrafficShaping = {}) {
    this.#shaping = shaping;
    this.#store = store;
    this.#random = random;
    this.#now = now;
  }

  /** Writes the traffic of the last second: one inbound request, mostly two at the day's peak, unless simulated otherwise; none before a record already there. */
  writeSecond(): void {
    const toMs = this.#now();
    const fromMs = Math.max(toMs - SPAN_MS, this.#store.properties.getCounter('newest_ms') + 1);
    if (fromMs >= toMs) return;
    const inbound: NewInboundRecord[] = [];
    const outbound: NewOutboundRecord[] = [];
    let nextSession = this.#store.properties.getCounter('session');
    const simulation = this.#shaping.platform?.simulation ?? NO_SIMULATION;
    const usual = 1 + (this.#random() < toPeakShare(toMs) ? 1 : 0);
    const requests = simulateRequests(this.#random, usual, simulation);
    if (requests === 0) return;
    for (let index = 0; index < requests; index += 1) {
      let session = this.#tryPickOpen();
      if (session === undefined) {
        session = drawSession(this.#random, nextSession);
        nextSession += 1;
        this.#keepOpen(session);
      }
      const dateMs = fromMs + Math.floor(this.#random() * (toMs - fromMs));
      const exchange = simulateExchange(this.#random, session, dateMs, simulation);
      inbound.push(exchange.inbound);
      for (const record of exchange.outbound) {
        outbound.push({ ...record, dateMs: Math.min(record.dateMs, toMs - 1) });
      }
    }
    inbound.sort((a, b) => a.dateMs - b.dateMs);
    outbound.sort((a, b) => a.dateMs - b.dateMs);
    const batch = { inbound, outbound, nextSession };
    this.#store.writer.writeBatch(this.#shaping.toArriving?.(batch, this.#random) ?? batch);
  }

  #tryPickOpen(): SampleSession | undefined {
    if (this.#random() < NEW_SESSION_SHARE) return undefined;
    return this.#open[Math.floor(this.#random() * this.#open.length)];
  }

  #keepOpen(session: SampleSession): void {
    this.#open.push(session);
    if (this.#open.length > OPEN_SESSIONS) this.#open.shift();
  }
}
