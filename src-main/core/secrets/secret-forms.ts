/** How a secret may stand in a text once escapes are resolved, and how to see quickly that it doesn't. */
export interface SecretForms {
  /** Texts to look for, the longest first. */
  readonly texts: readonly string[];
  /** Each form, escaped or not, holds one of these ASCII texts; null where no such texts are known. */
  readonly anchors: readonly string[] | null;
}

/** Fewer characters of base64 or hexadecimal digits may be there by chance. */
const MIN_ENCODED_CHARACTERS = 7;
/** Letters and digits in a row that are worth looking for; more would make the quick test no surer. */
const MIN_ANCHOR_CHARACTERS = 3;
const MAX_ANCHOR_CHARACTERS = 64;

/**
 * Returns the forms of a secret: as it is, in other letters, taken apart, read in a wrong encoding, and inside
 * base64 and hexadecimal digits, wherever in them it begins.
 */
export function toSecretForms(secret: string): SecretForms {
  const encoded = listEncoded(secret).filter((text) => text.length >= MIN_ENCODED_CHARACTERS);
  const texts = [...listSpellings(secret), ...encoded];
  return {
    texts: [...new Set(texts)].sort((a, b) => b.length - a.length),
    anchors: findAnchors(secret, encoded),
  };
}

function listSpellings(secret: string): string[] {
  const bases = [secret, secret.normalize('NFC'), secret.normalize('NFD')];
  const nfc = secret.normalize('NFC');
  const misread = [
    Buffer.from(secret, 'utf8').toString('latin1'),
    // What a decoder or an encoder puts in place of characters that it does not know.
    nfc.replace(/[^\0-\x7f]/gu, '\ufffd'),
    nfc.replace(/[^\0-\x7f]/gu, (character) => '\ufffd'.repeat(Buffer.byteLength(character))),
    nfc.replace(/[^\0-\x7f]/gu, '?'),
    secret.replaceAll(' ', '+'),
  ];
  const spellings = [...bases, ...misread].flatMap((text) => [text, text.toLowerCase(), text.toUpperCase()]);
  // UTF-16 that is read byte by byte.
  return [...new Set(spellings)].flatMap((text) => [text, Array.from(text).join('\0')]);
}

function listEncoded(secret: string): string[] {
  const isLatin = /^[\0-\xff]*$/.test(secret);
  const encodings = ['utf8', 'utf16le', ...(isLatin ? (['latin1'] as const) : [])] as const;
  return encodings.flatMap((encoding) => {
    const bytes = Buffer.from(secret, encoding);
    const hexadecimal = bytes.toString('hex');
    const base64 = [0, 1, 2].flatMap((offset) => {
      const digits = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
      // The digits that hold nothing of what is before or after the secret.
      const sure = digits.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
      return [sure, sure.replaceAll('+', '-').replaceAll('/', '_')];
    });
    return [hexadecimal, hexadecimal.toUpperCase(), ...base64];
  });
}

/** Encoders leave letters and digits as they are, or escape each of them. */
function findAnchors(secret: string, encoded: readonly string[]): readonly string[] | null {
  const run = findLongestRun(secret);
  if (run.length < MIN_ANCHOR_CHARACTERS) return null;
  const [first, second] = [run.charCodeAt(0), run.charCodeAt(1)];
  const cases = [(digits: string): string => digits, (digits: string): string => digits.toUpperCase()];
  const escaped = cases.flatMap((inCase) => {
    const [one, two] = [inCase(first.toString(16)), inCase(second.toString(16))];
    return [`u00${one}`, `#x${one};`, `%${one}%${two}`, `%25${one}%25${two}`];
  });
  const runs = [run, run.toLowerCase(), run.toUpperCase()].flatMap((text) => [
    text,
    Array.from(text).join('\0'),
  ]);
  const inside = encoded.map(findLongestRun).filter((text) => text.length >= MIN_ANCHOR_CHARACTERS);
  // Below five bytes, a text is looked for by itself, which takes long in large pages.
  const entity = `#${String(first)};${first < 100 ? '&' : ''}`;
  return [...new Set([...runs, ...escaped, entity, ...inside])];
}

function findLongestRun(text: string): string {
  const runs = text.match(/[A-Za-z0-9]+/g) ?? [];
  const longest = runs.reduce((known, run) => (run.length > known.length ? run : known), '');
  return longest.slice(0, MAX_ANCHOR_CHARACTERS);
}
