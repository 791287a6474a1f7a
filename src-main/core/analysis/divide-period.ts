import { toEndMs } from '../../common/model/period.ts';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import { SECOND_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';

/** The moments of a span for which one snapshot counts: rising spans that don't touch. */
export interface Segment {
  readonly snapshotId: number;
  readonly spans: readonly TimeSpan[];
}

/** A span for which one of several snapshots counts. */
export interface OwnedSpan extends TimeSpan {
  readonly snapshotId: number;
}

/**
 * Returns which of some snapshots holds the most records at each moment of a span, of equal ones the first, in spans side
 * by side that fill it.
 */
type FindOwners = (candidates: readonly Snapshot[], span: TimeSpan) => Promise<readonly OwnedSpan[]>;

/** A period as it is divided among the snapshots of one connection and report. */
interface DividedPeriod {
  /** In the order of time; no moment is in two of them, and what nothing is cached of is in none. */
  readonly segments: readonly Segment[];
  /** Snapshots that no later one replaces as a whole, the one fetched last first. */
  readonly counted: readonly Snapshot[];
}

/**
 * Divides [fromMs, toMs) among the snapshots of one connection and report, so that each moment counts once
 * (decision 33): of several snapshots the one fetched later counts where it is complete for that moment, else the one
 * with more records there. Nothing depends on the span that is asked for: what two spans have in common is divided alike.
 */
export async function dividePeriod(
  snapshots: readonly Snapshot[],
  span: TimeSpan,
  findOwners: FindOwners,
): Promise<DividedPeriod> {
  const cached = snapshots
    .filter(({ recordCount, state }) => recordCount > 0 || state === 'complete')
    .sort((a, b) => b.fetchedOrder - a.fetchedOrder || b.id - a.id);
  const edges = listEdges(cached);
  const segments: Segment[] = [];
  const counted = new Set<Snapshot>();
  for (const [place, fromMs] of edges.entries()) {
    const toMs = edges[place + 1];
    if (toMs === undefined || fromMs >= span.toMs) break;
    if (toMs <= span.fromMs) continue;
    const candidates = listCandidates(cached, { fromMs, toMs });
    const [only, ...others] = candidates;
    if (only === undefined) continue;
    for (const candidate of candidates) counted.add(candidate);
    const owned =
      others.length === 0
        ? [{ fromMs, toMs, snapshotId: only.id }]
        : await findOwners(candidates, { fromMs, toMs });
    for (const segment of toSegments(owned, span)) addSegment(segments, segment);
  }
  return { segments, counted: cached.filter((snapshot) => counted.has(snapshot)) };
}

/** True where a service may have returned the same record to both: what they asked for meets (decision 5). */
export function isOverlapping(one: Snapshot, other: Snapshot): boolean {
  return (
    one.period.fromMs < toEndMs(other.period) + SECOND_MS &&
    other.period.fromMs < toEndMs(one.period) + SECOND_MS
  );
}

/** Instants from which on the answer may be another one. */
function listEdges(snapshots: readonly Snapshot[]): number[] {
  const edges = snapshots.flatMap((snapshot) => [
    snapshot.period.fromMs,
    toCoveredUntilMs(snapshot),
    toEndMs(snapshot.period),
  ]);
  return [...new Set(edges)].sort((a, b) => a - b);
}

/** Snapshots that may count between two edges, the one fetched last first; none after the first complete one. */
function listCandidates(latestFirst: readonly Snapshot[], { fromMs, toMs }: TimeSpan): Snapshot[] {
  const holding = latestFirst.filter(({ period }) => period.fromMs <= fromMs && toEndMs(period) >= toMs);
  const place = holding.findIndex((snapshot) => isComplete(snapshot, toMs));
  return place === -1 ? holding : holding.slice(0, place + 1);
}

/**
 * Up to where a complete snapshot holds everything: what lay ahead when it was begun was never asked for in full. The
 * period of a followed day grows only with what was read to its end.
 */
function toCoveredUntilMs(snapshot: Snapshot): number {
  const endMs = toEndMs(snapshot.period);
  if (!snapshot.stillOpen || snapshot.settledToMs !== undefined) return endMs;
  return Math.max(snapshot.period.fromMs, Math.min(endMs, snapshot.startedAtMs));
}

function isComplete(snapshot: Snapshot, toMs: number): boolean {
  return snapshot.state === 'complete' && toMs <= toCoveredUntilMs(snapshot);
}

/** The spans of each snapshot, as far as they lie in a span; the snapshot with the first of them first. */
function toSegments(owned: readonly OwnedSpan[], span: TimeSpan): Segment[] {
  const spans = new Map<number, TimeSpan[]>();
  for (const { snapshotId, ...own } of owned) {
    const fromMs = Math.max(own.fromMs, span.fromMs);
    const toMs = Math.min(own.toMs, span.toMs);
    if (fromMs >= toMs) continue;
    spans.set(snapshotId, [...(spans.get(snapshotId) ?? []), { fromMs, toMs }]);
  }
  return [...spans].map(([snapshotId, own]) => ({ snapshotId, spans: own }));
}

/** Joins what goes on across an edge, so that fewer parts are asked for. */
function addSegment(segments: Segment[], next: Segment): void {
  const last = segments.at(-1);
  const [lastSpan, firstSpan] = [last?.spans.at(-1), next.spans[0]];
  const isGoingOn =
    last?.snapshotId === next.snapshotId && lastSpan !== undefined && lastSpan.toMs === firstSpan?.fromMs;
  if (!isGoingOn) segments.push(next);
  else {
    const joined = { fromMs: lastSpan.fromMs, toMs: firstSpan.toMs };
    segments[segments.length - 1] = {
      snapshotId: next.snapshotId,
      spans: [...last.spans.slice(0, -1), joined, ...next.spans.slice(1)],
    };
  }
}
