import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DetailKind } from '../../src-main/common/reporting/reports.ts';
import { createRandom } from '../../src-main/service/sample/random.ts';
import { startPostgres, type PostgresServer } from '../support/service/postgres-server.ts';
import { toQuantile, toTimeFigure, type BenchFigure } from './figure.ts';
import { toReportBody, toReportPath } from './service-clients.ts';
import type { BenchPeriod } from './service-peers.ts';
import { readReport, startServiceProcess, type ServiceProcess } from './service-process.ts';

const BENCH = 'service on PostgreSQL';
const DAY_MS = 86_400_000;
const DAYS = 90;
const SMALL_SIZE = 10_000;
const PAGE_SIZE = 1_000;
const CALLS = 200;
const WARM_UP_CALLS = 50;
const [LARGE_TENANT, SMALL_TENANT] = [1001, 1002];
const SCHEMA = 'bench';
/** As an operator would set it on a machine of this size; what is written is on the disk when it is confirmed. */
const SETTINGS = ['fsync=on', 'shared_buffers=1GB', 'max_wal_size=8GB', 'checkpoint_timeout=15min'];

const GOALS = {
  recordsPerSecond: 100_000,
  /** Of SQLite's median in the same run. */
  pageRatio: 2.5,
  /** Of the median over 10,000 records. */
  flatRatio: 1.5,
  summaryMs: 25,
  /** A page of one day: that day, and the next one in part. */
  partitions: 2,
} as const;

