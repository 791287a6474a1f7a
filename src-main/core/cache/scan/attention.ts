import type { Output } from '../../../common/contract/index.ts';
import { toCodeClass } from '../../../common/model/record.ts';
import type { Snapshot } from '../../../common/model/snapshot.ts';
import { REPORTS } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { scanRecords } from './scan-records.ts';

type Attention = Output<'overview/read-attention'>[number];
type Nullable = number | null;

const HOUR_MS = 3_600_000;
const TREND_BUCKETS = 16;
/** The trend reaches back four hours. */
const TREND_MS = HOUR_MS / 4;
const MIN_FAILURES = 20;
const MIN_REQUESTS = 50;
const ERROR_FACTOR = 3;
const SLOWER_FACTOR = 2;

interface Measure {
  requests: number;
  failures: number;
  timed: number;
  timeSumMs: number;
}
interface Flow {
  readonly channel: Nullable;
  readonly service: Nullable;
  readonly recent: Measure;
  readonly usual: Measure;
  readonly trend: readonly Measure[];
}

/**
 * What stands out in the last hour of a detail snapshot against the time before it, by channel and
 * service: the share of failing requests (4xx, 5xx) at least tripled with 20 failures or more, or the
 * average time at least doubled over 50 requests or more. The usual figures need 50 requests too.
 */
export async function findAttention(
  database: Database,
  snapshot: Snapshot,
  newestMs: number,
  pause: () => Promise<void>,
): Promise<Attention[]> {
  const untilMs = newestMs + 1;
  const sinceMs = untilMs - HOUR_MS;
  const flows = new Map<string, Flow>();
  const visit = (
    ...[dateMs, channel, service, code, timeMs]: [Nullable, Nullable, Nullable, Nullable, Nullable]
  ): void => {
    if (dateMs === null) return;
    const key = `${String(channel)}|${String(service)}`;
    const flow = flows.get(key) ?? createFlow(channel, service);
    flows.set(key, flow);
    addTo(dateMs >= sinceMs ? flow.recent : flow.usual, code, timeMs);
    const bucket = flow.trend[TREND_BUCKETS - 1 - Math.floor((untilMs - 1 - dateMs) / TREND_MS)];
    if (bucket !== undefined) addTo(bucket, code, timeMs);
  };
  const columns = 'date_ms, channel, service, response_code, response_time_ms';
  await scanRecords(database, snapshot, columns, pause, visit);
  const place = { direction: REPORTS[snapshot.report].direction, snapshotId: snapshot.id, sinceMs, untilMs };
  return [...flows.values()].flatMap((flow) => {
    const { channel, service } = flow;
    return judgeFlow(flow).map((finding) => ({ ...finding, ...place, channel, service }));
  });
}

function judgeFlow({
  recent,
  usual,
  trend,
}: Flow): Pick<Attention, 'kind' | 'recent' | 'usual' | 'count' | 'trend'>[] {
  const findings: Pick<Attention, 'kind' | 'recent' | 'usual' | 'count' | 'trend'>[] = [];
  if (usual.requests < MIN_REQUESTS) return findings;
  if (recent.failures >= MIN_FAILURES && toErrorShare(recent) >= ERROR_FACTOR * toErrorShare(usual)) {
    const shares = { recent: toErrorShare(recent), usual: toErrorShare(usual) };
    findings.push({ kind: 'errors-up', ...shares, count: recent.failures, trend: trend.map(toErrorShare) });
  }
  const usualMs = toAverageMs(usual);
  if (recent.requests >= MIN_REQUESTS && usualMs > 0 && toAverageMs(recent) >= SLOWER_FACTOR * usualMs) {
    const averages = { recent: toAverageMs(recent), usual: usualMs };
    findings.push({ kind: 'slower', ...averages, count: recent.requests, trend: trend.map(toAverageMs) });
  }
  return findings;
}

function createMeasure(): Measure {
  return { requests: 0, failures: 0, timed: 0, timeSumMs: 0 };
}

function createFlow(channel: Nullable, service: Nullable): Flow {
  const trend = Array.from({ length: TREND_BUCKETS }, createMeasure);
  return { channel, service, recent: createMeasure(), usual: createMeasure(), trend };
}

function addTo(measure: Measure, code: Nullable, timeMs: Nullable): void {
  const codeClass = toCodeClass(code);
  measure.requests += 1;
  if (codeClass === '4xx' || codeClass === '5xx') measure.failures += 1;
  if (timeMs === null) return;
  measure.timed += 1;
  measure.timeSumMs += timeMs;
}

function toErrorShare({ requests, failures }: Measure): number {
  return requests === 0 ? 0 : failures / requests;
}

function toAverageMs({ timed, timeSumMs }: Measure): number {
  return timed === 0 ? 0 : timeSumMs / timed;
}
