/** A repeatable stream of numbers in [0, 1). Not for secrets. */
export type Random = () => number;

/** Mixes whole numbers into 32 well-spread bits; the same numbers always give the same bits. */
export function mixBits(...values: readonly number[]): number {
  let hash = 0x9e3779b9;
  for (const value of values) {
    hash = Math.imul(hash ^ (value | 0), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13) ^ Math.floor(value / 2 ** 32), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return hash >>> 0;
}

/** A stream that depends on nothing but its seed. */
export function createRandom(seed: number): Random {
  let state = mixBits(seed, 0x51ed270b);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Picks an index by weight. */
export function pickWeighted(random: Random, weights: readonly number[]): number {
  let rest = random() * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [index, weight] of weights.entries()) {
    rest -= weight;
    if (rest < 0) return index;
  }
  return weights.length - 1;
}

/** A positive number spread around 1 the way durations are: many a bit below, few far above. */
export function drawSpread(random: Random): number {
  return Math.exp((random() + random() + random() - 1.5) * 1.1);
}
