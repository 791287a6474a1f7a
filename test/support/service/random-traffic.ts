import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { createServiceApp } from '../../../src-main/service/create-service-app.ts';
import { serveOneTenant } from '../../../src-main/service/tenants/served-tenant.ts';
import { createBareTenant } from './bare-tenant.ts';
import { DEFAULT_SERVICE_OPTIONS } from '../../../src-main/service/service-options.ts';
import { openSqliteStore } from '../../../src-main/service/store-sqlite/open-sqlite-store.ts';
import type { TrafficBatch } from '../../../src-main/service/store/record-store.ts';
import type { OpenStore } from './engines.ts';
import { toPeriod, type CalledService } from './service-calls.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Just before midnight, so that every kind of edge is near. */
const START_MS = Date.UTC(2026, 10, 18, 23, 58, 30);
const SPAN_MS = 3 * DAY_MS;

/** A service without sample traffic: what it holds is what a test writes. */
export interface BareService extends CalledService {
  /** The routes that there are, as a tree of text. */
  readonly routes: string;
  write(batch: TrafficBatch): Promise<void>;
  stop(): Promise<void>;
}

/** The store is one of SQLite unless another is given. */
export async function startBareService(openStore?: OpenStore): Promise<BareService> {
  const folder = await mkdtemp(join(tmpdir(), 'bare-'));
  const store = await (openStore?.() ?? openSqliteStore(folder));
  const errors: unknown[] = [];
  const now = (): number => START_MS + SPAN_MS;
  const app = createServiceApp({
    options: DEFAULT_SERVICE_OPTIONS,
    tenants: serveOneTenant(createBareTenant(store, now), () => Promise.resolve(false)),
    exampleTenant: 1001,
    isTransientError: store.isTransientError,
    now,
    elapsedMs: () => performance.now(),
    reportError: (error) => errors.push(error),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    tenant: 1001,
    routes: app.printRoutes({ commonPrefix: false }),
    write: store.writeBatch,
    stop: async () => {
      await app.close();
      await store.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      if (errors.length > 0) throw new AggregateError(errors, 'The service met errors');
    },
  };
}

/** A moment within three days, most of them on or next to the edge of a second, minute, hour or day. */
export const instantMs = fc
  .tuple(
    fc.integer({ min: 0, max: SPAN_MS }),
    fc.constantFrom(1, 1, SECOND_MS, MINUTE_MS, 60 * MINUTE_MS, DAY_MS),
    fc.constantFrom(-1, 0, 0, 1, 500),
  )
  .map(([offset, unit, beside]) => Math.floor((START_MS + offset) / unit) * unit + beside);

const record = fc.record({
  dateMs: instantMs,
  session: fc.integer({ min: 1, max: 9 }),
  channel: fc.integer({ min: 1, max: 3 }),
  service: fc.integer({ min: 1, max: 3 }),
  origin: fc.constantFrom('web', 'phone'),
  responseCode: fc.constantFrom(200, 500, 503),
  responseTimeUs: fc.integer({ min: 0, max: 90_000_000 }),
});

/** Up to 400 records in order of arrival, which is not always that of their dates. */
export const traffic = fc
  .tuple(
    fc.array(
      fc.tuple(record, fc.nat(5_000)).map(([each, botLatencyMs]) => ({ ...each, botLatencyMs })),
      { maxLength: 300, size: 'max' },
    ),
    fc.array(
      fc.tuple(record, fc.integer({ min: -1, max: 3 })).map(([each, actionId]) => ({ ...each, actionId })),
      { maxLength: 100, size: 'max' },
    ),
  )
  .map(([inbound, outbound]): TrafficBatch => ({ inbound, outbound }));

/** Ends of a period, first the earlier one, at whole seconds. */
export const ends = fc
  .tuple(instantMs, instantMs)
  .map(([a, b]): readonly [number, number] => [toSecond(Math.min(a, b)), toSecond(Math.max(a, b))]);

/** The period of all traffic. */
export const WHOLE = toPeriod(START_MS - DAY_MS, START_MS + SPAN_MS + DAY_MS);

function toSecond(epochMs: number): number {
  return Math.floor(epochMs / SECOND_MS) * SECOND_MS;
}
