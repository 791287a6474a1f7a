import type { Output } from '../../common/contract/index.ts';
import { toEndMs } from '../../common/model/period.ts';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';

type Coverage = Output<'snapshots/read-coverage'>;
type GapState = Coverage['gaps'][number]['state'];
type SpanState = GapState | 'settled';

interface CoverageSpan extends TimeSpan {
  readonly state: SpanState;
}

/** What a download that is not over holds of its period. */
export interface WalkedPart {
  /** Its slices were read to their end up to here; exclusive. */
  readonly walkedToMs: number;
  /** Nothing is known to lack in them. */
  readonly isSound: boolean;
  /** What the records reach that came of the next slice; null where none came. */
  readonly reached: TimeSpan | null;
}

/** The better comes first: of several snapshots the best state counts for an instant. */
const RANKS = ['settled', 'open', 'partial', 'failed', 'missing'] as const;

/**
 * Returns how each instant of [fromMs, toMs) is cached over all snapshots of one report. A still open
 * snapshot is settled up to `lookBackMs` before it was begun (decision 27); a followed day says itself how far it is. Of a download that is not over, what was
 * read to its end counts as that, and what its records reach counts as partial. Where it ended early it is not known
 * which records are missing, so its whole period counts as partial.
 */
export function readCoverage(
  snapshots: readonly Snapshot[],
  range: TimeSpan & { buckets: number },
  lookBackMs: number,
  walked: ReadonlyMap<number, WalkedPart> = new Map(),
): Coverage {
  const spans = flattenSpans(
    snapshots.flatMap((snapshot) => toSpans(snapshot, lookBackMs, walked.get(snapshot.id))),
    range.fromMs,
    range.toMs,
  );
  const gaps = spans.flatMap(({ fromMs, toMs, state }) =>
    state === 'settled' ? [] : [{ fromMs, toMs, state }],
  );
  return { buckets: countShares(spans, range), gaps };
}

function toSpans(snapshot: Snapshot, lookBackMs: number, walked: WalkedPart | undefined): CoverageSpan[] {
  const { fromMs } = snapshot.period;
  const toMs = toEndMs(snapshot.period);
  const failed: CoverageSpan[] = snapshot.state === 'failed' ? [{ fromMs, toMs, state: 'failed' }] : [];
  if (walked !== undefined && snapshot.state !== 'complete') {
    const { walkedToMs, isSound, reached } = walked;
    const whole = { fromMs, toMs: walkedToMs };
    return [
      ...failed,
      ...(isSound ? toReadSpans(whole, snapshot, lookBackMs) : [{ ...whole, state: 'partial' as const }]),
      ...(reached === null ? [] : [{ ...reached, state: 'partial' as const }]),
    ].filter((part) => part.toMs > part.fromMs);
  }
  if (snapshot.state === 'failed') return failed;
  if (snapshot.state !== 'complete') {
    return snapshot.recordCount > 0 ? [{ fromMs, toMs, state: 'partial' }] : [];
  }
  return toReadSpans({ fromMs, toMs }, snapshot, lookBackMs);
}

/** What was read to its end. */
function toReadSpans({ fromMs, toMs }: TimeSpan, snapshot: Snapshot, lookBackMs: number): CoverageSpan[] {
  if (!snapshot.stillOpen) return [{ fromMs, toMs, state: 'settled' }];
  const isFollowed = snapshot.settledToMs !== undefined;
  const settledUntilMs =
    snapshot.settledToMs ?? Math.floor((snapshot.startedAtMs - lookBackMs) / 1000) * 1000;
  const middle = Math.min(toMs, Math.max(fromMs, settledUntilMs));
  const parts: CoverageSpan[] = [
    { fromMs, toMs: middle, state: 'settled' },
    // What is later than the start of the download was never requested in full.
    {
      fromMs: middle,
      toMs: isFollowed ? toMs : Math.min(toMs, Math.max(middle, snapshot.startedAtMs)),
      state: 'open',
    },
  ];
  return parts.filter((part) => part.toMs > part.fromMs);
}

/** Cuts overlapping spans into ones side by side that fill the range, each with its best state. */
function flattenSpans(spans: readonly CoverageSpan[], fromMs: number, toMs: number): CoverageSpan[] {
  const changes = spans
    .filter((span) => span.toMs > fromMs && span.fromMs < toMs)
    .flatMap(({ state, ...span }) => [
      { atMs: Math.max(fromMs, span.fromMs), state, change: 1 },
      { atMs: Math.min(toMs, span.toMs), state, change: -1 },
    ])
    .sort((a, b) => a.atMs - b.atMs);
  const open = new Map<SpanState, number>();
  const flat: CoverageSpan[] = [];
  let sinceMs = fromMs;
  const closeUntil = (atMs: number): void => {
    if (atMs <= sinceMs) return;
    const state = RANKS.find((rank) => (open.get(rank) ?? 0) > 0) ?? 'missing';
    const last = flat.at(-1);
    if (last?.state === state) flat[flat.length - 1] = { ...last, toMs: atMs };
    else flat.push({ fromMs: sinceMs, toMs: atMs, state });
    sinceMs = atMs;
  };
  for (const { atMs, state, change } of changes) {
    closeUntil(atMs);
    open.set(state, (open.get(state) ?? 0) + change);
  }
  closeUntil(toMs);
  return flat;
}

function countShares(
  spans: readonly CoverageSpan[],
  range: TimeSpan & { buckets: number },
): Coverage['buckets'] {
  const edge = (place: number): number =>
    Math.round(range.fromMs + (place * (range.toMs - range.fromMs)) / range.buckets);
  const buckets = Array.from({ length: range.buckets }, (_, place) => ({
    fromMs: edge(place),
    toMs: edge(place + 1),
    settled: 0,
    open: 0,
    partial: 0,
    failed: 0,
  }));
  let first = 0;
  for (const { fromMs, toMs, state } of spans) {
    if (state === 'missing') continue;
    while ((buckets[first]?.toMs ?? Infinity) <= fromMs) first += 1;
    for (let place = first; place < buckets.length; place += 1) {
      const bucket = buckets[place];
      if (bucket === undefined || bucket.fromMs >= toMs) break;
      const overlapMs = Math.min(toMs, bucket.toMs) - Math.max(fromMs, bucket.fromMs);
      bucket[state] += Math.max(0, overlapMs) / Math.max(1, bucket.toMs - bucket.fromMs);
    }
  }
  return buckets;
}
