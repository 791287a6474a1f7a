import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { EventArguments } from '../../../src-main/common/contract/index.ts';
import { SPECIFIED_REPORT_IDENTIFIERS, type DetailKind } from '../../../src-main/common/reporting/reports.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { dividePeriod } from '../../../src-main/core/analysis/divide-period.ts';
import { openCache } from '../../../src-main/core/cache/cache.ts';
import { createSnapshotReader } from '../../../src-main/core/cache/read/snapshot-rows.ts';
import { createReportingClient } from '../../../src-main/core/client/create-reporting-client.ts';
import type { SavedConnection } from '../../../src-main/core/connections/connection-file.ts';
import type { ConnectionStore } from '../../../src-main/core/connections/create-connections.ts';
import { createFetchQueue } from '../../../src-main/core/downloads/fetch-queue.ts';
import { createFollowing } from '../../../src-main/core/following/create-following.ts';
import { createServiceApp } from '../../../src-main/service/create-service-app.ts';
import { serveOneTenant } from '../../../src-main/service/tenants/served-tenant.ts';
import { createBareTenant } from '../service/bare-tenant.ts';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import { DEFAULT_SERVICE_OPTIONS } from '../../../src-main/service/service-options.ts';
import { openSqliteStore } from '../../../src-main/service/store-sqlite/open-sqlite-store.ts';
import { bundledScript } from '../programs/bundled-script.ts';
import { createSilentLogger } from '../fakes/silent-logger.ts';
import { createSkipClock } from '../fakes/skip-clock.ts';
import { downloadSpan } from './download-span.ts';
import { openLedger } from '../fakes/open-ledger.ts';

const MINUTE_MS = 60_000;

export interface FollowingRigOptions {
  readonly startMs: number;
  /** Inbound records, and as many outbound ones. */
  readonly recordsPerSecond: number;
  /** Share of records that arrive up to eight minutes after their time. */
  readonly lateShare: number;
  readonly change?: Partial<SavedConnection>;
}

