/** How JSON writes any half of a surrogate pair; UTF-8 itself has none. */
const WRITTEN_HALF = /\\u[dD][89a-fA-F]/;

/**
 * Counts the entries of an answer that hold a half of a surrogate pair without its other half, which no column can
 * store (decision 36). `text` is the whole answer: nearly none has to be looked through.
 */
export function countLoneSurrogates(text: string, entries: readonly unknown[]): number {
  return WRITTEN_HALF.test(text) ? entries.filter(hasLoneSurrogate).length : 0;
}

function hasLoneSurrogate(root: unknown): boolean {
  const waiting = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string' && !value.isWellFormed()) return true;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) waiting.push(key, child);
  }
  return false;
}
