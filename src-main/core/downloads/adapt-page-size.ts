/** How the service took a page: it failed for its size or weight, or came after some time. */
export type PageOutcome =
  { readonly kind: 'too-much' } | { readonly kind: 'answered'; readonly durationMs: number };

/** Records to ask for next, and the most that is tried for now. */
export interface PageSizing {
  readonly size: number;
  readonly ceiling: number;
}

const SMALLEST = 100;
const LARGEST = 10_000;
/** An answer below this leaves room for more; one above the other is near the end of patience. */
const QUICK_MS = 2_000;
const SLOW_MS = 15_000;
const GROWTH = 1.5;
/** After a failure the ceiling comes back slowly, so that one size is not failed with again and again. */
const CEILING_SHARE = 0.75;
const CEILING_GROWTH = 1.05;

/** The sizing that a download begins with; `known` is what an earlier run had come to. */
export function toFirstSizing(connectionPageSize: number, known: number | null = null): PageSizing {
  const ceiling = Math.min(connectionPageSize, LARGEST);
  return { size: Math.min(known ?? ceiling, ceiling), ceiling };
}

/**
 * The next page size: half after 413, 500 or a timeout, a third less when slow, half as much again while
 * quick. Between 100 and what the connection asks for, at most 10,000.
 */
export function adaptPageSize(
  { size, ceiling }: PageSizing,
  outcome: PageOutcome,
  connectionPageSize: number,
): PageSizing {
  const largest = toFirstSizing(connectionPageSize).ceiling;
  const limit = (value: number, most: number): number =>
    Math.max(Math.min(SMALLEST, largest), Math.min(most, Math.round(value)));
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
  return size > Math.min(SMALLEST, connectionPageSize);
}
