import type { HandlersOf } from '../../common/contract/index.ts';
import type { RecentTraffic } from '../../common/contract/operations/overview.ts';
import type { TimeBucket } from '../../common/model/records/record.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import { MINUTE_MS, SECOND_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Ledger } from '../coverage/ledger.ts';
import { listLacking, listRead, measureSpans, toBuckets } from '../coverage/read-holdings.ts';

interface VolumeQuestion extends TimeSpan {
  readonly connectionId: string;
  readonly buckets: number;
}

/** The handlers of `overview/…`. */
export function createOverviewHandlers(parts: {
  readonly engine: Engine;
  readonly ledger: Pick<Ledger, 'read'>;
  now(): number;
}): HandlersOf<'overview'> {
  const { engine, ledger, now } = parts;
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
  /** Shares of the buckets that were read to their end, 0 to 1. */
  const measureCoverage = async (
    { connectionId, fromMs, toMs, buckets }: VolumeQuestion,
    report: DetailKind,
  ): Promise<number[]> => {
    const { spans } = await ledger.read({ connectionId, report }, { fromMs, toMs });
    return toBuckets(spans, buckets).map(({ settled, open }) => Math.min(1, settled + open));
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

const MINUTES = 60;
/** What is older says nothing of the present. */
const MAX_AGE_MS = 15 * MINUTE_MS;

/**
 * Returns successes and failures minute by minute, back from the newest cached instant to the last gap, so that "no
 * success" is never said of a time of which nothing is known. Null where nothing recent is cached.
 */
async function readRecentTraffic(
  {
    engine,
    ledger,
  }: { readonly engine: Pick<Engine, 'readHistogram'>; readonly ledger: Pick<Ledger, 'read'> },
  { connectionId, report }: { readonly connectionId: string; readonly report: DetailKind },
  nowMs: number,
): Promise<RecentTraffic | null> {
  const span = { fromMs: nowMs - MINUTES * MINUTE_MS - MAX_AGE_MS, toMs: nowMs };
  const { spans } = await ledger.read({ connectionId, report }, span);
  const cached = listRead(spans).at(-1) ?? { fromMs: nowMs, toMs: nowMs };
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

interface Known {
  readonly missingMs: number;
  /** Nothing of the period has been read to its end. */
  readonly isEmpty: boolean;
}

/** The handlers of `several/…`. */
export function createSeveralHandlers(parts: {
  readonly engine: Pick<Engine, 'measureConnections' | 'findSharedFamilies'>;
  readonly connections: Pick<ConnectionStore, 'get'>;
  readonly ledger: Pick<Ledger, 'read'>;
  now(): number;
}): HandlersOf<'several'> {
  const { engine, connections, ledger, now } = parts;
  const readKnown = async (
    connectionId: string,
    { report, fromMs, ...asked }: TimeSpan & { readonly report: DetailKind },
  ): Promise<Known> => {
    // Nobody can have cached what is still to come.
    const toMs = Math.min(asked.toMs, Math.floor(now() / SECOND_MS) * SECOND_MS);
    if (toMs <= fromMs) return { missingMs: 0, isEmpty: true };
    const { spans } = await ledger.read({ connectionId, report }, { fromMs, toMs });
    const missingMs = measureSpans(listLacking(spans));
    return { missingMs, isEmpty: missingMs >= toMs - fromMs };
  };
  /** Throws for a connection that is gone. */
  const toScopes = (
    connectionIds: readonly string[],
    { report, fromMs, toMs }: TimeSpan & { readonly report: DetailKind },
  ) => connectionIds.map((id) => ({ connectionId: connections.get(id).id, report, fromMs, toMs }));

  return {
    'several/read-figures': async ({ connectionIds, filter, family, ...period }) => {
      const scopes = toScopes(connectionIds, period);
      const known = await Promise.all(connectionIds.map((id) => readKnown(id, period)));
      const measured = await engine.measureConnections({ scopes, filter, family: family ?? null });
      return measured.map(({ connectionId, ...figures }, place) => {
        const { missingMs, isEmpty } = known[place] ?? { missingMs: 0, isEmpty: true };
        return { connectionId, missingMs, figures: isEmpty && figures.count === 0 ? null : figures };
      });
    },
    'several/find-error-families': async ({ connectionIds, filter, ...period }) => {
      const scopes = toScopes(connectionIds, period);
      const known = await Promise.all(connectionIds.map((id) => readKnown(id, period)));
      const { families, familyCount, totals } = await engine.findSharedFamilies({ scopes, filter });
      return {
        families,
        familyCount,
        connections: totals.map(({ connectionId, ...counts }, place) => {
          const { missingMs, isEmpty } = known[place] ?? { missingMs: 0, isEmpty: true };
          return { connectionId, missingMs, counts: isEmpty && counts.recordCount === 0 ? null : counts };
        }),
      };
    },
  };
}
