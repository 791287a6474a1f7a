import type { HandlersOf } from '../../common/contract/index.ts';
import type { TimeBucket } from '../../common/model/records/record.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import { readCoverage } from '../analysis/read-coverage.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import { findLookBackMs } from '../connections/find-look-back.ts';
import { readRecentTraffic } from './read-recent-traffic.ts';
import { listWalkedParts } from '../snapshots/walked-parts.ts';

interface VolumeQuestion extends TimeSpan {
  readonly connectionId: string;
  readonly buckets: number;
}

/** The handlers of `overview/…`. */
export function createOverviewHandlers(parts: {
  readonly cache: Cache;
  readonly engine: Engine;
  readonly connections: Pick<ConnectionStore, 'get'>;
  now(): number;
}): HandlersOf<'overview'> {
  const { cache, engine, connections, now } = parts;
  const countVolume = async (
    { connectionId, fromMs, toMs, buckets }: VolumeQuestion,
    report: DetailKind,
  ): Promise<TimeBucket[]> => {
    const edges = Array.from({ length: buckets + 1 }, (_, place) =>
      Math.round(fromMs + (place * (toMs - fromMs)) / buckets),
    );
    const { buckets: found } = await engine.readHistogram({
      scope: { connectionId, report, fromMs, toMs },
      filter: { conditions: [] },
      edges,
      split: 'class',
      withMedian: false,
    });
    return found.map(({ fromMs, toMs, counts }) => ({ fromMs, toMs, counts }));
  };
  /** Shares of the buckets that settled or still open snapshots cover, 0 to 1. */
  const measureCoverage = async (
    { connectionId, fromMs, toMs, buckets }: VolumeQuestion,
    report: DetailKind,
  ): Promise<number[]> => {
    const snapshots = await cache.listSnapshots(connectionId);
    const own = snapshots.filter((snapshot) => snapshot.report === report);
    const walked = await listWalkedParts(cache, connectionId, report);
    const lookBackMs = findLookBackMs(connections, connectionId);
    const covered = readCoverage(own, { fromMs, toMs, buckets }, lookBackMs, walked);
    return covered.buckets.map(({ settled, open }) => Math.min(1, settled + open));
  };
  return {
    'overview/read-recent-traffic': async ({ connectionId }) => {
      const nowMs = now();
      const [inbound, outbound] = await Promise.all([
        readRecentTraffic(parts, { connectionId, report: 'inbound-detail' }, nowMs),
        readRecentTraffic(parts, { connectionId, report: 'outbound-detail' }, nowMs),
      ]);
      return { inbound, outbound };
    },
    'overview/read-volume': async (span) => {
      const [inbound, outbound, inboundCovered, outboundCovered] = await Promise.all([
        countVolume(span, 'inbound-detail'),
        countVolume(span, 'outbound-detail'),
        measureCoverage(span, 'inbound-detail'),
        measureCoverage(span, 'outbound-detail'),
      ]);
      return {
        inbound,
        outbound,
        inboundCovered,
        outboundCovered,
        inboundCoverage: toAverage(inboundCovered),
        outboundCoverage: toAverage(outboundCovered),
      };
    },
  };
}

/** Buckets are equally long. */
function toAverage(shares: readonly number[]): number {
  return shares.length === 0 ? 0 : shares.reduce((sum, share) => sum + share, 0) / shares.length;
}
