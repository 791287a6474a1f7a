import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import type { DownloadAppFigures, DownloadAppInput } from './download-app.ts';
import { toTimeFigure, type BenchFigure, type BenchOptions } from './figure.ts';
import { receiveBare } from './receive-bare.ts';
import { SAMPLE_DAYS, toSamplePeriod } from './sample-period.ts';

const BENCH = 'download';
const PAGE_SIZE = 5_000;
const RECEIVED = 'received and dropped';
const SINGLE = 'one request at a time';
const RESTING_RATIO_GOAL = 0.9;
const FED_RATIO_GOAL = 0.75;
const LATE_RATIO_GOAL = 1.3;
const SINGLE_RATIO_GOAL = 4;
const BEHIND_GOAL_MS = 5000;
const MEMORY_GOAL_MB = 350;
const PAUSE_GOAL_MS = 50;
const CACHE_GOAL_BYTES = 180;
const ENGINE_GOAL_BYTES = 80;
const SERVICE = fileURLToPath(new URL('../../src-main/service/main.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BUILT = join(ROOT, 'out/bench');

type Measured = DownloadAppFigures & { readonly idleMs: number; readonly kept: string };
type Address = Pick<DownloadAppInput, 'url' | 'tenant' | 'accessToken' | 'accessTokenSecret'>;

/** How a download is measured. */
interface Way {
  readonly name: string;
  readonly isFed: boolean;
  readonly walks: number;
  readonly url: string;
}

/**
 * `size` records from the bundled service, a process of its own, into the cache of the application, another process,
 * whose engine rests, then is fed; beside it the same pages that are received and dropped. With a latency: beside the same
 * download without it, and with one request at a time.
 */
export async function* benchDownload({
  size,
  latencyMs = 0,
  pageSize = PAGE_SIZE,
}: BenchOptions): AsyncGenerator<BenchFigure> {
  await buildApp();
  const folder = await mkdtemp(join(tmpdir(), 'channelscope-bench-'));
  const service = spawn(
    process.execPath,
    [
      ...[SERVICE, '--port', '0', '--data', join(folder, 'service'), '--no-live'],
      ...['--records', String(size), '--days', String(SAMPLE_DAYS)],
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  try {
    const address = JSON.parse(await readLine(service)) as Address;
    const period = toSamplePeriod(Date.now());
    const download = async ({ name, isFed, walks, url }: Way): Promise<Measured> => {
      const dataFolder = join(folder, name);
      await mkdir(dataFolder);
      const { tenant, accessToken, accessTokenSecret } = address;
      const input: DownloadAppInput = {
        ...{ dataFolder, url, tenant, accessToken, accessTokenSecret, pageSize, walks, period, isFed },
        cacheThread: join(BUILT, 'cache-thread.mjs'),
      };
      // What an idle process beside it suffers is the machine's share of the pauses.
      const idle = monitorEventLoopDelay({ resolution: 1 });
      idle.enable();
      const app = spawn(process.execPath, [join(BUILT, 'download-app.mjs'), JSON.stringify(input)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const figures = JSON.parse(await readLine(app)) as DownloadAppFigures;
      idle.disable();
      if (figures.state !== 'complete')
        throw new Error(`The download ended as ${figures.state}: ${figures.failure ?? ''}`);
      return { ...figures, idleMs: idle.max / 1e6, kept: dataFolder };
    };
    const { url } = address;
    const resting = await download({ name: 'resting', isFed: false, walks: 0, url });
    if (latencyMs > 0) {
      const slow = await startSlowService(url, latencyMs);
      try {
        const late = await download({ name: 'late', isFed: false, walks: 0, url: slow.url });
        yield toLateFigure(late, resting, latencyMs);
        const single = await download({ name: 'single', isFed: false, walks: 1, url: slow.url });
        yield toRateFigure(
          `${latencyMs} ms late, engine resting`,
          late,
          SINGLE,
          single.ms,
          SINGLE_RATIO_GOAL,
        );
      } finally {
        await slow.close();
      }
      return;
    }
    const receivedMs = await receiveBare(address, period, pageSize);
    yield toRateFigure('engine resting', resting, RECEIVED, receivedMs, RESTING_RATIO_GOAL);
    const fed = await download({ name: 'fed', isFed: true, walks: 0, url });
    yield toRateFigure('engine fed', fed, 'engine resting', resting.ms, FED_RATIO_GOAL);
    yield toTimeFigure(BENCH, 'from its end until all is fed', fed.behindMs ?? 0, BEHIND_GOAL_MS);
    yield await toSizeFigure(fed, 'cache.sqlite', CACHE_GOAL_BYTES);
    yield await toSizeFigure(fed, 'analysis.duckdb', ENGINE_GOAL_BYTES);
    if (fed.peakBytes !== null) yield toPeakFigure(fed.peakBytes / 1e6);
    yield toTimeFigure(BENCH, 'longest pause of the main thread', fed.longestPauseMs, PAUSE_GOAL_MS, {
      name: 'idle process',
      valueMs: fed.idleMs,
    });
  } finally {
    service.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Passes requests on to a service, and each response after so many milliseconds more. */
async function startSlowService(
  url: string,
  latencyMs: number,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((incoming, response) => {
    const { method, url: path = '/' } = incoming;
    const target = new URL(path, url);
    const headers = { ...incoming.headers, host: target.host };
    const passed = request(target, { method, headers }, (answer) => {
      setTimeout(() => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      }, latencyMs);
    });
    passed.on('error', () => response.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** As it is shipped: running from source, each thread would also hold what strips the types. */
async function buildApp(): Promise<void> {
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'error',
    ssr: { noExternal: true, external: ['better-sqlite3', 'keytar'] },
    build: {
      ssr: true,
      outDir: BUILT,
      emptyOutDir: true,
      minify: false,
      rolldownOptions: {
        input: {
          'download-app': join(ROOT, 'test/bench/download-app.ts'),
          'cache-thread': join(ROOT, 'src-main/core/cache/threads/cache-thread.ts'),
        },
        output: { entryFileNames: '[name].mjs' },
      },
    },
  });
}

async function readLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('The process has no output.');
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`A process ended with ${String(code)}.`))),
  ])) as [string];
  return line;
}

const toRate = ({ recordCount }: DownloadAppFigures, ms: number): number =>
  Math.round((recordCount / ms) * 1000);

function toRateFigure(
  name: string,
  figures: DownloadAppFigures,
  peer: string,
  peerMs: number,
  goal: number,
): BenchFigure {
  const ratio = peerMs / figures.ms;
  return {
    bench: BENCH,
    figure: `${figures.recordCount} records into the cache, ${name}`,
    value: toRate(figures, figures.ms),
    unit: 'records/s',
    peer,
    peerValue: toRate(figures, peerMs),
    ratio,
    goal: Math.round(toRate(figures, peerMs) * goal),
    met: ratio >= goal,
  };
}

function toLateFigure(late: DownloadAppFigures, prompt: DownloadAppFigures, latencyMs: number): BenchFigure {
  const figure = `${late.recordCount} records, each page ${latencyMs} ms late`;
  const peer = { name: 'without latency', valueMs: prompt.ms };
  return toTimeFigure(BENCH, figure, late.ms, Math.round(prompt.ms * LATE_RATIO_GOAL), peer);
}

async function toSizeFigure(
  { recordCount, kept }: { recordCount: number; kept: string },
  file: string,
  goal: number,
): Promise<BenchFigure> {
  const value = Math.round((await stat(join(kept, file))).size / recordCount);
  const none = { peer: null, peerValue: null, ratio: null };
  return { bench: BENCH, figure: file, value, unit: 'bytes/record', ...none, goal, met: value <= goal };
}

function toPeakFigure(value: number): BenchFigure {
  const none = { peer: null, peerValue: null, ratio: null };
  return {
    bench: BENCH,
    figure: 'most memory of the application, without the engine',
    value,
    unit: 'MB',
    ...none,
    goal: MEMORY_GOAL_MB,
    met: value < MEMORY_GOAL_MB,
  };
}
