const STEP_MS = 60_000;

/**
 * Finds the last minute that holds something, by halving: `hasFrom` returns whether anything lies at or after
 * a time. Null when nothing lies from `lowMs` on. What lies after `highMs` is not looked for.
 */
export async function findNewest(
  hasFrom: (fromMs: number) => Promise<boolean>,
  lowMs: number,
  highMs: number,
): Promise<number | null> {
  if (!(await hasFrom(lowMs))) return null;
  let found = lowMs;
  let beyond = highMs;
  while (beyond - found > STEP_MS) {
    const middle = found + Math.max(1, Math.floor((beyond - found) / STEP_MS / 2)) * STEP_MS;
    if (await hasFrom(middle)) found = middle;
    else beyond = middle;
  }
  return found;
}
