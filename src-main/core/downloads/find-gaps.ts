import type { Period } from '../../common/model/period.ts';
import type { Snapshot } from '../../common/model/snapshot.ts';
import { fromWireDate, toWireDate } from '../../common/reporting/wire-dates.ts';

/** An inclusive span at whole seconds. */
interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Records may still arrive this long after their time; a younger period stays open (decision 27). */
export const LOOK_BACK_MS = 600_000;
const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
const MAX_GAPS = 100;

/** The part of a snapshot that will not change any more, or is being fetched; null where there is none. */
export function toCoveredSpan(snapshot: Snapshot, isUnderWay: boolean): Span | null {
  const { period, state, stillOpen, startedAtMs } = snapshot;
  if (isUnderWay) return period;
  if (state !== 'complete') return null;
  const settledMs = Math.floor((startedAtMs - LOOK_BACK_MS) / SECOND_MS) * SECOND_MS;
  const toMs = stillOpen ? Math.min(period.toMs, settledMs) : period.toMs;
  return toMs < period.fromMs ? null : { fromMs: period.fromMs, toMs };
}

/** What of a span no other span covers, at whole seconds, oldest first; at most 100, the newest of them left out. */
export function findGaps(span: Span, covered: readonly Span[]): Span[] {
  const gaps: Span[] = [];
  let fromMs = Math.floor(span.fromMs / SECOND_MS) * SECOND_MS;
  const lastMs = Math.floor(span.toMs / SECOND_MS) * SECOND_MS;
  for (const each of covered.toSorted((a, b) => a.fromMs - b.fromMs)) {
    if (each.fromMs > lastMs) break;
    if (each.fromMs > fromMs) gaps.push({ fromMs, toMs: each.fromMs - SECOND_MS });
    fromMs = Math.max(fromMs, each.toMs + SECOND_MS);
  }
  if (fromMs <= lastMs) gaps.push({ fromMs, toMs: lastMs });
  return gaps.slice(0, MAX_GAPS);
}

/**
 * The period of a request that holds the span. Where a clock change makes an end ambiguous in the service's
 * zone, the period is made an hour longer there: a record twice in the cache counts once, one left out is lost.
 */
export function toPeriod({ fromMs, toMs }: Span, zone: string): Period {
  const isExact = (ms: number): boolean => fromWireDate(toWireDate(ms, zone), zone) === ms;
  const from = isExact(fromMs) ? fromMs : fromMs - HOUR_MS;
  const to = isExact(toMs) ? toMs : toMs + HOUR_MS;
  return {
    startDate: toWireDate(from, zone),
    endDate: toWireDate(to, zone),
    fromMs: from,
    toMs: to,
    zone,
  };
}
