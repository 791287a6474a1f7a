import type { PeriodScope } from '../../src-main/common/model/records/record-filter.ts';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { ENGINE_LIMITS } from '../../src-main/core/analysis/engine/create-engine.ts';
import { createAnalysisHandlers } from '../../src-main/core/app/app-handlers.ts';
import { createCompareHandlers } from '../../src-main/core/compare/compare-handlers.ts';
import { readFindings } from '../../src-main/core/findings/read-findings.ts';
import { FROM_MS, openTestEngine } from '../integration/cache/cache-fixture.ts';
import { measure, toQuantile, toTimeFigure, type BenchFigure, type BenchOptions } from './figure.ts';
import { openFilledCache } from './filled-cache.ts';
import { measureSampleFindings } from './sample-findings.ts';
import { openLedger } from '../support/fakes/open-ledger.ts';

const BENCH = 'analysis';
const PEER = 'DuckDB alone';
const ROUNDS = 5;
const HOUR_MS = 3_600_000;
/** As many as a chart has at most. */
const BUCKETS = 96;
const ALL = { conditions: [] };
const FINDINGS_GOAL_MS = 200;
/** Inbound; outbound there are a third more. */
const SAMPLE_RECORDS = 250_000;
/** Goals in milliseconds by size; none for other sizes. A figure is also to take at most 1.3 times what its peer takes. */
const GOALS: Readonly<Record<number, Readonly<Record<string, number>>>> = {
  1_000_000: { summary: 120, day: 60, explained: 300, findings: FINDINGS_GOAL_MS },
  10_000_000: {
    summary: 700,
    day: 60,
    heat: 1000,
    times: 1000,
    byChannel: 1000,
    byFamily: 1000,
    byClient: 1000,
    compared: 1000,
    comparedTimes: 1000,
    explained: 2000,
    findings: FINDINGS_GOAL_MS,
  },
};
const PERCENTILES = '[0.5, 0.9, 0.95, 0.99]';

/** What is computed from `size` cached records, each figure beside plain SQL over the same table in the same run. */
export async function* benchAnalysis({ size, folder }: BenchOptions): AsyncGenerator<BenchFigure> {
  const { cache, file: cacheFile, close } = await openFilledCache(size, folder);
  try {
    const engine = openTestEngine(cacheFile, [], ENGINE_LIMITS);
    const analysis = createAnalysisHandlers({ engine });
    const comparison = createCompareHandlers({ engine });
    const toMs = FROM_MS + size * 1000;
    const toScope = (fromMs: number, untilMs: number): PeriodScope => ({
      connectionId: 'one',
      report: 'inbound-detail',
      fromMs,
      toMs: untilMs,
    });
    const scope = toScope(FROM_MS, toMs);
    const dayMs = Math.round((toMs - FROM_MS) / 30);
    const toSide = (from: number, until: number) => ({
      scope: toScope(FROM_MS + from * dayMs, FROM_MS + until * dayMs),
      filter: ALL,
      lengthMs: (until - from) * dayMs,
    });
    const compare = async (measure: 'error-share' | 'response'): Promise<unknown> =>
      comparison['compare/compare-groups']({
        before: toSide(0, 14),
        after: toSide(14, 28),
        by: ['channel', 'service'],
        measure,
        quantile: 'p95',
      });
    // Of one length, as they are but for changes of the clock.
    const widthMs = Math.ceil((toMs - FROM_MS) / BUCKETS);
    const edges = Array.from({ length: BUCKETS + 1 }, (_, place) => FROM_MS + place * widthMs);
    const split = (by: 'channel' | 'errorFamily' | 'client'): Promise<unknown> =>
      engine.readHistogram({ scope, filter: ALL, edges, split: by, withMedian: false });
    const middleMs = FROM_MS + 15 * dayMs;
    const selection = { conditions: [{ field: 'dateMs' as const, min: middleMs, max: middleMs + dayMs }] };
    const group = async (one: ReturnType<typeof toScope>): Promise<unknown> =>
      analysis['analysis/group-records']({ scope: one, filter: ALL, by: ['channel', 'service'] });
    try {
      await group(scope);
      // As the application does after a long feed.
      await engine.restart();
      const ours = {
        summary: await measureMedian(() => group(scope)),
        day: await measureMedian(() => group(toScope(middleMs, middleMs + dayMs))),
        heat: await measureMedian(async () =>
          analysis['analysis/read-heat-map']({ scope, filter: ALL, zone: 'Europe/Berlin' }),
        ),
        times: await measureMedian(() =>
          engine.readResponseTimes({ scope, filter: ALL, edges, field: 'responseTimeMs' }),
        ),
        byChannel: await measureMedian(() => split('channel')),
        byFamily: await measureMedian(() => split('errorFamily')),
        byClient: await measureMedian(() => split('client')),
        compared: await measureMedian(() => compare('error-share')),
        comparedTimes: await measureMedian(() => compare('response')),
        explained: await measureMedian(async () =>
          analysis['analysis/explain']({ scope, filter: ALL, selection }),
        ),
        findings: await measureMedian(() =>
          readFindings({ cache, engine, ledger: openLedger(cache) }, 'one', toMs),
        ),
      };
      await engine.close();
      const file = join(dirname(cacheFile), 'analysis.duckdb');
      const peers = await askPeer(file, { fromMs: FROM_MS, toMs, middleMs, dayMs });
      const goals = GOALS[size] ?? {};
      for (const [name, figure] of Object.entries(NAMES) as [keyof typeof NAMES, string][]) {
        const valueMs = name === 'findings' ? null : peers[name];
        const peer = valueMs === null ? null : { name: PEER, valueMs };
        yield toTimeFigure(BENCH, figure, ours[name], goals[name] ?? null, peer);
      }
      const sample = await measureSampleFindings(SAMPLE_RECORDS);
      const told = `findings of 30 days of sample traffic: ${sample.findings} are told`;
      yield toTimeFigure(BENCH, told, sample.ms, FINDINGS_GOAL_MS);
    } finally {
      await engine.close();
    }
  } finally {
    await close();
  }
}

