import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { createRecordReader } from '../../src-main/common/reporting/reading/read-record.ts';
import type { JsonObject } from '../../src-main/common/reporting/reading/read-json.ts';
import { MINUTE_MS } from '../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../src-main/common/time/time-span.ts';
import { ENGINE_COLUMNS } from '../../src-main/core/analysis/engine/engine-tables.ts';
import { createEngineFeed } from '../../src-main/core/analysis/engine/feed/create-engine-feed.ts';
import type { EngineValue } from '../../src-main/core/analysis/engine/feed/feed-source.ts';
import { findPeriodFindings } from '../../src-main/core/analysis/engine/findings/find-period-findings.ts';
import { createSettledTraffic } from '../../src-main/core/analysis/engine/findings/settled-traffic.ts';
import { openEngineFile } from '../integration/analysis/open-engine-file.ts';
import { toQuantile, type BenchFigure, type BenchOptions } from './figure.ts';

const BENCH = 'anomalies';
const SNAPSHOT = 1;
const DAYS_30_MS = 30 * 86_400_000;
/** The beginning of a series is for learning, and isn't counted. */
const LEARNING = 0.15;

/** Something that was told. */
interface Told extends TimeSpan {
  readonly name: string;
}

interface Labels {
  readonly name: string;
  readonly zone: string;
  readonly begin: string;
  readonly end: string;
  readonly anomalies: readonly { readonly from: string; readonly to: string }[];
  /** Planned or usual: what is told of them is counted apart. */
  readonly expected: readonly { readonly from: string; readonly to: string }[];
}

/** Tells what stood out in labelled sets of records, `NAME.truth.json` beside `NAME.ndjson` or `NAME.ndjson.gz`. */
export async function* benchAnomalies({ corpus }: BenchOptions): AsyncGenerator<BenchFigure> {
  if (corpus === undefined) return;
  const files = await readdir(corpus);
  const names = files.filter((file) => file.endsWith('.truth.json')).sort();
  if (names.length === 0) throw new Error(`${corpus} holds no *.truth.json.`);
  for (const name of names) {
    const labels = JSON.parse(await readFile(join(corpus, name), 'utf8')) as Labels;
    const records = [`${labels.name}.ndjson`, `${labels.name}.ndjson.gz`].find((file) =>
      files.includes(file),
    );
    if (records === undefined) throw new Error(`${corpus} holds no records of ${labels.name}.`);
    yield score(labels, await tell(join(corpus, records), labels));
  }
}

/** The spans of everything that stood out, by the application's own engine. */
async function tell(file: string, { zone, begin, end }: Labels): Promise<Told[]> {
  const rows = await readRows(file, zone);
  const engine = await openEngineFile();
  try {
    const feed = await createEngineFeed(engine.connection, {
      identity: 'cache',
      list: () => [
        {
          snapshotId: SNAPSHOT,
          connectionId: 'one',
          direction: 'inbound' as const,
          startedAtMs: 0,
          recordCount: rows.length,
          reading: 0,
        },
      ],
      read: (_snapshot, from, until) => rows.slice(from, until),
      listRunStarts: () => [],
      listErrorPatterns: () => [],
    });
    await feed.follow();
    const whole = { fromMs: Date.parse(begin), toMs: Date.parse(end) };
    const found = await findPeriodFindings(
      engine.connection,
      {
        resolve: ({ report, fromMs, toMs }) => {
          const part = { snapshotId: SNAPSHOT, recordCount: rows.length, withUndated: false };
          const isInbound = report === 'inbound-detail';
          return Promise.resolve({
            direction: isInbound ? 'inbound' : 'outbound',
            parts: isInbound ? [{ ...part, spans: [{ fromMs, toMs }] }] : [],
          });
        },
        getVersion: () => feed.version,
        readState: () => null,
        settled: createSettledTraffic(() => feed.version),
      },
      {
        connectionId: 'one',
        period: whole,
        covered: { inbound: [whole], outbound: [] },
        downSpans: [],
        unreachableSpans: [],
      },
    );
    return [...found.findings, ...found.resolved].map(
      ({ kind, channel, service, source, recent, usual, sinceMs, endedMs, untilMs }) => ({
        name: `${kind} ${channel ?? '*'}/${service ?? '*'}, ${recent.toPrecision(3)} where ${usual.toPrecision(3)} are usual by the ${source}`,
        fromMs: sinceMs,
        toMs: endedMs ?? untilMs,
      }),
    );
  } finally {
    await engine.close();
  }
}

