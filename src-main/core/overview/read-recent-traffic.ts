import type { RecentTraffic } from '../../common/model/analysis/recent-traffic.ts';
import type { DetailKind } from '../../common/reporting/reports.ts';
import { MINUTE_MS } from '../../common/time/durations.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import { listRead } from '../coverage/coverage-spans.ts';
import type { Ledger } from '../coverage/create-ledger.ts';

const MINUTES = 60;
/** What is older says nothing of the present. */
const MAX_AGE_MS = 15 * MINUTE_MS;

/**
 * Returns successes and failures minute by minute, back from the newest cached instant to the last gap, so that "no
 * success" is never said of a time of which nothing is known. Null where nothing recent is cached.
 */
export async function readRecentTraffic(
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
