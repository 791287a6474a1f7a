import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import type { DownloadAppFigures, DownloadAppInput } from './download-app.ts';
import { toTimeFigure, type BenchFigure } from './figure.ts';
import { insertBare } from './insert-bare.ts';
import { receiveBare } from './receive-bare.ts';
import { SAMPLE_DAYS, toSamplePeriod } from './sample-period.ts';

const BENCH = 'download';
const PAGE_SIZE = 5_000;
const RESTING_RATIO_GOAL = 0.9;
const FED_RATIO_GOAL = 0.8;
const BEHIND_GOAL_MS = 5000;
const MEMORY_GOAL_MB = 350;
const PAUSE_GOAL_MS = 50;
const CACHE_GOAL_BYTES = 180;
const ENGINE_GOAL_BYTES = 80;
const SERVICE = fileURLToPath(new URL('../../src-main/service/main.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BUILT = join(ROOT, 'out/bench');

type Address = Pick<DownloadAppInput, 'url' | 'tenant' | 'accessToken' | 'accessTokenSecret'>;

/**
 * `size` records from the bundled service, a process of its own, into the cache of the application, another process,
 * whose engine rests, then is fed; beside it the bare insert of the same rows into the same tables, and pages that are
 * received and dropped.
 */
export async function* benchDownload({ size }: { size: number }): AsyncGenerator<BenchFigure> {
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
    const download = async (
      isFed: boolean,
    ): Promise<DownloadAppFigures & { idleMs: number; kept: string }> => {
      const dataFolder = join(folder, isFed ? 'fed' : 'resting');
      await mkdir(dataFolder);
      const { url, tenant, accessToken, accessTokenSecret } = address;
      const input: DownloadAppInput = {
        dataFolder,
        url,
        tenant,
        accessToken,
        accessTokenSecret,
        pageSize: PAGE_SIZE,
        period,
        isFed,
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
      if (figures.state !== 'complete') throw new Error(`The download ended as ${figures.state}.`);
      return { ...figures, idleMs: idle.max / 1e6, kept: dataFolder };
    };
    const resting = await download(false);
    const bareMs = insertBare(join(resting.kept, 'cache.sqlite'));
    yield toRateFigure('engine resting', resting, bareMs, RESTING_RATIO_GOAL);
    yield toReceivedFigure(resting.recordCount, await receiveBare(address, period, PAGE_SIZE));
    const fed = await download(true);
    yield toRateFigure('engine fed', fed, bareMs, FED_RATIO_GOAL);
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

function toRateFigure(
  name: string,
  { recordCount, ms }: DownloadAppFigures,
  bareMs: number,
  goal: number,
): BenchFigure {
  const toRate = (spanMs: number): number => Math.round((recordCount / spanMs) * 1000);
  const ratio = bareMs / ms;
  return {
    bench: BENCH,
    figure: `${recordCount} records into the cache, ${name}`,
    value: toRate(ms),
    unit: 'records/s',
    peer: 'better-sqlite3 insert alone',
    peerValue: toRate(bareMs),
    ratio,
    goal: Math.round(toRate(bareMs) * goal),
    met: ratio >= goal,
  };
}

function toReceivedFigure(recordCount: number, ms: number): BenchFigure {
  const none = { peer: null, peerValue: null, ratio: null, goal: null, met: null };
  const value = Math.round((recordCount / ms) * 1000);
  return { bench: BENCH, figure: 'the same received and dropped', value, unit: 'records/s', ...none };
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
