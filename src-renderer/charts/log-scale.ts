const FULL_BAR_MS = 10_000;

/** Response times above this are drawn in red. */
export const SLOW_RESPONSE_MS = 5_000;

/**
 * Length of a response-time bar, 0 to 1, on a logarithmic scale from 1 ms to 10 s, so that 100 ms and
 * 10 s can both be read in a bar 40 px long.
 */
export function toLogShare(responseTimeMs: number | null): number {
  if (responseTimeMs === null || !(responseTimeMs > 0)) return 0;
  const share = Math.log10(Math.max(1, responseTimeMs)) / Math.log10(FULL_BAR_MS);
  return Math.min(1, Math.max(0.05, share));
}

/** Returns the smallest of 1, 2, 5 times a power of ten that is not below the value; at least 1. */
export function toNiceCeiling(value: number): number {
  if (!(value > 1)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= value) ?? 10;
  return factor * power;
}
