/** A key of a sort: numbers, or texts whose case is ignored. Null comes before everything. */
export type SortKey = string | number | null;

/**
 * The places 0..n-1 in the order of their keys; equal keys keep their order. Ranks the distinct keys and
 * counts, so that a million rows take no comparison each.
 */
export function sortPlaces(keys: readonly SortKey[]): Uint32Array {
  const ranks = toRanks(keys);
  const starts = new Uint32Array(ranks.size + 1);
  for (const key of keys) {
    const rank = ranks.get(key) ?? 0;
    starts[rank + 1] = (starts[rank + 1] ?? 0) + 1;
  }
  for (let rank = 1; rank < starts.length; rank += 1) {
    starts[rank] = (starts[rank] ?? 0) + (starts[rank - 1] ?? 0);
  }
  const places = new Uint32Array(keys.length);
  for (let place = 0; place < keys.length; place += 1) {
    const rank = ranks.get(keys[place] ?? null) ?? 0;
    const at = starts[rank] ?? 0;
    places[at] = place;
    starts[rank] = at + 1;
  }
  return places;
}

function toRanks(keys: readonly SortKey[]): Map<SortKey, number> {
  const numbers: number[] = [];
  const texts: string[] = [];
  let hasNull = false;
  for (const key of new Set(keys)) {
    if (key === null) hasNull = true;
    else if (typeof key === 'number') numbers.push(key);
    else texts.push(key);
  }
  const sorted: SortKey[] = hasNull ? [null] : [];
  for (const value of new Float64Array(numbers).sort()) sorted.push(value);
  // Keys arrive in one letter case: plain comparison ignores it.
  for (const value of texts.sort()) sorted.push(value);
  return new Map(sorted.map((value, rank) => [value, rank]));
}

/** True when the keys already rise, nulls first: then there is nothing to sort. */
export function isRising(keys: readonly SortKey[]): boolean {
  for (let place = 1; place < keys.length; place += 1) {
    const before = keys[place - 1] ?? null;
    const key = keys[place] ?? null;
    if (before === null) continue;
    if (key === null || typeof key !== typeof before || before > key) return false;
  }
  return true;
}
