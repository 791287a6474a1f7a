import { foldCase } from '../fold-case.ts';

/** Returns the texts of a wildcard pattern that stand between its stars. */
export function splitWildcard(pattern: string): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (let place = 0; place < pattern.length; place += 1) {
    const own = pattern.charAt(place);
    const next = pattern.charAt(place + 1);
    if (own === '*') {
      pieces.push(piece);
      piece = '';
    } else {
      const isEscape = own === '\\' && (next === '*' || next === '\\');
      piece += isEscape ? next : own;
      if (isEscape) place += 1;
    }
  }
  return [...pieces, piece];
}

/** Writes texts with stars between them as a wildcard pattern; stars that follow each other are one. */
export function joinWildcard(pieces: readonly string[]): string {
  return pieces
    .filter((piece, place) => piece !== '' || place === 0 || place === pieces.length - 1)
    .map((piece) => piece.replace(/[*\\]/g, '\\$&'))
    .join('*');
}

/**
 * Returns whether a text matches a wildcard pattern whole, or any part of it, in any letter case. It walks the text once
 * for each piece, whatever the pattern.
 */
export function matchesWildcard(text: string, pattern: string, isPart = false): boolean {
  const own = foldCase(text);
  const pieces = splitWildcard(pattern).map(foldCase);
  const ends = isPart ? ['', ...pieces, ''] : pieces;
  const [first = ''] = ends;
  const last = ends.at(-1) ?? '';
  if (ends.length === 1) return own === first;
  if (!own.startsWith(first)) return false;
  let place = first.length;
  for (const piece of ends.slice(1, -1)) {
    const at = own.indexOf(piece, place);
    if (at < 0) return false;
    place = at + piece.length;
  }
  return own.length - last.length >= place && own.endsWith(last);
}

/** Writes a wildcard pattern as a regular expression of RE2 over folded texts. */
export function toWildcardRegex(pattern: string, isPart = false): string {
  const middle = splitWildcard(pattern)
    .map((piece) =>
      foldCase(piece)
        .replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')
        .replaceAll('\0', '\\x00'),
    )
    .join('.*');
  return isPart ? `(?s)${middle}` : `(?s)\\A${middle}\\z`;
}