const NAMES = {
  summary: 'summary with percentiles',
  day: 'the same of one day of thirty',
  heat: 'hour by weekday',
  times: 'response times over time',
  byChannel: 'histogram by channel',
  byFamily: 'histogram by error family',
  byClient: 'histogram by client',
  compared: 'two weeks compared with two others',
  comparedTimes: 'the same by response time',
  explained: 'a selection explained',
  /** Judged, not computed in one statement: nothing to be measured against. */
  findings: 'findings of a connection',
};

/** The same questions as plain SQL asks them, to a process without the application; the engine has let go of its file. */
async function askPeer(
  file: string,
  {
    fromMs,
    toMs,
    middleMs,
    dayMs,
  }: { readonly fromMs: number; readonly toMs: number; readonly middleMs: number; readonly dayMs: number },
): Promise<Record<Exclude<keyof typeof NAMES, 'findings'>, number>> {
  const { memoryLimitMb, threads } = ENGINE_LIMITS;
  const instance = await DuckDBInstance.create(file, {
    threads: String(threads),
    memory_limit: `${memoryLimitMb}MB`,
    temp_directory: join(dirname(file), 'peer-spill'),
    access_mode: 'READ_ONLY',
  });
  const connection = await instance.connect();
  const ask = (...statements: string[]) =>
    measureMedian(async () => {
      for (const sql of statements) await connection.runAndReadAll(sql);
    });
  const toDays = (from: number, until: number): string =>
    `date_ms >= ${fromMs + from * dayMs} AND date_ms < ${fromMs + until * dayMs}`;
  const inside = `date_ms >= ${middleMs} AND date_ms < ${middleMs + dayMs}`;
  const classes = [1, 3, 4, 5].map(
    (first) => `count(*) FILTER (response_code // 100 BETWEEN ${first} AND ${Math.max(2, first)})`,
  );
  // Groups, and all records together.
  const toSummary = (where: string): string =>
    `SELECT channel, service, count(*), ${classes.join(', ')}, min(date_ms), max(date_ms),
       avg(response_time_ms), quantile_cont(response_time_ms, ${PERCENTILES}), max(response_time_ms),
       avg(bot_latency_ms), quantile_cont(bot_latency_ms, ${PERCENTILES}), max(bot_latency_ms)
     FROM inbound WHERE ${where} GROUP BY GROUPING SETS ((channel, service), ())`;
  // Of both periods: all records together, the groups of the first field, and those of both.
  const toCompared = (where: string, levels: string, more = ''): string =>
    `SELECT ${levels === '()' ? '' : 'channel, service,'} count(*),
       count(*) FILTER (response_code BETWEEN 400 AND 599), avg(response_time_ms)${more}
     FROM inbound WHERE ${where} GROUP BY GROUPING SETS (${levels})`;
  const sides = [toDays(0, 14), toDays(14, 28)];
  const quantiles = ', quantile_cont(response_time_ms, [0.5, 0.95])';
  const shares = ['channel', 'service', 'origin', 'response_code', 'error_pattern', 'client'].map(
    (column) =>
      `SELECT ${column}, count(*) FILTER (${inside}) AS inside, count(*) AS records FROM inbound GROUP BY ALL
       ORDER BY inside / records DESC LIMIT 100`,
  );
  const times = `SELECT ${inside} AS inside, quantile_cont(response_time_ms, [0.5, 0.95]),
    quantile_cont(bot_latency_ms, [0.5, 0.95]) FROM inbound GROUP BY ALL`;
  const bucket = `(date_ms - ${fromMs}) // ${Math.ceil((toMs - fromMs) / BUCKETS)} AS bucket`;
  const toSplit = (column: string): string =>
    `WITH most AS (SELECT ${column} FROM inbound WHERE ${column} <> '' GROUP BY ALL ORDER BY count(*) DESC LIMIT 10)
     SELECT ${bucket}, CASE WHEN ${column} IN (FROM most) THEN ${column} END AS value, count(*) FROM inbound GROUP BY ALL`;
  try {
    return {
      summary: await ask(toSummary('true')),
      day: await ask(toSummary(inside)),
      heat: await ask(
        `SELECT (date_ms // ${HOUR_MS} + 72) % 168 AS hour, count(*), count(*) FILTER (response_code BETWEEN 400 AND 599),
           median(response_time_ms) FROM inbound GROUP BY ALL`,
      ),
      times: await ask(
        `SELECT ${bucket}, floor(8 * log10(greatest(response_time_ms, 1))) AS row, count(*),
           count(*) FILTER (response_code BETWEEN 400 AND 599) FROM inbound GROUP BY ALL`,
      ),
      byChannel: await ask(toSplit('channel').replace("channel <> ''", 'channel IS NOT NULL')),
      byFamily: await ask(toSplit('error_pattern')),
      byClient: await ask(toSplit('client')),
      compared: await ask(
        ...sides.map((where) => toCompared(where, '(channel), (channel, service)')),
        ...sides.map((where) => toCompared(where, '()', quantiles)),
      ),
      comparedTimes: await ask(
        ...sides.map((where) => toCompared(where, '(), (channel), (channel, service)', quantiles)),
      ),
      explained: await ask(...shares, times),
    };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function measureMedian(work: () => Promise<unknown>): Promise<number> {
  const spans: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) spans.push((await measure(work)).ms);
  return toQuantile(spans, 0.5);
}
