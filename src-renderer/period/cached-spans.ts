import type { Snapshot } from '../../src-main/common/model/snapshot.ts';

export interface Span {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

/**
 * Returns what a snapshot holds of its period. Records arrive oldest first (decision 9), so an unfinished download
 * holds the beginning, in proportion to its records; one that may lack records never counts as whole.
 */
function toCachedSpans(snapshot: Snapshot): Span[] {
  const fromMs = snapshot.period.fromMs;
  const endMs = snapshot.period.toMs + 1000;
  if (snapshot.state === 'complete') {
    const toMs = snapshot.stillOpen ? Math.min(endMs, snapshot.fetchedAtMs ?? fromMs) : endMs;
    return toMs > fromMs ? [{ fromMs, toMs }] : [];
  }
  if (snapshot.recordCount === 0) return [];
  const expected = Math.max(snapshot.totalDocument ?? 0, snapshot.recordCount);
  const share = Math.min(0.99, snapshot.recordCount / expected);
  return [{ fromMs, toMs: fromMs + Math.round((endMs - fromMs) * share) }];
}

/** Returns the spans that snapshots hold, joined and in order; their ends are exclusive. */
export function collectCachedSpans(snapshots: readonly Snapshot[]): Span[] {
  return joinSpans(snapshots.flatMap(toCachedSpans));
}

function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = joined.at(-1);
    if (last !== undefined && span.fromMs <= last.toMs) {
      joined[joined.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, span.toMs) };
    } else {
      joined.push(span);
    }
  }
  return joined;
}
