import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type OpenMetricsContentType,
} from 'prom-client';
import type { RequestLogEntry } from '../http/request-log.ts';
import type { ConnectionCounts } from '../store/shared-state.ts';

/** Seconds. A page of a thousand records takes milliseconds; a request that waits in vain ends after five seconds. */
const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Why a request was refused, by the status of its response. */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [401, 'unauthorised'],
  [421, 'foreign host'],
  [429, 'slowed down'],
  [503, 'unavailable'],
]);

/** What is read at the moment of asking. */
export interface MeasuredStore {
  /** Null for a store without connections. */
  countConnections(): ConnectionCounts | null;
  /** Milliseconds since the newest inbound record; null while there is none, or it can't be read in time. */
  readLagMs(): Promise<number | null>;
}

export interface ServiceMetrics {
  readonly contentType: string;
  countRequest(entry: RequestLogEntry): void;
  watch(store: MeasuredStore): void;
  /** All figures in the text format of OpenMetrics 1.0. */
  write(): Promise<string>;
}

/** Figures of one process. */
export function createServiceMetrics(): ServiceMetrics {
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const registers = [registry];
  let store: MeasuredStore | null = null;
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'channelscope_requests',
    help: 'Requests by route and status.',
    labelNames: ['route', 'status'],
    registers,
  });
  const refusals = new Counter({
    name: 'channelscope_refusals',
    help: 'Requests that were refused, by reason.',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of [...REFUSALS.values(), 'malformed']) refusals.inc({ reason }, 0);
  const latencies = new Histogram({
    name: 'channelscope_request_duration_seconds',
    help: 'Time from the head of a request to the end of its response.',
    labelNames: ['route'],
    buckets: LATENCY_BUCKETS,
    registers,
  });
  new Gauge({
    name: 'channelscope_database_connections',
    help: 'Connections to the database, by state.',
    labelNames: ['state'],
    registers,
    collect() {
      const counts = store?.countConnections();
      if (!counts) return;
      this.set({ state: 'idle' }, counts.idle);
      this.set({ state: 'busy' }, counts.open - counts.idle);
    },
  });
  new Gauge({
    name: 'channelscope_database_waiting',
    help: 'Statements that wait for a connection.',
    registers,
    collect() {
      this.set(store?.countConnections()?.waiting ?? 0);
    },
  });
  new Gauge({
    name: 'channelscope_records_lag_seconds',
    help: 'Age of the newest inbound record, of every tenant that was asked for lately; NaN while it is not known.',
    registers,
    async collect() {
      const lagMs = (await store?.readLagMs()) ?? NaN;
      this.set(lagMs / 1000);
    },
  });
  return {
    contentType: registry.contentType,
    countRequest: ({ route, status, durationMs }) => {
      requests.inc({ route, status: String(status) });
      latencies.observe({ route }, durationMs / 1000);
      const reason = REFUSALS.get(status) ?? (status >= 400 && status < 500 ? 'malformed' : undefined);
      if (reason !== undefined) refusals.inc({ reason });
    },
    watch: (watched) => {
      store = watched;
    },
    write: () => registry.metrics(),
  };
}
