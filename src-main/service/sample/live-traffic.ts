import type { RecordStore } from '../store/record-store.ts';
import type { NewInboundRecord, NewOutboundRecord, TrafficBatch } from '../store/write-records.ts';
import { toEverydayConditions } from './conditions.ts';
import { toPeakShare } from './daily-rhythm.ts';
import { drawExchange, drawSession, type SampleSession } from './draw-exchange.ts';
import type { Random } from './random.ts';

const SPAN_MS = 1_000;
const OPEN_SESSIONS = 60;
/** Share of requests that begin a session once some are open: sessions of about ten requests. */
const NEW_SESSION_SHARE = 0.1;

/** New sample traffic, one second at a time. What was not written while the service was off stays unwritten. */
export class LiveTraffic {
  readonly #store: RecordStore;
  readonly #random: Random;
  readonly #now: () => number;
  readonly #toArriving: (batch: TrafficBatch, random: Random) => TrafficBatch;
  readonly #open: SampleSession[] = [];

  /** `toArriving` may change what is about to be written. */
  constructor(
    store: RecordStore,
    random: Random,
    now: () => number,
    toArriving: (batch: TrafficBatch, random: Random) => TrafficBatch = (batch) => batch,
  ) {
    this.#toArriving = toArriving;
    this.#store = store;
    this.#random = random;
    this.#now = now;
  }

  /** Writes the traffic of the last second: one inbound request, mostly two at the day's peak, none before a record already there. */
  writeSecond(): void {
    const toMs = this.#now();
    const fromMs = Math.max(toMs - SPAN_MS, this.#store.properties.getCounter('newest_ms') + 1);
    if (fromMs >= toMs) return;
    const inbound: NewInboundRecord[] = [];
    const outbound: NewOutboundRecord[] = [];
    let nextSession = this.#store.properties.getCounter('session');
    const requests = 1 + (this.#random() < toPeakShare(toMs) ? 1 : 0);
    for (let index = 0; index < requests; index += 1) {
      let session = this.#tryPickOpen();
      if (session === undefined) {
        session = drawSession(this.#random, nextSession);
        nextSession += 1;
        this.#keepOpen(session);
      }
      const dateMs = fromMs + Math.floor(this.#random() * (toMs - fromMs));
      const exchange = drawExchange(this.#random, session, dateMs, toEverydayConditions(session.service));
      inbound.push(exchange.inbound);
      for (const record of exchange.outbound) {
        outbound.push({ ...record, dateMs: Math.min(record.dateMs, toMs - 1) });
      }
    }
    inbound.sort((a, b) => a.dateMs - b.dateMs);
    outbound.sort((a, b) => a.dateMs - b.dateMs);
    this.#store.writer.writeBatch(this.#toArriving({ inbound, outbound, nextSession }, this.#random));
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
