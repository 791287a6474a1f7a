import { FOLDED_LETTERS } from '../../../common/fold-case.ts';

/** Letters that `lower` leaves unfolded, or folds otherwise, and that are frequent in a language. */
const FREQUENT = ['İ', 'ß', 'ς', 'µ'];
/** In small letters its dot is a sign of its own, which `lower` drops. */
const DOTTED = 'i\u0307';
/** Capitals whose small letters are folded further. */
const CAPITALS = '\u1f88-\u1f8f\u1f98-\u1f9f\u1fa8-\u1faf\u1fbc\u1fcc\u1ffc';
/**
 * What Unicode's composed form (NFC) may change, by itself or beside others: marks, the parts of Hangul syllables, and
 * characters that have another one as their canonical form. Ranges hold some characters more, so that they are few: a class
 * such as `\p{M}` takes longer to prepare than a query of a small table takes.
 */
const COMPOSED = [
  String.raw`\x{300}-\x{34e}\x{350}-\x{36f}\x{374}\x{37e}\x{387}\x{483}-\x{487}\x{591}-\x{5bd}\x{5bf}`,
  String.raw`\x{5c1}-\x{5c2}\x{5c4}-\x{5c5}\x{5c7}\x{610}-\x{61a}\x{64b}-\x{65f}\x{670}\x{6d6}-\x{6dc}`,
  String.raw`\x{6df}-\x{6e4}\x{6e7}-\x{6e8}\x{6ea}-\x{6ed}\x{711}\x{730}-\x{74a}\x{7eb}-\x{7f3}\x{7fd}`,
  String.raw`\x{816}-\x{819}\x{81b}-\x{823}\x{825}-\x{827}\x{829}-\x{82d}\x{859}-\x{85b}\x{897}-\x{89f}`,
  String.raw`\x{8ca}-\x{8e1}\x{8e3}-\x{8ff}\x{93c}-\x{95f}\x{9bc}-\x{9fe}\x{a33}-\x{a5e}\x{abc}-\x{acd}`,
  String.raw`\x{b3c}-\x{b5d}\x{bbe}-\x{bd7}\x{c3c}-\x{c56}\x{cbc}-\x{cd6}\x{d3b}-\x{d57}\x{dca}-\x{ddf}`,
  String.raw`\x{e38}-\x{e4b}\x{eb8}-\x{ecb}\x{f18}-\x{fc6}\x{102e}-\x{103a}\x{108d}\x{1161}-\x{1175}`,
  String.raw`\x{11a8}-\x{11c2}\x{135d}-\x{135f}\x{1714}-\x{1734}\x{17d2}-\x{17dd}\x{18a9}\x{1939}-\x{193b}`,
  String.raw`\x{1a17}-\x{1a18}\x{1a60}-\x{1a7f}\x{1ab0}-\x{1aeb}\x{1b34}-\x{1b73}\x{1baa}-\x{1bab}`,
  String.raw`\x{1be6}-\x{1bf3}\x{1c37}\x{1cd0}-\x{1cf9}\x{1dc0}-\x{1dff}\x{1f71}-\x{1f7d}\x{1fbb}-\x{1ffd}`,
  String.raw`\x{2000}-\x{2001}\x{20d0}-\x{20dc}\x{20e1}\x{20e5}-\x{20f0}\x{2126}\x{212a}-\x{212b}`,
  String.raw`\x{2329}-\x{232a}\x{2adc}\x{2cef}-\x{2cf1}\x{2d7f}\x{2de0}-\x{2dff}\x{302a}-\x{302f}`,
  String.raw`\x{3099}-\x{309a}\x{a66f}-\x{a67d}\x{a69e}-\x{a69f}\x{a6f0}-\x{a6f1}\x{a806}\x{a82c}\x{a8c4}`,
  String.raw`\x{a8e0}-\x{a8f1}\x{a92b}-\x{a92d}\x{a953}\x{a9b3}-\x{a9c0}\x{aab0}-\x{aac1}\x{aaf6}\x{abed}`,
  String.raw`\x{f900}-\x{fad9}\x{fb1d}-\x{fb4e}\x{fe20}-\x{fe2f}\x{101fd}-\x{1037a}\x{10a0d}-\x{11f42}`,
  String.raw`\x{1611e}-\x{1612f}\x{16af0}-\x{16ff1}\x{1bc9e}\x{1d15e}-\x{1d244}\x{1e000}-\x{1e94a}`,
  String.raw`\x{2f800}-\x{2fa1d}`,
].join('');

/**
 * Statements that make `fold_case(text)`, which is `foldCase` in SQL. Each step is taken only for texts that need it:
 * composing takes twenty times as long as lowering, and most texts need neither that nor a letter replaced.
 */
export function listFoldCaseSql(): string[] {
  const rare = [...FOLDED_LETTERS.keys()].filter((letter) => !FREQUENT.includes(letter));
  const letters = `${CAPITALS}${rare.join('')}`;
  // One text that is split is prepared at once: a list of its parts would take six milliseconds in every statement.
  const folded = `string_split(${quote(rare.map(toFolded).join(' '))}, ' ')`;
  const replaced = `array_to_string(list_transform(string_split(fold_frequent(text), ''),
    lambda letter: coalesce(list_extract(${folded}, instr(${quote(rare.join(''))}, letter)), letter)), '')`;
  const [dotted = '', ...others] = FREQUENT;
  const frequent = others.reduce(
    (sql, letter) => `replace(${sql}, ${quote(letter)}, ${quote(toFolded(letter))})`,
    `lower(replace(text, ${quote(dotted)}, ${quote(DOTTED)}))`,
  );
  return [
    `CREATE MACRO fold_frequent(text) AS ${frequent}`,
    `CREATE MACRO fold_composed(text) AS nfc_normalize(CASE
       WHEN NOT regexp_matches(text, '[${letters}]') THEN fold_frequent(text) ELSE ${replaced} END)`,
    `CREATE MACRO fold_case(text) AS CASE
       WHEN strlen(text) = length(text) THEN lower(text)
       WHEN NOT regexp_matches(text, '[${COMPOSED}${letters}]') THEN
         CASE WHEN contains(text, 'İ') OR contains(text, 'ς') OR contains(text, 'µ') THEN fold_frequent(text)
           ELSE replace(lower(text), 'ß', 'ss') END
       ELSE fold_composed(nfc_normalize(text)) END`,
  ];
}

function toFolded(letter: string): string {
  return FOLDED_LETTERS.get(letter) ?? letter;
}

function quote(text: string): string {
  return `'${text}'`;
}
