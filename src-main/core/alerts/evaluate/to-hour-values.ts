import type { Criterion, Minutes } from './judge-minutes.ts';

const HOUR_MINUTES = 60;

/**
 * Returns for each hour the worst value of any window that ends in it, or (`isWindowed` false) what its minutes have
 * together; null for an hour without one that is known.
 */
export function toHourValues(
  { known, totals, hits, windowed }: Minutes,
  criterion: Criterion,
  isWindowed: boolean,
): (number | null)[] {
  const values: (number | null)[] = Array.from(
    { length: Math.ceil(known.length / HOUR_MINUTES) },
    () => null,
  );
  const sums = { known: 0, total: 0, hits: 0 };
  const add = (place: number, sign: 1 | -1): void => {
    if (known[place] !== 1) return;
    sums.known += sign;
    sums.total += sign * (totals[place] ?? 0);
    sums.hits += sign * (hits[place] ?? 0);
  };
  for (let place = 0; place < known.length; place += 1) {
    const hour = Math.floor(place / HOUR_MINUTES);
    const before = values[hour] ?? null;
    if (!isWindowed) {
      if (known[place] === 1) values[hour] = (before ?? 0) + (hits[place] ?? 0);
      continue;
    }
    add(place, 1);
    if (place >= criterion.minutes) add(place - criterion.minutes, -1);
    if (known[place] !== 1 || sums.known !== criterion.minutes) continue;
    const value = criterion.toValue(windowed?.[place] ?? sums.hits, sums.total);
    if (value !== null && (before === null || criterion.isWorse(value, before))) values[hour] = value;
  }
  return values;
}