async function readRows(file: string, zone: string): Promise<EngineValue[][]> {
  const bytes = createReadStream(file);
  const lines = createInterface({ input: file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes });
  const read = createRecordReader('inbound-detail', zone, { bits: 0, isLossy: false });
  const rows: { readonly dateMs: number; readonly values: EngineValue[] }[] = [];
  for await (const line of lines) {
    if (line === '') continue;
    const record = read(JSON.parse(line) as JsonObject);
    if (typeof record === 'string' || record.dateMs === null) continue;
    const values: Readonly<Record<string, EngineValue>> = {
      date_ms: record.dateMs,
      session_id: record.sessionId,
      channel: record.channel,
      service: record.service,
      client: record.client,
      response_time_ms: record.responseTimeMs,
      response_code: record.responseCode,
      error: record.error,
      origin: record.origin,
      bot_latency_ms: record.botLatencyMs,
    };
    rows.push({
      dateMs: record.dateMs,
      values: ENGINE_COLUMNS.inbound.map(({ name }) => values[name] ?? null),
    });
  }
  const place = ENGINE_COLUMNS.inbound.findIndex(({ name }) => name === 'record_id');
  return rows
    .sort((a, b) => a.dateMs - b.dateMs)
    .map(({ values }, seq) => values.with(place, SNAPSHOT * 2 ** 32 + seq));
}

function score(labels: Labels, told: readonly Told[]): BenchFigure {
  const [beginMs, endMs] = [Date.parse(labels.begin), Date.parse(labels.end)];
  const countedMs = beginMs + LEARNING * (endMs - beginMs);
  const toSpans = (list: Labels['anomalies']): TimeSpan[] =>
    list
      .map(({ from, to }) => ({ fromMs: Date.parse(from), toMs: Date.parse(to) }))
      .filter(({ toMs }) => toMs > countedMs);
  const [anomalies, expected] = [toSpans(labels.anomalies), toSpans(labels.expected)];
  const touches = (one: TimeSpan, other: TimeSpan): boolean =>
    one.fromMs <= other.toMs && other.fromMs <= one.toMs;
  const counted = told.filter(({ toMs }) => toMs >= countedMs);
  const delays = anomalies.flatMap((anomaly) => {
    const own = counted.filter((span) => touches(span, anomaly)).map(({ fromMs }) => fromMs);
    return own.length === 0 ? [] : [Math.max(0, Math.min(...own) - anomaly.fromMs)];
  });
  const outside = counted.filter((span) => !anomalies.some((anomaly) => touches(span, anomaly)));
  const usual = outside.filter((span) => expected.some((other) => touches(span, other)));
  const write = ({ fromMs, toMs }: TimeSpan): string =>
    [fromMs, toMs].map((atMs) => new Date(atMs).toISOString().slice(0, 16)).join(' to ');
  const writeTold = (list: readonly Told[]): string[] =>
    list.toSorted((a, b) => a.fromMs - b.fromMs).map((span) => `${write(span)}: ${span.name}`);
  return {
    bench: BENCH,
    figure: `anomalies found: ${labels.name}`,
    unit: 'share',
    value: anomalies.length === 0 ? 1 : delays.length / anomalies.length,
    peer: null,
    peerValue: null,
    ratio: null,
    goal: null,
    met: null,
    details: {
      windows: anomalies.length,
      found: delays.length,
      falseIn30Days: ((outside.length - usual.length) * DAYS_30_MS) / (endMs - countedMs),
      inExpected: usual.length,
      medianDelayMinutes: delays.length === 0 ? null : Math.round(toQuantile(delays, 0.5) / MINUTE_MS),
    },
    lists: {
      told: writeTold(counted.filter((span) => !outside.includes(span))),
      missed: anomalies.filter((anomaly) => !counted.some((span) => touches(span, anomaly))).map(write),
      false: writeTold(outside.filter((span) => !usual.includes(span))),
      inExpected: writeTold(usual),
    },
  };
}
