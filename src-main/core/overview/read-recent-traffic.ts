import type { RecentTraffic } from '../../common/model/analysis/recent-traffic.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import { MINUTE_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import { readCoverage } from '../analysis/read-coverage.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import { findLookBackMs } from '../connections/find-look-back.ts';
import { listWalkedParts } from '../snapshots/walked-parts.ts';

const MINUTES = 60;
/** What is older says nothing of the present. */
const MAX_AGE_MS = 15 * MINUTE_MS;

/**
 * Returns successes and failures minute by minute, back from the newest cached instant to the last gap, so that "no
 * success" is never said of a time of which nothing is known. Null where nothing recent is cached.
 */
export async function readRecentTraffic(
  {
    cache,
    engine,
    connections,
  }: {
    readonly cache: Cache;
    readonly engine: Pick<Engine, 'readHistogram'>;
    readonly connections: Pick<ConnectionStore, 'get'>;
  },
  { connectionId, report }: { readonly connectionId: string; readonly report: DetailKind },
  nowMs: number,
): Promise<RecentTraffic | null> {
  const span = { fromMs: nowMs - MINUTES * MINUTE_MS - MAX_AGE_MS, toMs: nowMs };
  const snapshots = (await cache.listSnapshots(connectionId)).filter((each) => each.report === report);
  const walked = await listWalkedParts(cache, connectionId, report);
  const lookBackMs = findLookBackMs(connections, connectionId);
  const { gaps } = readCoverage(snapshots, { ...span, buckets: 1 }, lookBackMs, walked);
  const cached = findLastCached(
    gaps.filter(({ state }) => state !== 'open'),
    span,
  );
  const count = Math.min(MINUTES, Math.floor((cached.toMs - cached.fromMs) / MINUTE_MS));
  if (count < 1 || nowMs - cached.toMs > MAX_AGE_MS) return null;
  const { toMs } = cached;
  const edges = Array.from({ length: count + 1 }, (_, place) => toMs - (count - place) * MINUTE_MS);
  const { buckets } = await engine.readHistogram({
    scope: { connectionId, report, fromMs: edges[0] ?? toMs, toMs },
    filter: { conditions: [] },
    edges,
    split: 'class',
    withMedian: false,
  });
  const minutes = buckets.map(({ counts: [fine = 0, redirected = 0, faulty = 0, broken = 0] }) => ({
    successes: fine + redirected,
    failures: faulty + broken,
  }));
  return { toMs, minutes };
}

/** The newest span between gaps, which are in order; empty where there is none. */
function findLastCached(gaps: readonly TimeSpan[], span: TimeSpan): TimeSpan {
  let toMs = span.toMs;
  for (const gap of gaps.toReversed()) {
    if (gap.toMs < toMs) return { fromMs: gap.toMs, toMs };
    toMs = Math.min(toMs, gap.fromMs);
  }
  return { fromMs: Math.min(span.fromMs, toMs), toMs };
}
