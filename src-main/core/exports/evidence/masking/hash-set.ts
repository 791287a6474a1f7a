const FIRST_SLOTS = 1024;
const WORD = 2 ** 32;

/** A set of hashes of texts. */
export interface HashSet {
  add(hash: number): void;
  has(hash: number): boolean;
}

/** Makes an empty set, which takes 32 bytes a hash at most, however long the texts are. */
export function createHashSet(): HashSet {
  let slots = new Float64Array(FIRST_SLOTS);
  let used = 0;

  /** The slot of a hash, or the free one where it belongs. */
  function findSlot(table: Float64Array, hash: number): number {
    const last = table.length - 1;
    let slot = (hash % WORD) & last;
    while (table[slot] !== 0 && table[slot] !== hash) slot = (slot + 1) & last;
    return slot;
  }

  function grow(): void {
    const larger = new Float64Array(slots.length * 2);
    for (const hash of slots) if (hash !== 0) larger[findSlot(larger, hash)] = hash;
    slots = larger;
  }

  return {
    add(hash) {
      const slot = findSlot(slots, hash);
      if (slots[slot] === hash) return;
      slots[slot] = hash;
      used += 1;
      if (used * 2 > slots.length) grow();
    },
    has: (hash) => slots[findSlot(slots, hash)] === hash,
  };
}

/**
 * Returns a hash of 53 bits, never 0: of ten million texts two have the same one with a chance of less than 1 in 100.
 * Two multiplicative hashes of 32 bits, mixed.
 */
export function hashText(text: string): number {
  let low = 0xdead_beef;
  let high = 0x41c6_ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 2_654_435_761);
    high = Math.imul(high ^ code, 1_597_334_677);
  }
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  return (high & 0x1f_ffff) * WORD + (low >>> 0) || 1;
}