/** The bundled service on a PostgreSQL of its own, beside the same records in SQLite. */
export async function* benchServiceDatabase(size: number): AsyncGenerator<BenchFigure> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const server = await startPostgres({ settings: SETTINGS });
  const services: ServiceProcess[] = [];
  const start = async (name: string, ...args: string[]): Promise<ServiceProcess> => {
    const environment = name === 'sqlite' ? {} : { DATABASE_URL: server.url };
    const all = ['--days', String(DAYS), '--no-live', '--database-schema', SCHEMA, ...args];
    const service = await startServiceProcess(join(folder, name), all, environment);
    services.push(service);
    return service;
  };
  try {
    await server.migrate(SCHEMA);
    const large = await start('large', '--records', String(size), '--tenant', String(LARGE_TENANT));
    const small = await start('small', '--records', String(SMALL_SIZE), '--tenant', String(SMALL_TENANT));
    const sqlite = await start('sqlite', '--records', String(size));
    // What the server does by itself within minutes.
    await server.run('VACUUM ANALYZE');
    const endMs = Math.floor(Date.now() / 1000) * 1000;
    const whole = { fromMs: endMs - DAYS * DAY_MS, toMs: endMs };
    yield* await benchWriting(large, whole);
    for (const report of ['inbound-detail', 'outbound-detail'] as const)
      yield* benchPages({ large, small, sqlite }, report, whole);
    yield* benchSummaries(large, whole);
    yield await benchPlan(server, whole);
    yield await measureSize(server);
  } finally {
    for (const service of services) await service.stop();
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function benchWriting(service: ServiceProcess, whole: BenchPeriod): Promise<BenchFigure[]> {
  let records = 0;
  for (const report of ['inbound-detail', 'outbound-detail'] as const) {
    records += readReport(await service.call(toReportPath(report), toReportBody(whole, 1))).totalDocument;
  }
  const toRate = (figure: string, ms: number, goal: number | null): BenchFigure => {
    const value = Math.round((records / ms) * 1000);
    return {
      ...toCount(figure, value, null),
      unit: 'records/s',
      goal,
      met: goal === null ? null : value >= goal,
    };
  };
  const figures = [
    toRate('records written by COPY, start included', service.startMs, GOALS.recordsPerSecond),
  ];
  // Tells more than the clock does while other work is going on; the database works at the same time.
  if (service.startCpuMs !== null)
    figures.push(toRate('the same, by processor time of the service', service.startCpuMs, null));
  return figures;
}

/** Pages from anywhere to the period's end, in turn from each service. */
async function* benchPages(
  services: Readonly<Record<'large' | 'small' | 'sqlite', ServiceProcess>>,
  report: DetailKind,
  whole: BenchPeriod,
): AsyncGenerator<BenchFigure> {
  const random = createRandom(1);
  const times = { large: [] as number[], small: [] as number[], sqlite: [] as number[] };
  for (let call = -WARM_UP_CALLS; call < CALLS; call += 1) {
    // Not so late that the small service has no whole page left.
    const fromMs = whole.fromMs + random() * 0.8 * (whole.toMs - whole.fromMs);
    const body = toReportBody({ fromMs, toMs: whole.toMs }, PAGE_SIZE);
    for (const name of ['large', 'small', 'sqlite'] as const) {
      const { ms } = await services[name].call(toReportPath(report), body);
      if (call >= 0) times[name].push(ms);
    }
  }
  const name = `${report}, page of ${PAGE_SIZE}`;
  const median = toQuantile(times.large, 0.5);
  const peer = { name: 'SQLite', valueMs: toQuantile(times.sqlite, 0.5) };
  yield toTimeFigure(BENCH, `${name}, median`, median, peer.valueMs * GOALS.pageRatio, peer);
  yield toTimeFigure(BENCH, `${name}, 99th percentile`, toQuantile(times.large, 0.99));
  const small = { name: `${SMALL_SIZE} records`, valueMs: toQuantile(times.small, 0.5) };
  yield toTimeFigure(BENCH, `${name}, to small`, median, small.valueMs * GOALS.flatRatio, small);
}

async function* benchSummaries(service: ServiceProcess, whole: BenchPeriod): AsyncGenerator<BenchFigure> {
  const random = createRandom(2);
  const draw = (fromMs: number): number =>
    Math.floor((fromMs + random() * (whole.toMs - fromMs)) / 1000) * 1000;
  const times: number[] = [];
  for (let call = -WARM_UP_CALLS; call < CALLS; call += 1) {
    const fromMs = draw(whole.fromMs);
    const body = toReportBody({ fromMs, toMs: draw(fromMs) + 1000 }, 10_000);
    const answer = await service.call(toReportPath('inbound-summary'), body);
    if (call >= 0) times.push(answer.ms);
  }
  yield toTimeFigure(BENCH, 'summary of any period, median', toQuantile(times, 0.5), GOALS.summaryMs);
  yield toTimeFigure(
    BENCH,
    'summary of any period, 99th percentile',
    toQuantile(times, 0.99),
    GOALS.summaryMs,
  );
}

/** What the plan of a page over one day touches. */
async function benchPlan(server: PostgresServer, whole: BenchPeriod): Promise<BenchFigure> {
  const fromMs = whole.fromMs + 40 * DAY_MS;
  const plan = await server.read(
    `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT * FROM ${SCHEMA}.inbound_record r
     WHERE r.tenant = ${LARGE_TENANT} AND r.date_ms >= ${fromMs} AND r.date_ms < ${fromMs + DAY_MS}
       AND (r.date_ms, r.arrival) > (${fromMs}, 0)
     ORDER BY r.date_ms, r.arrival LIMIT ${PAGE_SIZE + 1}`,
  );
  console.error(plan.replaceAll(/^/gm, '  '));
  const touched = new Set([...plan.matchAll(/ on (inbound_record_t\w+)/g)].map(([, name]) => name)).size;
  return toCount('partitions in the plan of a day', touched, GOALS.partitions);
}

async function measureSize(server: PostgresServer): Promise<BenchFigure> {
  const bytes = await server.read(
    `SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = '${SCHEMA}' AND c.relkind = 'r'`,
  );
  return { ...toCount('size of the database', Math.round(Number(bytes) / 1e6), null), unit: 'MB' };
}

/** A number with a goal that it must not exceed. */
function toCount(figure: string, value: number, goal: number | null): BenchFigure {
  const met = goal === null ? null : value <= goal;
  return { bench: BENCH, figure, value, unit: '', peer: null, peerValue: null, ratio: null, goal, met };
}
