import type { Period } from '../../common/model/period.ts';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import { fromWireDate, toWireDate } from '../../common/reporting/wire-dates.ts';
import { HOUR_MS, SECOND_MS } from '../../common/time/durations.ts';
import { isShownTwice } from '../../common/time/time-zones.ts';

/** An inclusive span at whole seconds. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

const MAX_GAPS = 100;

/**
 * The part of a snapshot that will not change any more, or is being fetched; null where there is none. Records may arrive
 * `lookBackMs` after their time; a younger period stays open (decision 27). Of a download that is not over, its slices
 * before `walkedToMs` were read to their end.
 */
export function toCoveredSpan(
  snapshot: Snapshot,
  isUnderWay: boolean,
  lookBackMs: number,
  walkedToMs = snapshot.period.fromMs,
): Span | null {
  const { period, state, stillOpen, startedAtMs, settledToMs } = snapshot;
  if (isUnderWay) return period;
  // Exclusive: of the second that the look-back ends in, records may still arrive.
  const settledEndMs = settledToMs ?? Math.floor((startedAtMs - lookBackMs) / SECOND_MS) * SECOND_MS;
  const readMs = state === 'complete' ? period.toMs : walkedToMs - SECOND_MS;
  const toMs = stillOpen ? Math.min(readMs, settledEndMs - SECOND_MS) : readMs;
  return toMs < period.fromMs ? null : { fromMs: period.fromMs, toMs };
}

/** The parts of a span that no other span covers, at whole seconds; at most the oldest `most`, in order. */
export function findGaps(span: Span, covered: readonly Span[], most = MAX_GAPS): Span[] {
  const gaps: Span[] = [];
  let fromMs = Math.floor(span.fromMs / SECOND_MS) * SECOND_MS;
  const lastMs = Math.floor(span.toMs / SECOND_MS) * SECOND_MS;
  for (const each of covered.toSorted((a, b) => a.fromMs - b.fromMs)) {
    if (each.fromMs > lastMs) break;
    if (each.fromMs > fromMs) gaps.push({ fromMs, toMs: each.fromMs - SECOND_MS });
    fromMs = Math.max(fromMs, each.toMs + SECOND_MS);
  }
  if (fromMs <= lastMs) gaps.push({ fromMs, toMs: lastMs });
  return gaps.slice(0, most);
}

/**
 * The beginning that a request which fills a gap asks for: the second before it (decision 5). What is cached before the
 * gap ends there, and left out what lay at the gap's first instant: a service that excludes the beginning would leave
 * it out a second time.
 */
export function toAskedStart({ fromMs, toMs, zone }: Period): string {
  return toPeriod({ fromMs: fromMs - SECOND_MS, toMs }, zone).startDate;
}

/**
 * The period of a request that holds the span. Where the service's clock shows an end twice, the period is made an hour
 * longer there, whichever of the two the service takes it for: a record twice in the cache counts once, one left out is
 * lost.
 */
export function toPeriod({ fromMs, toMs }: Span, zone: string): Period {
  const isExact = (ms: number): boolean => fromWireDate(toWireDate(ms, zone), zone) === ms;
  const from = isShownTwice(fromMs, zone) ? fromMs - HOUR_MS : fromMs;
  const to = isExact(toMs) ? toMs : toMs + HOUR_MS;
  return {
    startDate: toWireDate(from, zone),
    endDate: toWireDate(to, zone),
    fromMs: from,
    toMs: to,
    zone,
  };
}
