import type { TimeSpan } from '../../common/time/time-span.ts';

/** The better comes first: where several snapshots hold a moment, the best state counts. */
const STATES = ['settled', 'open', 'partial', 'failed', 'missing'] as const;

/**
 * What is known of a moment. `settled`: read to its end, and the connection's look-back had passed by then. `open`: read to
 * its end, late records may still come. `partial`: some records are there. `failed`: requested, and nothing came.
 */
export type CoverageState = (typeof STATES)[number];

/** A span in which coverage is the same throughout. */
export interface CoverageSpan extends TimeSpan {
  readonly state: CoverageState;
  /** What is fetching it now: the id of a task, or the name that following goes by; null for nothing. */
  readonly fetching: string | null;
  /** False while some of its records are stored but not yet in the engine. */
  readonly ready: boolean;
}

/** Something that is known of a span, beside other things that are known of it. */
export interface CoverageFact extends TimeSpan {
  readonly state?: CoverageState;
  readonly fetching?: string | null;
  readonly ready?: boolean;
}

/** Cuts overlapping facts into spans side by side that fill [fromMs, toMs). */
export function layOut(facts: readonly CoverageFact[], { fromMs, toMs }: TimeSpan): CoverageSpan[] {
  if (toMs <= fromMs) return [];
  const changes = facts
    .filter((fact) => fact.toMs > fact.fromMs && fact.toMs > fromMs && fact.fromMs < toMs)
    .flatMap((fact) => [
      { atMs: Math.max(fromMs, fact.fromMs), fact, begins: true },
      { atMs: Math.min(toMs, fact.toMs), fact, begins: false },
    ])
    .sort((a, b) => a.atMs - b.atMs);
  const held = new Map<CoverageState, number>();
  const fetching: string[] = [];
  const spans: CoverageSpan[] = [];
  let unready = 0;
  let sinceMs = fromMs;
  const closeUntil = (atMs: number): void => {
    if (atMs <= sinceMs) return;
    const state = STATES.find((each) => (held.get(each) ?? 0) > 0) ?? 'missing';
    spans.push({ fromMs: sinceMs, toMs: atMs, state, fetching: fetching[0] ?? null, ready: unready === 0 });
    sinceMs = atMs;
  };
  for (const { atMs, fact, begins } of changes) {
    closeUntil(atMs);
    if (fact.state !== undefined) held.set(fact.state, (held.get(fact.state) ?? 0) + (begins ? 1 : -1));
    if (fact.ready === false) unready += begins ? 1 : -1;
    if (typeof fact.fetching !== 'string') continue;
    if (begins) fetching.push(fact.fetching);
    else fetching.splice(fetching.indexOf(fact.fetching), 1);
  }
  closeUntil(toMs);
  return join(spans, isAlike);
}

/** Joins neighbours that are alike; the first one's other fields stay. */
export function join<Span extends TimeSpan>(
  spans: readonly Span[],
  areAlike: (a: Span, b: Span) => boolean,
): Span[] {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last?.toMs === span.fromMs && areAlike(last, span)) joined[joined.length - 1] = { ...last, toMs: span.toMs };
    else joined.push(span);
  }
  return joined;
}

function isAlike(a: CoverageSpan, b: CoverageSpan): boolean {
  return a.state === b.state && a.fetching === b.fetching && a.ready === b.ready;
}

/** Whether all that the service had of a moment was read; late records may still come. */
export function isRead({ state }: Pick<CoverageSpan, 'state'>): boolean {
  return state === 'settled' || state === 'open';
}

/** What was not read to its end, with neighbours joined. */
export function listLacking(spans: readonly CoverageSpan[]): TimeSpan[] {
  return toPlain(spans.filter((span) => !isRead(span)));
}

/** What was read to its end, with neighbours joined. */
export function listRead(spans: readonly CoverageSpan[]): TimeSpan[] {
  return toPlain(spans.filter(isRead));
}

/** The sum of the lengths of spans, in milliseconds. */
export function measureSpans(spans: readonly TimeSpan[]): number {
  return spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
}

/** Spans without what else is known of them, with neighbours joined. */
export function toPlain(spans: readonly TimeSpan[]): TimeSpan[] {
  return join(
    spans.map(({ fromMs, toMs }) => ({ fromMs, toMs })),
    () => true,
  );
}

/** A bucket of a span, and which share of it each state has; what is left was never fetched. */
export interface CoverageBucket extends TimeSpan, Readonly<Record<Exclude<CoverageState, 'missing'>, number>> {}

/** Divides the span that coverage fills into equal buckets. */
export function toBuckets(spans: readonly CoverageSpan[], count: number): CoverageBucket[] {
  const fromMs = spans[0]?.fromMs ?? 0;
  const lengthMs = (spans.at(-1)?.toMs ?? 0) - fromMs;
  const edge = (place: number): number => Math.round(fromMs + (place * lengthMs) / count);
  const buckets = Array.from({ length: count }, (_, place) => ({
    fromMs: edge(place),
    toMs: edge(place + 1),
    settled: 0,
    open: 0,
    partial: 0,
    failed: 0,
  }));
  let first = 0;
  for (const { fromMs: sinceMs, toMs: untilMs, state } of spans) {
    if (state === 'missing') continue;
    while ((buckets[first]?.toMs ?? Infinity) <= sinceMs) first += 1;
    for (let place = first; place < buckets.length; place += 1) {
      const bucket = buckets[place];
      if (bucket === undefined || bucket.fromMs >= untilMs) break;
      const overlapMs = Math.min(untilMs, bucket.toMs) - Math.max(sinceMs, bucket.fromMs);
      bucket[state] += Math.max(0, overlapMs) / Math.max(1, bucket.toMs - bucket.fromMs);
    }
  }
  return buckets;
}
