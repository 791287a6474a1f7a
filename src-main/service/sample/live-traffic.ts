import type { RecordStore } from '../store/record-store.ts';
import type { NewInboundRecord, NewOutboundRecord } from '../store/write-records.ts';
import { toEverydayConditions } from './conditions.ts';
import { drawExchange, drawSession, type SampleSession } from './draw-exchange.ts';
import type { Random } from './random.ts';

const SPAN_MS = 1_000;
const OPEN_SESSIONS = 24;

/** New sample traffic, one second at a time. What was not written while the service was off stays unwritten. */
export class LiveTraffic {
  readonly #store: RecordStore;
  readonly #random: Random;
  readonly #now: () => number;
  readonly #open: SampleSession[] = [];

  constructor(store: RecordStore, random: Random, now: () => number) {
    this.#store = store;
    this.#random = random;
    this.#now = now;
  }

  /** Writes the traffic of the last second, at least one inbound request; never before a record already there. */
  writeSecond(): void {
    const toMs = this.#now();
    const fromMs = Math.max(toMs - SPAN_MS, this.#store.properties.getCounter('newest_ms') + 1);
    if (fromMs >= toMs) return;
    const inbound: NewInboundRecord[] = [];
    const outbound: NewOutboundRecord[] = [];
    let nextSession = this.#store.properties.getCounter('session');
    const requests = 1 + (this.#random() < 0.4 ? 1 : 0);
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
    this.#store.writer.writeBatch({ inbound, outbound, nextSession });
  }

  #tryPickOpen(): SampleSession | undefined {
    return this.#random() < 0.7 ? this.#open[Math.floor(this.#random() * this.#open.length)] : undefined;
  }

  #keepOpen(session: SampleSession): void {
    this.#open.push(session);
    if (this.#open.length > OPEN_SESSIONS) this.#open.shift();
  }
}
