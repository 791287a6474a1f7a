/**
 * Returns the parts rounded to the given decimals, so that they sum to their rounded sum: each is rounded down, and what
 * is left goes to those with the largest remainders. No part moves by a whole step. `sum` is given where it was rounded
 * already, up or down, as a part of something else.
 */
export function roundParts(parts: readonly number[], decimals: number, sum?: number): number[] {
  const scale = 10 ** decimals;
  const scaled = parts.map((part) => part * scale);
  const floors = scaled.map(Math.floor);
  const whole = Math.round(sum === undefined ? addUp(scaled) : sum * scale);
  const left = whole - addUp(floors);
  const ranked = scaled
    .map((part, index) => ({ index, remainder: part - Math.floor(part) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  const raised = new Set(ranked.slice(0, left).map(({ index }) => index));
  // Zero is added so that nothing is printed as minus zero.
  return floors.map((part, index) => (part + (raised.has(index) ? 1 : 0)) / scale + 0);
}

function addUp(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