/** The real service, its store and clock, and the real cache and client that follow it, in simulated time. */
export async function createFollowingRig(options: FollowingRigOptions) {
  const { startMs, lateShare } = options;
  let { recordsPerSecond } = options;
  const folder = await mkdtemp(join(tmpdir(), 'following-'));
  const file = join(folder, 'cache.sqlite');
  let nowMs = startMs;
  const now = (): number => nowMs;
  const clock = { ...createSkipClock(), now, sleep: () => Promise.resolve() };
  const store = openSqliteStore(join(folder, 'service'));
  const app = createServiceApp({
    tenants: serveOneTenant(createBareTenant(store, now), () => Promise.resolve(true)),
    exampleTenant: 1001,
    isTransientError: store.isTransientError,
    options: DEFAULT_SERVICE_OPTIONS,
    now,
    elapsedMs: () => performance.now(),
    reportError: (error) => {
      throw error;
    },
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const network = {
    /** Requests of reports that were let through, with the time of each. */
    calls: [] as { atMs: number; report: string; startDate: string }[],
    /** Responds in place of the service; undefined lets the request through. */
    answer: null as ((address: string) => Promise<Response> | Response | undefined) | null,
  };
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const address = input instanceof Request ? input.url : input.toString();
    if (address.includes('ExecuteReport') && typeof init?.body === 'string') {
      const { startDate } = JSON.parse(init.body) as { startDate: string };
      network.calls.push({ atMs: nowMs, report: address.slice(-36), startDate });
    }
    return (await network.answer?.(address)) ?? globalThis.fetch(input, init);
  };
  const saved = new Set<(connectionId: string) => void>();
  let connection: SavedConnection = {
    id: 'one',
    name: 'One',
    kind: 'remote',
    baseAddress: `http://127.0.0.1:${port}`,
    tenant: 1001,
    serviceZone: 'UTC',
    reportIdentifiers: SPECIFIED_REPORT_IDENTIFIERS,
    pageSize: 5_000,
    createdAtMs: 0,
    followed: true,
    followedSinceMs: startMs,
    ...options.change,
  };
  const createClient = () =>
    createReportingClient({
      target: { ...connection, connectionId: connection.id },
      secrets: () => Promise.resolve({ accessToken: 'user-part', accessTokenSecret: 'secret-part' }),
      fetch,
      clock,
      random: () => 0.5,
      logger: createSilentLogger(),
    });
  const events: EventArguments[] = [];
  const open = async () => {
    const cache = await openCache({
      file,
      workerUrl: bundledScript('cache-thread'),
      logger: createSilentLogger(),
      now,
    });
    const client = createClient();
    const connections: Pick<ConnectionStore, 'get' | 'clientFor' | 'listSaved' | 'watchSaved'> = {
      get: () => connection,
      clientFor: () => client,
      listSaved: () => [connection],
      watchSaved: (listener) => void saved.add(listener),
    };
    const ledger = openLedger(cache, {
      connections,
      now,
      findFollowed: (connectionId, report) => following.findPending(connectionId, report),
    });
    const following: ReturnType<typeof createFollowing> = createFollowing({
      cache,
      ledger,
      connections,
      emit: (...event) => void events.push(event),
      logger: createSilentLogger(),
      now,
      queue: createFetchQueue(now),
      random: () => 0.5,
    });
    const download = (span: TimeSpan): Promise<void> => downloadSpan({ cache, connections, now }, span);
    return { cache, ledger, following, download };
  };
  let running: Awaited<ReturnType<typeof open>> | null = await open();

  const random = createRandom(5);
  let writtenToMs = startMs;
  let session = 0;
  /** What happened until now arrives at the service; a part of it happened minutes ago. */
  const arrive = async (): Promise<void> => {
    const make = <Extra extends object>(extra: Extra) => {
      const isLate = random() < lateShare;
      const delayMs = isLate ? 30_000 + Math.floor(random() * 450_000) : 0;
      const dateMs = writtenToMs - delayMs + Math.floor(random() * (nowMs - writtenToMs));
      session += 1;
      const base = { dateMs, session, channel: 1, service: 2, origin: 'web', responseCode: 200 };
      return { ...base, responseTimeUs: 1_000, ...extra };
    };
    const count = Math.round((recordsPerSecond * (nowMs - writtenToMs)) / 1000);
    const byDate = <Record extends { dateMs: number }>(records: Record[]): Record[] =>
      records.sort((a, b) => a.dateMs - b.dateMs);
    await store.writeBatch({
      inbound: byDate(Array.from({ length: count }, () => make({ botLatencyMs: 5 }))),
      outbound: byDate(Array.from({ length: count }, () => make({ actionId: 1 }))),
    });
    writtenToMs = nowMs;
  };

  return {
    network,
    events,
    now,
    get following() {
      if (running === null) throw new Error('It is closed.');
      return running.following;
    },
    get cache() {
      if (running === null) throw new Error('It is closed.');
      return running.cache;
    },
    /** Downloads a span of both directions, as a person does. */
    download: async (span: TimeSpan): Promise<void> => running?.download(span),
    /** Time goes on in steps; the service gets its records, and whoever is open looks. */
    async pass(minutes: number, stepMs = 10_000): Promise<void> {
      const untilMs = nowMs + minutes * MINUTE_MS;
      while (nowMs < untilMs) {
        nowMs += stepMs;
        await arrive();
        await running?.following.look();
      }
    },
    /** The computer sleeps: the service goes on, and nobody looks. */
    async sleep(minutes: number): Promise<void> {
      nowMs += minutes * MINUTE_MS;
      await arrive();
    },
    /** An inbound record of that time arrives now. */
    async arriveLate(dateMs: number): Promise<void> {
      const record = { dateMs, session: 1, channel: 1, service: 2, origin: 'web' };
      const inbound = [{ ...record, responseCode: 200, responseTimeUs: 1_000, botLatencyMs: 5 }];
      await store.writeBatch({ inbound, outbound: [] });
    },
    /** From now on nothing happens at the service. */
    rest(): void {
      recordsPerSecond = 0;
    },
    async close(): Promise<void> {
      await running?.following.stop();
      await running?.cache.close();
      running = null;
    },
    async open(): Promise<void> {
      running = await open();
    },
    save(change: Partial<SavedConnection>): void {
      connection = { ...connection, ...change };
      for (const tell of saved) tell(connection.id);
    },
    /** The records of settled minutes, at the service and in the cache. */
    async readSettled(
      report: DetailKind,
    ): Promise<{ served: string[]; cached: string[]; settledToMs: number }> {
      const all = (await running?.cache.listSnapshots('one')) ?? [];
      const snapshots = all.filter((each) => each.report === report);
      const fromMs = Math.min(...snapshots.map(({ period }) => period.fromMs));
      const span = { fromMs, toMs: nowMs };
      const spans = (await running?.ledger.read({ connectionId: 'one', report }, span))?.spans ?? [];
      const settled = { fromMs, toMs: spans.find(({ state }) => state !== 'settled')?.fromMs ?? nowMs };
      const { segments } = await dividePeriod(snapshots, settled, (candidates, span) => {
        const counts = candidates.map(({ id }) => readDates(file, id, span).length);
        const place = counts.indexOf(Math.max(...counts));
        return Promise.resolve([{ ...span, snapshotId: candidates[place]?.id ?? 0 }]);
      });
      const cached = segments.flatMap(({ snapshotId, spans: own }) =>
        own.flatMap((each) => readDates(file, snapshotId, each)),
      );
      const { records } = await store.readDetailPage(report === 'inbound-detail' ? 'inbound' : 'outbound', {
        ...settled,
        after: null,
        limit: 10_000_000,
      });
      return {
        served: records.map(({ dateMs }) => String(dateMs)).sort(),
        cached: cached.sort(),
        settledToMs: settled.toMs,
      };
    },
    async stop(): Promise<void> {
      await this.close();
      await app.close();
      await store.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Dates of a snapshot's records in a span. */
function readDates(file: string, snapshotId: number, { fromMs, toMs }: TimeSpan): string[] {
  const database = new Database(file, { readonly: true });
  try {
    const { report } = createSnapshotReader(database).get(snapshotId);
    const table = report === 'inbound-detail' ? 'inbound_records' : 'outbound_records';
    const from = snapshotId * 2 ** 32;
    return database
      .prepare<[number, number, number, number], number>(
        `SELECT date_ms FROM ${table} WHERE record_id >= ? AND record_id < ? AND date_ms >= ? AND date_ms < ?`,
      )
      .pluck()
      .all(from, from + 2 ** 32, fromMs, toMs)
      .map(String);
  } finally {
    database.close();
  }
}
