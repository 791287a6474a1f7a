import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '../../src-main/service/sample/random.ts';
import { toDatabasePath } from '../../src-main/service/store-sqlite/schema.ts';
import { killRepeatedly } from '../support/service/kill-service.ts';
import { toQuantile, toTimeFigure, type BenchFigure, type BenchOptions } from './figure.ts';
import { benchServiceDatabase } from './service-database.ts';
import { runMixedLoad, toReportBody, toReportPath } from './service-clients.ts';
import { timeGroupBy, tryTimeDuckDb, type BenchPeriod } from './service-peers.ts';
import { readReport, startServiceProcess, type ServiceProcess } from './service-process.ts';

const BENCH = 'service';
const DAY_MS = 86_400_000;
const DAYS = 90;
const SMALL_SIZE = 10_000;
const PAGE_SIZE = 1000;
const CALLS = 200;
const WARM_UP_CALLS = 50;
const PEER_PERIODS = 15;
const CLIENTS = 64;
// From this size on, the load lasts a minute and the service is killed fifty times.
const LARGE_SIZE = 1_000_000;

const GOALS = {
  startMs: 5000,
  pageMs: 8,
  pageRatio: 1.5,
  // Room for noise only: the same work is measured.
  firstPageRatio: 1.1,
  summaryMs: 15,
  recordsPerSecond: 150_000,
  peakMb: 300,
} as const;

