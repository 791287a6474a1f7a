import type { HandlersOf } from '../../common/contract/index.ts';
import type { ConnectionGlance } from '../../common/contract/operations/overview.ts';
import { listSetAside } from '../../common/model/connections/planned.ts';
import type { StatusHistory } from '../../common/model/connections/status.ts';
import type { HistogramSeries } from '../../common/model/records/histogram.ts';
import { DETAIL_KINDS, type DetailKind } from '../../common/reporting/reports.ts';
import { DAY_MS, HOUR_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Ledger } from '../coverage/ledger.ts';
import { listLacking } from '../coverage/read-holdings.ts';
import type { Monitor } from '../monitor/create-monitor.ts';

const BUCKET_MS = HOUR_MS / 2;
const BUCKETS = 48;
const USUAL_DAYS = 7;

/** A span, and what went through it in one direction. */
interface SpanTraffic extends TimeSpan {
  readonly count: number;
  readonly failures: number;
}

/** What is read of one direction of one connection. */
export interface GlanceSource {
  /** Counts records between rising edges. */
  count(edges: readonly number[]): Promise<readonly SpanTraffic[]>;
  /** What of [fromMs, toMs) is not cached, rising. */
  findUncached(fromMs: number, toMs: number): Promise<readonly TimeSpan[]>;
}

/**
 * Measures the traffic of a connection as of `nowMs`: the last 24 hours in half hours, of which the newest cached one ends
 * where the cached records do, the newest whole hour that is cached in both directions, and what is usual for that hour
 * outside of planned times.
 */
export async function readTraffic(
  directions: readonly GlanceSource[],
  nowMs: number,
  planned: readonly TimeSpan[] = [],
): Promise<Pick<ConnectionGlance, 'buckets' | 'hour' | 'usual'>> {
  const endMs = Math.ceil(nowMs / BUCKET_MS) * BUCKET_MS;
  const fromMs = endMs - BUCKETS * BUCKET_MS;
  const oldestMs = fromMs - (USUAL_DAYS + 1) * DAY_MS;
  const uncached = (
    await Promise.all(directions.map((direction) => direction.findUncached(oldestMs, nowMs)))
  ).flat();
  const isCached = (from: number, to: number): boolean =>
    !uncached.some((gap) => gap.fromMs < Math.min(to, nowMs) && gap.toMs > from);

  const untilMs = findCachedEnd(uncached, nowMs);
  const edges = Array.from({ length: BUCKETS + 1 }, (_, place) => fromMs + place * BUCKET_MS);
  // The newest hour ends within a half hour, which counts as far as the hour does: neither has what the other leaves out.
  const counted = await countTogether(
    directions,
    [...new Set([...edges, Math.max(fromMs, untilMs)])].sort((a, b) => a - b),
  );
  const buckets = counted
    .filter((span) => edges.slice(0, -1).includes(span.fromMs))
    .map((bucket) => ({
      ...bucket,
      isCached: bucket.fromMs < nowMs && isCached(bucket.fromMs, bucket.toMs),
    }));
  if (untilMs - HOUR_MS < fromMs || !isCached(untilMs - HOUR_MS, untilMs)) {
    return { buckets, hour: null, usual: null };
  }
  const days = Array.from({ length: USUAL_DAYS + 1 }, (_, place) => untilMs - (USUAL_DAYS - place) * DAY_MS);
  const spans = await countTogether(
    directions,
    days.flatMap((dayMs) => [dayMs - HOUR_MS, dayMs]),
  );
  // Between the hours of two days lies what nobody asked for.
  const hours = spans.filter((_, place) => place % 2 === 0);
  const hour = hours.at(-1) ?? null;
  const isPlanned = (span: TimeSpan): boolean =>
    planned.some(({ fromMs, toMs }) => fromMs < span.toMs && toMs > span.fromMs);
  const before = hours.slice(0, -1).filter((span) => isCached(span.fromMs, span.toMs) && !isPlanned(span));
  return { buckets, hour, usual: toUsual(before) };
}

/** The states of a connection from its history, and when they were seen. */
function toGlanceHealth(
  history: StatusHistory,
): Pick<ConnectionGlance, 'latest' | 'lastAnswered' | 'platformState' | 'connectorState'> {
  const { latest, lastAnswered, platformState, connectorState } = history;
  return {
    latest: latest === null ? null : { ...toHealth(latest), failure: latest.failure },
    lastAnswered: lastAnswered === null ? null : toHealth(lastAnswered),
    platformState,
    connectorState,
  };
}

