/** How a request for a page ended: it failed for its size, or the response took some time. */
export type PageOutcome =
  { readonly kind: 'too-much' } | { readonly kind: 'received'; readonly durationMs: number };

/** Records to request next, and the most that is tried for now. */
export interface PageSizing {
  readonly size: number;
  readonly ceiling: number;
}

const MIN_RECORDS = 100;
const MAX_RECORDS = 10_000;
/** A response faster than the first leaves room for more records; one slower than the second risks a timeout. */
const QUICK_MS = 2_000;
const SLOW_MS = 15_000;
const GROWTH = 1.5;
/** After a failure the ceiling comes back slowly, so that a size which failed isn't tried again at once. */
const CEILING_SHARE = 0.75;
const CEILING_GROWTH = 1.05;

/** The sizing that a download begins with; `known` is the size that an earlier run ended with. */
export function toFirstSizing(connectionPageSize: number, known: number | null = null): PageSizing {
  const ceiling = Math.min(connectionPageSize, MAX_RECORDS);
  return { size: Math.min(known ?? ceiling, ceiling), ceiling };
}

/**
 * The next page size: half after 413, 500 or a timeout, a third less when slow, half as much again while
 * quick. Between 100 and the connection's page size, at most 10,000.
 */
export function adaptPageSize(
  { size, ceiling }: PageSizing,
  outcome: PageOutcome,
  connectionPageSize: number,
): PageSizing {
  const largest = toFirstSizing(connectionPageSize).ceiling;
  const limit = (value: number, most: number): number =>
    Math.max(Math.min(MIN_RECORDS, largest), Math.min(most, Math.round(value)));
  if (outcome.kind === 'too-much') {
    return { size: limit(size / 2, largest), ceiling: limit(size * CEILING_SHARE, largest) };
  }
  if (outcome.durationMs > SLOW_MS) return { size: limit((size * 2) / 3, largest), ceiling };
  if (outcome.durationMs >= QUICK_MS) return { size: limit(size, largest), ceiling };
  const raised = limit(Math.ceil(ceiling * CEILING_GROWTH), largest);
  return { size: limit(size * GROWTH, raised), ceiling: raised };
}

/** False once a page is as small as is tried. */
export function canShrink({ size }: PageSizing, connectionPageSize: number): boolean {
  return size > Math.min(MIN_RECORDS, connectionPageSize);
}
