import type { HandlersOf } from '../../common/contract/index.ts';
import type { TimeBucket } from '../../common/model/record.ts';
import { DETAIL_KINDS, REPORTS, type DetailKind } from '../../common/reporting/reports.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import { findAttention } from '../analysis/find-attention.ts';
import { readCoverage } from '../analysis/read-coverage.ts';
import type { Cache } from '../cache/cache.ts';
import { LOOK_BACK_MS } from '../downloads/find-gaps.ts';

interface Span {
  readonly connectionId: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly buckets: number;
}

/** The handlers of `overview/…`. */
export function createOverviewHandlers(parts: {
  readonly cache: Cache;
  readonly engine: Engine;
}): HandlersOf<'overview'> {
  const { cache, engine } = parts;
  const countVolume = async (
    { connectionId, fromMs, toMs, buckets }: Span,
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
  /** Share of the span that settled or still open snapshots cover, 0 to 1. */
  const measureCoverage = async (
    { connectionId, fromMs, toMs }: Span,
    report: DetailKind,
  ): Promise<number> => {
    const snapshots = await cache.listSnapshots(connectionId);
    const own = snapshots.filter((snapshot) => snapshot.report === report);
    const [whole] = readCoverage(own, { fromMs, toMs, buckets: 1 }, LOOK_BACK_MS).buckets;
    return whole === undefined ? 0 : Math.min(1, whole.settled + whole.open);
  };
  return {
    'overview/read-volume': async (span) => {
      const [inbound, outbound, inboundCoverage, outboundCoverage] = await Promise.all([
        countVolume(span, 'inbound-detail'),
        countVolume(span, 'outbound-detail'),
        measureCoverage(span, 'inbound-detail'),
        measureCoverage(span, 'outbound-detail'),
      ]);
      return { inbound, outbound, inboundCoverage, outboundCoverage };
    },
    'overview/read-attention': async ({ connectionId }) => {
      const found = [];
      for (const report of DETAIL_KINDS) {
        const traffic = await engine.findFlows({ connectionId, report });
        if (traffic !== null) found.push(...findAttention(REPORTS[report].direction, traffic));
      }
      return found;
    },
  };
}