function toHealth({ platform, connector, checkedAtMs }: NonNullable<StatusHistory['latest']>) {
  return { platform, connector, checkedAtMs };
}

async function countTogether(
  directions: readonly GlanceSource[],
  edges: readonly number[],
): Promise<SpanTraffic[]> {
  const counted = await Promise.all(directions.map((direction) => direction.count(edges)));
  return edges.slice(0, -1).map((fromMs, place) => {
    const sum = (pick: (span: SpanTraffic) => number): number =>
      counted.reduce((total, spans) => total + (spans[place] === undefined ? 0 : pick(spans[place])), 0);
    return {
      fromMs,
      toMs: edges[place + 1] ?? fromMs,
      count: sum(({ count }) => count),
      failures: sum(({ failures }) => failures),
    };
  });
}

/** The newest moment up to which everything is cached. */
function findCachedEnd(uncached: readonly TimeSpan[], nowMs: number): number {
  let endMs = nowMs;
  for (const gap of uncached.toSorted((a, b) => b.toMs - a.toMs)) {
    if (gap.fromMs < endMs && gap.toMs >= endMs) endMs = gap.fromMs;
  }
  return endMs;
}

function toUsual(hours: readonly SpanTraffic[]): ConnectionGlance['usual'] {
  if (hours.length === 0) return null;
  const counts = hours.map(({ count }) => count).toSorted((a, b) => a - b);
  const middle = Math.floor(counts.length / 2);
  const upper = counts[middle] ?? 0;
  const median = counts.length % 2 === 1 ? upper : ((counts[middle - 1] ?? upper) + upper) / 2;
  const total = counts.reduce((sum, count) => sum + count, 0);
  const failures = hours.reduce((sum, hour) => sum + hour.failures, 0);
  return { days: hours.length, count: median, failureShare: total === 0 ? null : failures / total };
}

const STATUS_SPAN_MS = DAY_MS;

/** The handlers of `glance/…`. */
export function createGlanceHandlers(parts: {
  readonly cache: Cache;
  readonly engine: Pick<Engine, 'readHistogram'>;
  readonly connections: Pick<ConnectionStore, 'list'>;
  readonly ledger: Pick<Ledger, 'read'>;
  readonly monitor: Pick<Monitor, 'noteShown'>;
  now(): number;
}): HandlersOf<'glance'> {
  const { cache, engine, connections, ledger, monitor, now } = parts;
  const toSource = (connectionId: string, report: DetailKind): GlanceSource => ({
    async count(edges) {
      const { buckets, series } = await engine.readHistogram({
        scope: { connectionId, report, fromMs: edges[0] ?? 0, toMs: edges.at(-1) ?? 0 },
        filter: { conditions: [] },
        edges: [...edges],
        split: 'class',
        withMedian: false,
      });
      return buckets.map(({ fromMs, toMs, counts }) => ({
        fromMs,
        toMs,
        count: counts.reduce((sum, count) => sum + count, 0),
        failures: counts.reduce((sum, count, place) => sum + (isFailure(series[place]) ? count : 0), 0),
      }));
    },
    async findUncached(fromMs, toMs) {
      return listLacking((await ledger.read({ connectionId, report }, { fromMs, toMs })).spans);
    },
  });
  return {
    'glance/read': async () => {
      const nowMs = now();
      const glances: ConnectionGlance[] = [];
      const listed = await connections.list();
      // Counting takes its time: the checks run beside it.
      for (const { id } of listed) monitor.noteShown(id);
      for (const { id, plans } of listed) {
        const history = await cache.readStatusHistory({
          connectionId: id,
          spanMs: STATUS_SPAN_MS,
          ticks: 1,
          nowMs,
        });
        const traffic = await readTraffic(
          DETAIL_KINDS.map((report) => toSource(id, report)),
          nowMs,
          listSetAside(plans, { fromMs: nowMs - DAY_MS, toMs: nowMs }).filter(
            ({ channel, service }) => channel === undefined && service === undefined,
          ),
        );
        glances.push({ connectionId: id, ...toGlanceHealth(history), ...traffic });
      }
      return glances;
    },
  };
}

function isFailure(series: HistogramSeries | undefined): boolean {
  return series?.kind === 'class' && (series.codeClass === '4xx' || series.codeClass === '5xx');
}
