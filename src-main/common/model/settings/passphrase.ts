/** A shorter one can be guessed, whatever a guess costs. */
export const MIN_PASSPHRASE_CHARACTERS = 8;
export const MAX_PASSPHRASE_CHARACTERS = 1024;

/** How hard a passphrase is to guess. */
type PassphraseStrength = 'short' | 'weak' | 'fair' | 'strong';

/** Guesses are dear: with so many bits, a year of a thousand processors finds none. */
const FAIR_BITS = 50;
const STRONG_BITS = 65;
const CLASSES: readonly (readonly [RegExp, number])[] = [
  [/[a-z]/u, 26],
  [/[A-Z]/u, 26],
  [/\d/u, 10],
  [/[ -/:-@[-`{-~]/u, 33],
  [/[^ -~]/u, 100],
];
/** A second word of a sentence is worth less than its letters are. */
const WORD_BITS = 13;

/** The same passphrase from every keyboard and system. */
export function tidyPassphrase(passphrase: string): string {
  return passphrase.normalize('NFKC');
}

/**
 * Estimates the strength from length, kinds of characters and repetition. It knows no lists of words: what it calls weak is
 * weak, what it calls strong may still be in one.
 */
export function judgePassphrase(passphrase: string): PassphraseStrength {
  const characters = Array.from(tidyPassphrase(passphrase));
  if (characters.length < MIN_PASSPHRASE_CHARACTERS) return 'short';
  const kinds = CLASSES.reduce((sum, [kind, count]) => sum + (kind.test(passphrase) ? count : 0), 0);
  // What goes on as it began (aaaa, abcd, 4321) adds next to nothing.
  const fresh = characters.filter((_each, at) => at < 2 || !isExpected(characters, at));
  const distinct = Math.min(fresh.length, 2 * new Set(characters).size);
  const words = new Set(
    passphrase
      .toLowerCase()
      .split(/\s+/u)
      .filter((word) => word.length > 2),
  ).size;
  const byCharacters = distinct * Math.log2(Math.max(kinds, 2));
  const isSentence = words > 2 && words * 3 > characters.length / 4;
  const bits = isSentence ? Math.min(byCharacters, words * WORD_BITS) : byCharacters;
  if (bits < FAIR_BITS) return 'weak';
  return bits < STRONG_BITS ? 'fair' : 'strong';
}

function isExpected(characters: readonly string[], at: number): boolean {
  const [first = 0, second = 0, third = 0] = [at - 2, at - 1, at].map((place) =>
    characters[place]?.codePointAt(0),
  );
  const step = second - first;
  return Math.abs(step) <= 1 && third - second === step;
}
