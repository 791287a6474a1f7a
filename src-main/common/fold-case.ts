/**
 * Letters that no lowering makes equal to others of their kind, such as ß, ς and ligatures: each becomes what its capitals
 * become in small letters. Ranges of code points, all of them small letters.
 */
const SMALL_RANGES: readonly (readonly [from: number, to: number])[] = [
  [0xb5, 0xb5],
  [0xdf, 0xdf],
  [0x149, 0x149],
  [0x17f, 0x17f],
  [0x1f0, 0x1f0],
  [0x345, 0x345],
  [0x390, 0x390],
  [0x3b0, 0x3b0],
  [0x3c2, 0x3c2],
  [0x3d0, 0x3d1],
  [0x3d5, 0x3d6],
  [0x3f0, 0x3f1],
  [0x3f5, 0x3f5],
  [0x587, 0x587],
  [0x1c80, 0x1c88],
  [0x1e96, 0x1e9b],
  [0x1f50, 0x1f50],
  [0x1f52, 0x1f52],
  [0x1f54, 0x1f54],
  [0x1f56, 0x1f56],
  [0x1f80, 0x1f87],
  [0x1f90, 0x1f97],
  [0x1fa0, 0x1fa7],
  [0x1fb2, 0x1fb4],
  [0x1fb6, 0x1fb7],
  [0x1fbe, 0x1fbe],
  [0x1fc2, 0x1fc4],
  [0x1fc6, 0x1fc7],
  [0x1fd2, 0x1fd3],
  [0x1fd6, 0x1fd7],
  [0x1fe2, 0x1fe4],
  [0x1fe6, 0x1fe7],
  [0x1ff2, 0x1ff4],
  [0x1ff6, 0x1ff7],
  [0xfb00, 0xfb06],
  [0xfb13, 0xfb17],
];
/** Capitals of Unicode 16 and 17, which some of the programs that compare texts don't know yet. */
const LATE_CAPITALS: readonly (readonly [from: number, to: number, small: number])[] = [
  [0x1c89, 0x1c89, 0x1c8a],
  [0xa7cb, 0xa7cb, 0x264],
  [0xa7cc, 0xa7cc, 0xa7cd],
  [0xa7ce, 0xa7ce, 0xa7cf],
  [0xa7d2, 0xa7d2, 0xa7d3],
  [0xa7d4, 0xa7d4, 0xa7d5],
  [0xa7da, 0xa7da, 0xa7db],
  [0xa7dc, 0xa7dc, 0x19b],
  [0x10d50, 0x10d65, 0x10d70],
  [0x16ea0, 0x16eb8, 0x16ebb],
];

/** Characters that Unicode 16 composes of others, which some of these programs leave apart: here all of them stay apart. */
const LATE_COMPOSED: readonly (readonly [composed: number, ...apart: number[]])[] = [
  [0x105c9, 0x105d2, 0x307],
  [0x105e4, 0x105da, 0x307],
  [0x11383, 0x11382, 0x113c9],
  [0x11385, 0x11384, 0x113bb],
  [0x1138e, 0x1138b, 0x113c2],
  [0x11391, 0x11390, 0x113c9],
  [0x113c5, 0x113c2, 0x113c2],
  [0x113c7, 0x113c2, 0x113b8],
  [0x113c8, 0x113c2, 0x113c9],
  [0x16121, 0x1611e, 0x1611e],
  [0x16122, 0x1611e, 0x16129],
  [0x16123, 0x1611e, 0x1611f],
  [0x16124, 0x16129, 0x1611f],
  [0x16125, 0x1611e, 0x16120],
  [0x16126, 0x1611e, 0x1611e, 0x1611f],
  [0x16127, 0x1611e, 0x16129, 0x1611f],
  [0x16128, 0x1611e, 0x1611e, 0x16120],
  [0x16d68, 0x16d67, 0x16d67],
  [0x16d69, 0x16d63, 0x16d67],
  [0x16d6a, 0x16d63, 0x16d67, 0x16d67],
];

/** What is left to fold in a text in small letters: letters, and what each becomes. */
export const FOLDED_LETTERS: ReadonlyMap<string, string> = new Map([
  ...listPoints(SMALL_RANGES).map((letter): [string, string] => [
    letter,
    letter.toUpperCase().toLowerCase().normalize('NFC'),
  ]),
  ...LATE_CAPITALS.flatMap(([from, to, small]) =>
    listPoints([[from, to]]).map((letter, place): [string, string] => [
      letter,
      String.fromCodePoint(small + place),
    ]),
  ),
  ...LATE_COMPOSED.map(([composed, ...apart]): [string, string] => [
    String.fromCodePoint(composed),
    String.fromCodePoint(...apart),
  ]),
]);
const LETTERS = new RegExp(`[${[...FOLDED_LETTERS.keys()].join('')}]`, 'gu');
const BEYOND_ASCII = /[^\0-\x7f]/;

/**
 * Folds a text for comparing: two texts that differ in letter case or in how accents are encoded become the same one
 * (full case folding of Unicode in NFC). The engine's `fold_case` returns exactly the same.
 */
export function foldCase(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase();
  const fold = (letters: string): string =>
    letters.replace(LETTERS, (letter) => FOLDED_LETTERS.get(letter) ?? letter);
  return fold(fold(text.normalize('NFC').toLowerCase()).normalize('NFC'));
}

/** Returns whether a text has spellings that fold to the same one: whether its letter case, or its encoding, says anything. */
export function hasCase(text: string): boolean {
  return BEYOND_ASCII.test(text) || /[a-z]/i.test(text);
}

/**
 * Returns where a text stands in another one, whatever the case of both: the places [from, to) in the text as it is, at
 * most `limit` of them.
 */
export function findFolded(text: string, wanted: string, limit: number): [from: number, to: number][] {
  const needle = foldCase(wanted);
  if (needle === '') return [];
  const { folded, toPlace } = foldByLetter(text);
  const places: [number, number][] = [];
  for (let at = folded.indexOf(needle); at >= 0; at = folded.indexOf(needle, at + needle.length)) {
    places.push([toPlace(at)[0], toPlace(at + needle.length - 1)[1]]);
    if (places.length === limit) break;
  }
  return places;
}

/** A letter with its marks, or a syllable of Hangul: what folds by itself. */
const LETTER = /\P{M}[\p{M}\u1160-\u11ff]*|\p{M}+/gu;

/** A text that is folded, and where in the text as it was each of its characters comes from. */
function foldByLetter(text: string): { folded: string; toPlace(at: number): readonly [number, number] } {
  if (!BEYOND_ASCII.test(text)) return { folded: text.toLowerCase(), toPlace: (at) => [at, at + 1] };
  const places: [number, number][] = [];
  let folded = '';
  for (const { 0: letter, index } of text.matchAll(LETTER)) {
    const own = foldCase(letter);
    folded += own;
    for (let place = 0; place < own.length; place += 1) places.push([index, index + letter.length]);
  }
  return { folded, toPlace: (at) => places[at] ?? [0, 0] };
}

function listPoints(ranges: readonly (readonly [from: number, to: number])[]): string[] {
  return ranges.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, place) => String.fromCodePoint(from + place)),
  );
}
