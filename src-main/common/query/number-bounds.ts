/** Returns the nearest number above or below: ranges of a filter include their ends. */
export function toNextNumber(value: number, step: 1 | -1): number {
  if (value === 0) return step * Number.MIN_VALUE;
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  bits.setBigInt64(0, bits.getBigInt64(0) + BigInt(value > 0 ? step : -step));
  // Zero has no sign here.
  return bits.getFloat64(0) + 0;
}

/**
 * Returns the number that a bound lies just beyond, where it was meant: 500 for the least number above 500, which as a
 * text is far longer. Null for a bound that is meant itself.
 */
export function findOpenBound(bound: number, side: 'min' | 'max'): number | null {
  const meant = toNextNumber(bound, side === 'min' ? -1 : 1);
  return Number.isFinite(meant) && String(meant).length < String(bound).length ? meant : null;
}
