import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';

/** A part of a span for which one snapshot counts. */
export interface Segment extends TimeSpan {
  readonly snapshotId: number;
}

/** Number of dated records of a snapshot in [fromMs, toMs). */
export type CountRecords = (snapshotId: number, fromMs: number, toMs: number) => Promise<number>;

/** An instant from which on the answer may be another one. */
type Edge = number;

/**
 * Divides [fromMs, toMs) among the snapshots of one connection and report, so that each moment counts once
 * (decision 33): of several snapshots the one fetched later counts where it is complete for that moment, else
 * the one with more records there. Segments are in the order of time and don't overlap; moments that nothing is
 * cached of are in none.
 */
export async function dividePeriod(
  snapshots: readonly Snapshot[],
  span: TimeSpan,
  countRecords: CountRecords,
): Promise<Segment[]> {
  const cached = snapshots.filter(({ recordCount, state }) => recordCount > 0 || state === 'complete');
  const edges = listEdges(cached, span);
  const segments: Segment[] = [];
  for (const [place, fromMs] of edges.entries()) {
    const toMs = edges[place + 1];
    if (toMs === undefined) break;
    const owner = await findOwner(cached, { fromMs, toMs }, countRecords);
    if (owner === null) continue;
    const last = segments.at(-1);
    if (last?.snapshotId === owner.id && last.toMs === fromMs) {
      segments[segments.length - 1] = { ...last, toMs };
    } else segments.push({ fromMs, toMs, snapshotId: owner.id });
  }
  return segments;
}

function listEdges(snapshots: readonly Snapshot[], span: TimeSpan): Edge[] {
  const edges = snapshots.flatMap((snapshot) => [
    snapshot.period.fromMs,
    toCoveredUntilMs(snapshot),
    toEndMs(snapshot),
  ]);
  const inside = edges.filter((edge) => edge > span.fromMs && edge < span.toMs);
  return [...new Set([span.fromMs, ...inside, span.toMs])].sort((a, b) => a - b);
}

/** The last second asked for is included (decision 5). */
function toEndMs({ period }: Snapshot): number {
  return period.toMs + 1000;
}

/**
 * Up to where a complete snapshot holds everything: what lay ahead when it was begun was never asked for in full. The
 * period of a followed day grows only with what was read to its end.
 */
function toCoveredUntilMs(snapshot: Snapshot): number {
  return snapshot.stillOpen && snapshot.settledToMs === undefined
    ? Math.min(toEndMs(snapshot), snapshot.startedAtMs)
    : toEndMs(snapshot);
}

function isComplete(snapshot: Snapshot, toMs: number): boolean {
  return snapshot.state === 'complete' && toMs <= toCoveredUntilMs(snapshot);
}

async function findOwner(
  snapshots: readonly Snapshot[],
  { fromMs, toMs }: TimeSpan,
  countRecords: CountRecords,
): Promise<Snapshot | null> {
  const candidates = snapshots
    .filter((snapshot) => snapshot.period.fromMs <= fromMs && toEndMs(snapshot) >= toMs)
    .sort((a, b) => toFetchedMs(b) - toFetchedMs(a) || b.id - a.id);
  const [latest] = candidates;
  if (latest === undefined) return null;
  if (candidates.length === 1 || isComplete(latest, toMs)) return latest;
  let best = { snapshot: latest, count: -1, complete: false };
  for (const snapshot of candidates) {
    const count = await countRecords(snapshot.id, fromMs, toMs);
    const complete = isComplete(snapshot, toMs);
    if (count > best.count || (count === best.count && complete && !best.complete)) {
      best = { snapshot, count, complete };
    }
  }
  return best.snapshot;
}

function toFetchedMs(snapshot: Snapshot): number {
  return snapshot.fetchedAtMs ?? snapshot.startedAtMs;
}
