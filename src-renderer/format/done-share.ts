/** Returns how much of a total is done, 0 to 1; null while the total is not known. There is nothing to do of none. */
export function toDoneShare(done: number, total: number | null): number | null {
  if (total === null) return null;
  return total === 0 ? 1 : Math.min(1, done / total);
}