/** The bundled service with `size` inbound records of 90 days, in a process of its own and over HTTP. */
export async function* benchService({ size, database }: BenchOptions): AsyncGenerator<BenchFigure> {
  if (database === 'postgres') {
    yield* benchServiceDatabase(size);
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  try {
    yield* benchStarts(join(folder, 'default'));
    yield* benchStore(join(folder, 'large'), join(folder, 'small'), size);
    yield await benchKills(size >= LARGE_SIZE ? 50 : 10);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A start as it is without options: 200,000 inbound records of 30 days. */
async function* benchStarts(folder: string): AsyncGenerator<BenchFigure> {
  for (const name of ['first start, default history', 'second start']) {
    const service = await startServiceProcess(folder, []);
    yield toTimeFigure(BENCH, name, service.startMs, GOALS.startMs);
    await service.stop();
  }
}

async function* benchStore(folder: string, smallFolder: string, size: number): AsyncGenerator<BenchFigure> {
  // Live traffic keeps on while everything is measured.
  const service = await startServiceProcess(folder, ['--records', String(size), '--days', String(DAYS)]);
  const small = await startServiceProcess(smallFolder, [
    '--records',
    String(SMALL_SIZE),
    '--days',
    String(DAYS),
  ]);
  const endMs = Math.floor(Date.now() / 1000) * 1000;
  const whole = { fromMs: endMs - DAYS * DAY_MS, toMs: endMs };
  const periods = drawPeriods(whole);
  let summaries: { ms: number; groups: number }[];
  try {
    yield* await benchWriting(service, whole);
    yield* benchPages(service, small, whole);
    summaries = await timeSummaries(service, periods);
    const times = summaries.map(({ ms }) => ms);
    yield* toFigures('summary of any period', times, GOALS.summaryMs);
    yield* await benchClients(service, whole, size);
    yield* toMemoryFigures(service);
  } finally {
    await Promise.all([service.stop(), small.stop()]);
  }
  yield* benchPeers(toDatabasePath(folder), periods, summaries);
}

async function benchWriting(service: ServiceProcess, whole: BenchPeriod): Promise<BenchFigure[]> {
  let records = 0;
  for (const report of ['inbound-detail', 'outbound-detail'] as const) {
    records += readReport(await service.call(toReportPath(report), toReportBody(whole, 1))).totalDocument;
  }
  const toRate = (figure: string, ms: number, goal: number | null): BenchFigure => {
    const value = Math.round((records / ms) * 1000);
    const met = goal === null ? null : value >= goal;
    return {
      bench: BENCH,
      figure,
      value,
      unit: 'records/s',
      peer: null,
      peerValue: null,
      ratio: null,
      goal,
      met,
    };
  };
  const figures = [toRate('sample written, start included', service.startMs, GOALS.recordsPerSecond)];
  // Tells more than the clock does while other work is going on.
  if (service.startCpuMs !== null) {
    figures.push(toRate('sample written, by processor time', service.startCpuMs, null));
  }
  return figures;
}

/** Pages from anywhere to the period's end, in turn from both services, and the first page of everything. */
async function* benchPages(
  service: ServiceProcess,
  small: ServiceProcess,
  whole: BenchPeriod,
): AsyncGenerator<BenchFigure> {
  const random = createRandom(1);
  for (const report of ['inbound-detail', 'outbound-detail'] as const) {
    const times = { large: [] as number[], small: [] as number[], first: [] as number[] };
    const time = async (each: ServiceProcess, fromMs: number): Promise<number> => {
      const body = toReportBody({ fromMs, toMs: whole.toMs }, PAGE_SIZE);
      return (await each.call(toReportPath(report), body)).ms;
    };
    for (let call = 0; call < CALLS; call += 1) {
      // Not so late that the small service has no whole page left.
      const fromMs = whole.fromMs + random() * 0.8 * (whole.toMs - whole.fromMs);
      times.large.push(await time(service, fromMs));
      times.small.push(await time(small, fromMs));
      times.first.push(await time(service, whole.fromMs));
    }
    const name = `${report}, page of ${PAGE_SIZE}`;
    yield* toFigures(name, times.large, GOALS.pageMs);
    const median = toQuantile(times.large, 0.5);
    const smallMs = toQuantile(times.small, 0.5);
    yield compare(
      `${name}, to small`,
      median,
      { name: `${SMALL_SIZE} records`, valueMs: smallMs },
      GOALS.pageRatio,
    );
    const firstMs = toQuantile(times.first, 0.5);
    yield compare(
      `${name}, first of all`,
      firstMs,
      { name: 'anywhere', valueMs: median },
      GOALS.firstPageRatio,
    );
  }
}

async function timeSummaries(
  service: ServiceProcess,
  periods: readonly BenchPeriod[],
): Promise<{ ms: number; groups: number }[]> {
  const results: { ms: number; groups: number }[] = [];
  const call = (period: BenchPeriod) =>
    service.call(toReportPath('inbound-summary'), toReportBody(period, 10_000));
  // As long as the code is new to the process, it is slow.
  for (const period of periods.slice(-WARM_UP_CALLS)) await call(period);
  for (const period of periods) {
    const answer = await call(period);
    results.push({ ms: answer.ms, groups: readReport(answer).totalDocument });
  }
  return results;
}

async function benchClients(
  service: ServiceProcess,
  whole: BenchPeriod,
  size: number,
): Promise<BenchFigure[]> {
  const seconds = size >= LARGE_SIZE ? 60 : 10;
  const load = await runMixedLoad(service, {
    clients: CLIENTS,
    forMs: seconds * 1000,
    within: { fromMs: whole.fromMs, toMs: whole.toMs - DAY_MS },
    // About two and a half pages, at least a minute.
    walkMs: Math.max(60, Math.round((2500 / size) * DAYS * 86_400)) * 1000,
  });
  for (const error of new Set(load.errors)) console.error(`  ${error}`);
  const name = `${CLIENTS} clients for ${seconds} s`;
  const count = (figure: string, value: number, goal: number | null): BenchFigure => ({
    bench: BENCH,
    figure: `${name}, ${figure}`,
    value,
    unit: '',
    goal,
    met: goal === null ? null : value <= goal,
    peer: null,
    peerValue: null,
    ratio: null,
  });
  return [
    ...toFigures(name, load.times, null),
    count('calls', load.times.length, null),
    count('errors', load.errors.length, 0),
    count('records walked', load.walkedRecords, null),
    count('records lost or repeated', load.lostRecords, 0),
  ];
}

function toMemoryFigures(service: ServiceProcess): BenchFigure[] {
  const value = service.readPeakMb();
  if (value === null) return [];
  return [
    {
      bench: BENCH,
      figure: 'most memory of the process, ever',
      value,
      unit: 'MB',
      peer: null,
      peerValue: null,
      ratio: null,
      goal: GOALS.peakMb,
      met: value <= GOALS.peakMb,
    },
  ];
}

/** Both peers over some of the periods; the service's median is that of the same ones. */
async function* benchPeers(
  file: string,
  allPeriods: readonly BenchPeriod[],
  summaries: readonly { ms: number; groups: number }[],
): AsyncGenerator<BenchFigure> {
  const periods = allPeriods.slice(0, PEER_PERIODS);
  const own = summaries.slice(0, PEER_PERIODS);
  const medianMs = toQuantile(
    own.map(({ ms }) => ms),
    0.5,
  );
  for (const time of [timeGroupBy, tryTimeDuckDb]) {
    const peer = await time(file, periods);
    if (peer === undefined) {
      console.error('  DuckDB is not installed (npm ci installs it): not compared with it.');
      continue;
    }
    if (peer.groups.some((count, index) => count !== own[index]?.groups)) {
      throw new Error(`${peer.name} finds other groups`);
    }
    const peerMs = toQuantile(peer.times, 0.5);
    yield compare(
      `summary of ${PEER_PERIODS} periods, median`,
      medianMs,
      { name: peer.name, valueMs: peerMs },
      1,
    );
  }
}

async function benchKills(kills: number): Promise<BenchFigure> {
  const { faults, whileWriting } = await killRepeatedly(kills, 400_000);
  for (const fault of faults) console.error(`  ${fault}`);
  const value = faults.length;
  return {
    bench: BENCH,
    figure: `${kills} kills, ${whileWriting} while writing: faults`,
    value,
    unit: '',
    peer: null,
    peerValue: null,
    ratio: null,
    goal: 0,
    met: value === 0,
  };
}

function drawPeriods({ fromMs, toMs }: BenchPeriod): BenchPeriod[] {
  const random = createRandom(2);
  const draw = (from: number): number => Math.floor((from + random() * (toMs - from)) / 1000) * 1000;
  return Array.from({ length: CALLS }, () => {
    const start = draw(fromMs);
    return { fromMs: start, toMs: draw(start) };
  }).filter((period) => period.toMs > period.fromMs);
}

function toFigures(name: string, times: readonly number[], goalMs: number | null): BenchFigure[] {
  return [
    toTimeFigure(BENCH, `${name}, median`, toQuantile(times, 0.5), goalMs),
    toTimeFigure(BENCH, `${name}, 99th percentile`, toQuantile(times, 0.99)),
  ];
}

/** A time beside another, of which it may be at most so many times. */
function compare(
  figure: string,
  ms: number,
  peer: { readonly name: string; readonly valueMs: number },
  goalRatio: number,
): BenchFigure {
  return toTimeFigure(BENCH, figure, ms, peer.valueMs * goalRatio, peer);
}
