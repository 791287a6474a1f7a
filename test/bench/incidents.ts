import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { DAY_MS } from '../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../src-main/common/time/time-span.ts';
import { ENGINE_LIMITS } from '../../src-main/core/analysis/engine/create-engine.ts';
import { readPeriodFindings } from '../../src-main/core/findings/read-findings.ts';
import { FROM_MS, openTestEngine } from '../integration/cache/cache-fixture.ts';
import { openLedger } from '../support/fakes/open-ledger.ts';
import { measure, toTimeFigure, type BenchFigure, type BenchOptions } from './figure.ts';
import { createDocuments, scatter } from './fill-cache.ts';
import { openFilledCache } from './filled-cache.ts';

const BENCH = 'incidents';
const DAYS = 30;
/** Goals in milliseconds, of 10,000,000 records. */
const ANEW_GOAL_MS = 15_000;
const LIST_GOAL_MS = 300;
const DAY_GOAL_MS = 300;
/** A channel whose requests fail for forty minutes on some days. */
const BROKEN = { channel: 2, days: [9, 16, 23], hour: 14, minutes: 40 };
const MINUTE_MS = 60_000;

/**
 * Incidents of 30 days of `size` records: all days judged anew, listed again, and those of one day; beside DuckDB alone,
 * which counts the same records by the minute, channel and service.
 */
export async function* benchIncidents({ size, folder }: BenchOptions): AsyncGenerator<BenchFigure> {
  const period = { fromMs: FROM_MS, toMs: FROM_MS + DAYS * DAY_MS };
  const write = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
  const last = period.toMs - 1000;
  const { cache, file, close } = await openFilledCache(
    size,
    folder,
    {
      period: { startDate: write(FROM_MS), endDate: write(last), fromMs: FROM_MS, toMs: last, zone: 'UTC' },
    },
    (from, count) => createTraffic(from, count, (DAYS * DAY_MS) / size),
  );
  await forgetDays(join(dirname(file), 'analysis.duckdb'));
  const engine = openTestEngine(file, [], ENGINE_LIMITS);
  try {
    await engine.catchUp();
    // As the application does after a long feed.
    await engine.restart();
    await engine.catchUp();
    const ledger = openLedger(cache);
    const read = (span: TimeSpan, nowMs = period.toMs) =>
      readPeriodFindings({ cache, ledger, engine }, 'one', nowMs, span);
    const ofDay = (day: number): TimeSpan => ({
      fromMs: FROM_MS + day * DAY_MS,
      toMs: FROM_MS + (day + 1) * DAY_MS,
    });
    const first = await measure(() => read(ofDay(20)));
    yield toTimeFigure(BENCH, 'findings of a day, nothing counted before', first.ms, null);
    // As the application does once records have come.
    const counted = await measure(() => engine.countTraffic({ connectionId: 'one', span: period }));
    yield toTimeFigure(BENCH, `${DAYS} days counted ahead`, counted.ms, null);
    await engine.catchUp();
    await engine.restart();
    await engine.catchUp();
    const day = await measure(() => read(ofDay(19)));
    yield toTimeFigure(BENCH, 'findings of a day, never judged', day.ms, DAY_GOAL_MS);
    const anew = await measure(() => read(period));
    const again = await measure(() => read(period));
    const dayAgain = await measure(() => read(ofDay(20)));
    await engine.close();
    const peerMs = await countAlone(join(dirname(file), 'analysis.duckdb'));
    const peer = { name: 'DuckDB alone, counted', valueMs: peerMs };
    const told = anew.value.findings.length + anew.value.resolved.length;
    yield {
      ...toTimeFigure(BENCH, `${told} incidents of ${DAYS} days, judged anew`, anew.ms, ANEW_GOAL_MS, peer),
      details: { told },
    };
    yield toTimeFigure(BENCH, 'the list, days judged before', again.ms, LIST_GOAL_MS);
    yield toTimeFigure(BENCH, 'findings of a day, judged before', dayAgain.ms, DAY_GOAL_MS);
  } finally {
    await engine.close();
    await close();
  }
}

/** Sessions of three channels and two services, as many at each hour, every 50th failed; more where a channel is broken. */
function createTraffic(from: number, count: number, eachMs: number): readonly unknown[] {
  return createDocuments(from, count).map((document, at) => {
    const index = from + at;
    const atMs = FROM_MS + Math.floor(index * eachMs);
    const isFailed = scatter(index + 7) % 100 < (isBroken(document.Channel, atMs) ? 60 : 2);
    return {
      ...document,
      Date: new Date(atMs).toISOString(),
      ReponseTime: 80 + (scatter(index) % 400) ** 2 / 400,
      ReponseCode: isFailed ? 504 : 200,
      Error: isFailed ? `Timed out after ${scatter(index) % 9000} ms` : '',
    };
  });
}

function isBroken(channel: number, atMs: number): boolean {
  const minute = Math.floor((atMs - Math.floor(atMs / DAY_MS) * DAY_MS) / MINUTE_MS) - BROKEN.hour * 60;
  const day = Math.floor((atMs - FROM_MS) / DAY_MS);
  return channel === BROKEN.channel && BROKEN.days.includes(day) && minute >= 0 && minute < BROKEN.minutes;
}

/** A cache that was filled before holds what was told of its days then. */
async function forgetDays(file: string): Promise<void> {
  if (!existsSync(file)) return;
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  try {
    const tables = await connection.runAndReadAll('SELECT table_name FROM duckdb_tables()');
    for (const [table] of tables.getRows())
      if (table === 'finding_days' || table === 'counted_days') await connection.run(`DELETE FROM ${table}`);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** What is counted of all records to judge them, in milliseconds: quickest of three. */
async function countAlone(file: string): Promise<number> {
  const instance = await DuckDBInstance.create(file, {
    threads: String(ENGINE_LIMITS.threads),
    memory_limit: `${ENGINE_LIMITS.memoryLimitMb}MB`,
  });
  const connection = await instance.connect();
  const statement = `SELECT channel, service, date_ms // ${MINUTE_MS} AS minute,
      floor(2 * log2(response_time_ms + 1)) AS kind, count(*) FROM inbound GROUP BY ALL`;
  const count = async (): Promise<number> =>
    (await measure(() => connection.runAndReadAll(`SELECT count(*) FROM (${statement})`))).ms;
  try {
    return Math.min(await count(), await count(), await count());
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
