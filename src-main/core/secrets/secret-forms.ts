/** One way in which a secret may stand in a text once escapes are resolved. */
export interface SecretForm {
  readonly text: string;
  /** So many characters of its beginning give the secret away. */
  readonly headLength: number;
  /** So many in a row from anywhere in it. */
  readonly partLength: number;
}

/** How a secret may stand in a text, and how to see quickly that it doesn't. */
export interface SecretForms {
  readonly secret: string;
  readonly forms: readonly SecretForm[];
  /**
   * Each form, escaped or not, holds one of these ASCII texts, or has letters or digits as escapes, which
   * `listEscapeAnchors` finds; null where no such texts are known.
   */
  readonly anchors: readonly string[] | null;
  /** The same where it is written as a list of numbers or characters. */
  readonly listAnchors: readonly string[];
  /** Its value where it may come back as a number. */
  readonly number: number | null;
}

/** How much of a secret gives it away: its beginning, as services that shorten it leave it, or any other part. */
const HEAD_CHARACTERS = 12;
const PART_CHARACTERS = 16;
/** Shorter secrets are looked for as a whole only. */
const MIN_CUT_CHARACTERS = 8;
/** The first part of such a token says how it is signed, and is the same in the tokens of others. */
const SIGNED_TOKEN = /^eyJ[\w-]+\.[\w-]+\.(?=[\w-]{8})/;
/** Fewer characters of base64 or hexadecimal digits may be there by chance. */
const MIN_ENCODED_CHARACTERS = 7;
/** Letters and digits in a row that are worth looking for. */
const GRAM_CHARACTERS = 6;
const MIN_GRAM_CHARACTERS = 3;
/** Identifiers have many hexadecimal digits. */
const HEX_GRAM_CHARACTERS = 8;
const GRAM_STEP = 8;
const MAX_PLAIN_GRAMS = 12;
const MAX_ENCODED_GRAMS = 3;
/** Fewer digits may be the number of anything. */
const NUMBER = /^\d{8,}$/;
const UNITS = /[\s\S]/g;

/**
 * Returns the forms of a secret: as it is, in other letters, taken apart, read in a wrong encoding, and inside base64
 * and hexadecimal digits, wherever in them it begins, and whatever escapes it had before.
 */
export function toSecretForms(secret: string): SecretForms {
  const { headLength, partLength } = toLengths(secret);
  const spellings = listSpellings(secret);
  const encoded = listEncoded(secret);
  const forms = [
    ...spellings.map((text) => ({ text, ...scale(text, 0) })),
    ...encoded.map(({ text, isHex }) => ({ text, ...scale(text, isHex ? 0 : 2) })),
  ];
  const number = NUMBER.test(secret) ? Number(secret) : null;
  return {
    secret,
    forms,
    anchors: listAnchors(secret, spellings, encoded),
    listAnchors: listListAnchors(secret),
    number,
  };

  /** The same share of a form that is longer; `fuzz` are digits that hold bits of what is around. */
  function scale(text: string, fuzz: number): Omit<SecretForm, 'text'> {
    const factor = text.length / secret.length;
    const toLength = (length: number): number =>
      length === secret.length
        ? text.length
        : Math.min(text.length, Math.max(MIN_ENCODED_CHARACTERS, Math.floor(length * factor) - fuzz));
    return { headLength: toLength(headLength), partLength: toLength(partLength) };
  }
}

function toLengths(secret: string): { readonly headLength: number; readonly partLength: number } {
  const { length } = secret;
  if (length < MIN_CUT_CHARACTERS) return { headLength: length, partLength: length };
  const signed = SIGNED_TOKEN.exec(secret)?.[0].length ?? 0;
  if (signed > 0) return { headLength: Math.min(signed + 4, length - 1), partLength: length - 1 };
  return {
    headLength: Math.min(HEAD_CHARACTERS, length - 1),
    partLength: Math.min(PART_CHARACTERS, length - 1),
  };
}

function listSpellings(secret: string): readonly string[] {
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
  const all = [...spellings, ...listNumberSpellings(secret)].flatMap((text) => [
    text,
    Array.from(text).join('\0'),
  ]);
  return [...new Set(all)];
}

/** As programs write a number: rounded to a double, and with its thousands apart. */
function listNumberSpellings(secret: string): string[] {
  if (!NUMBER.test(secret)) return [];
  const rounded = String(Number(secret));
  const exponent = Number(secret).toExponential();
  const grouped = [',', '.', ' ', "'", '’', '\u00a0', '\u202f', '_'].map((mark) =>
    secret.replace(/\B(?=(?:\d{3})+$)/g, mark),
  );
  return [rounded, exponent, exponent.replace('+', ''), ...grouped];
}

interface Encoded {
  readonly text: string;
  readonly isHex: boolean;
}

function listEncoded(secret: string): readonly Encoded[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const inner = new Set([
    secret,
    json,
    json.replace(/[^\0-\x7f]/g, (unit) => toUnicodeEscape(unit)),
    secret.replace(UNITS, (unit) => toUnicodeEscape(unit)),
    // A lone surrogate has no escapes in an address.
    encodeURIComponent(secret.toWellFormed()),
  ]);
  const isLatin = /^[\0-\xff]*$/.test(secret);
  const contents = [
    ...Array.from(inner, (text) => Buffer.from(text, 'utf8')),
    Buffer.from(secret, 'utf16le'),
    ...(isLatin ? [Buffer.from(secret, 'latin1')] : []),
  ];
  const once = contents.flatMap(encode);
  // Base64 or hexadecimal digits in base64 again, as a header inside a logged message has them.
  const own = encode(Buffer.from(secret, 'utf8')).filter(
    ({ text }) => !/[A-F_-]/.test(text) || /[g-z]/.test(text),
  );
  const twice = own.flatMap(({ text }) => encode(Buffer.from(text, 'latin1'))).filter(({ isHex }) => !isHex);
  const texts = new Map([...once, ...twice].map((each) => [each.text, each]));
  return [...texts.values()].filter(({ text }) => text.length >= MIN_ENCODED_CHARACTERS);
}

function encode(bytes: Buffer): Encoded[] {
  const hexadecimal = bytes.toString('hex');
  const base64 = [0, 1, 2].flatMap((offset) => {
    const digits = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    // The digits that hold nothing of what is before or after the secret.
    const sure = digits.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    return [sure, sure.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [
    { text: hexadecimal, isHex: true },
    { text: hexadecimal.toUpperCase(), isHex: true },
    ...base64.map((text) => ({ text, isHex: false })),
  ];
}

function toUnicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Encoders leave letters and digits as they are, or escape each of them. */
function listAnchors(
  secret: string,
  spellings: readonly string[],
  encoded: readonly Encoded[],
): readonly string[] | null {
  const plain = [secret, ...listCuts(secret)].flatMap((text) =>
    pickGrams(text, GRAM_CHARACTERS, MAX_PLAIN_GRAMS),
  );
  if (plain.length === 0) return null;
  const spelled = spellings
    .filter((text) => !text.includes('\0'))
    .flatMap((text) => pickGrams(text, GRAM_CHARACTERS, MAX_PLAIN_GRAMS));
  const inside = encoded.flatMap(({ text, isHex }) =>
    pickGrams(text, isHex ? HEX_GRAM_CHARACTERS : GRAM_CHARACTERS, isHex ? 4 : MAX_ENCODED_GRAMS),
  );
  const grams = [...plain, ...spelled];
  return [...new Set([...grams, ...grams.map((text) => Array.from(text).join('\0')), ...inside])];
}

/** What may be left of a text whose only letters and digits in a row are at the end that was cut off. */
function listCuts(text: string): string[] {
  if (text.length < MIN_CUT_CHARACTERS) return [];
  return [text.slice(0, Math.min(HEAD_CHARACTERS, text.length - 1)), text.slice(1)];
}

/**
 * Parts of a text of what no encoder of some characters changes: two at its beginning, so that one line break leaves one of them
 * whole, further ones in steps, and its end. Shorter ones where it has no longer ones.
 */
function pickGrams(text: string, size: number, most: number): string[] {
  for (let length = size; length >= MIN_GRAM_CHARACTERS; length -= 1) {
    const grams: string[] = [];
    for (const { 0: run, index } of text.matchAll(/[\w-]+/g)) {
      for (let at = 0; at + length <= run.length; at += index + at < length ? length : GRAM_STEP) {
        grams.push(run.slice(at, at + length));
      }
      if (run.length >= length) grams.push(run.slice(-length));
    }
    const [last] = grams.slice(-1);
    if (last !== undefined) return [...grams.slice(0, most - 1), last];
  }
  return [];
}

/** Texts that stand where a secret is written as a list, or has its letters as escapes: see `decode-layers.ts`. */

/** Where a list may be broken in two, the other place is whole. */
const PLACES = [0, 5];
/** What stands between the bytes of a secret, each as two hexadecimal digits. */
const HEX_JOINTS = [
  ...[' ', ':', '-', ',', ', ', '.', '_', '|', ';', '; ', '/', '  ', '\t', '\\t', '%', '=', '","', '", "'],
  ...[
    "','",
    "', '",
    '\\",\\"',
    '\\", \\"',
    '\\\\\\",\\\\\\"',
    '\n',
    '\\n',
    '\\x',
    '\\\\x',
    '\\\\\\\\x',
    ' \\x',
    ' \\\\x',
  ],
  ...[' 0x', ',0x', ', 0x', ':0x', '","0x', '", "0x', '\\",\\"0x', '\\", \\"0x', ',\\n0x', ',\n0x'],
];
/** The same where digits stand in groups of two bytes, as many viewers show them. */
const GROUP_JOINTS = [' ', ':', '-', '.', ',', '\n', '\\n'];
const DECIMAL_JOINTS = [
  ...[',', ', ', ' , ', ' ', '  ', ';', '; ', '-', ':', '|', '.', '/', '_', '\t', '\\t', '\n', '\\n'],
  ...['","', '", "', '\\",\\"', '\\", \\"', '\\\\\\",\\\\\\"'],
];
const MAX_INDENT = 12;
const CHARACTER_JOINTS = [
  ...[' ', ',', ', ', '-', '.', ':', '|', '_', '/', ';', '\n', '\\n', '\u00e2\u0080\u008b'],
  ...['","', '", "', "','", "', '", '\\",\\"', '\\", \\"', '\\\\\\",\\\\\\"'],
];

/** Returns the ASCII texts of which one stands in each list of a secret's bytes or characters. */
function listListAnchors(secret: string): readonly string[] {
  const bytes = [...Buffer.from(secret, 'utf8')];
  const anchors = PLACES.flatMap((place) => {
    const [one, two, three, four] = bytes.slice(place, place + 4);
    if (one === undefined || two === undefined || three === undefined) return [];
    const octal = [one, two].map((byte) => byte.toString(8).padStart(3, '0'));
    return [
      ...['\\', '\\\\', '\\\\\\\\'].map((joint) => octal.join(joint)),
      ...listHexAnchors([one, two, three, ...(four === undefined ? [] : [four])]),
      ...listDecimalAnchors([one, two, three]),
      ...listCharacterAnchors(toCharacters(secret, place)),
    ];
  });
  const [first = 0, second = 0] = bytes;
  // A typed array as JSON: alone, or after "Bearer ".
  const indexed = [0, 7].flatMap((at) => [
    `"${at}":${first},"${at + 1}":${second}`,
    `"${at}": ${first}, "${at + 1}": ${second}`,
    `\\"${at}\\":${first},\\"${at + 1}\\":${second}`,
    `\\\\\\"${at}\\\\\\":${first},\\\\\\"${at + 1}\\\\\\":${second}`,
  ]);
  return [...new Set([...anchors, ...indexed])];
}

/** Three characters, or as many more up to the next place as there are digits alone: `0.0.4` stands in many addresses. */
function toCharacters(secret: string, place: number): string {
  const most = secret.slice(place, place + 5);
  const other = most.search(/\D/);
  return most.slice(0, other === -1 ? most.length : Math.max(3, other + 1));
}

function listHexAnchors(bytes: readonly number[]): string[] {
  const lower = bytes.map((byte) => byte.toString(16).padStart(2, '0'));
  return [lower, lower.map((digits) => digits.toUpperCase())].flatMap((digits) => [
    ...HEX_JOINTS.map((joint) => digits.slice(0, 3).join(joint)),
    ...GROUP_JOINTS.flatMap((joint) =>
      digits.length < 4 ? [] : [`${digits.slice(0, 2).join('')}${joint}${digits.slice(2).join('')}`],
    ),
    ...(digits.length < 4 ? [] : [digits.join('')]),
  ]);
}

function listDecimalAnchors(bytes: readonly number[]): string[] {
  const signed = bytes.map((byte) => (byte > 127 ? byte - 256 : byte));
  const breaks = ['\n', '\\n', '\\\\n', '\r\n', '\\r\\n', '\\\\r\\\\n'];
  const indents = Array.from({ length: MAX_INDENT }, (_none, index) => ' '.repeat(index + 1));
  const indented = [...indents, '\t', '\t\t', '\\t', '\\t\\t', ''].flatMap((indent) =>
    breaks.map((lineBreak) => `,${lineBreak}${indent}`),
  );
  return [bytes, signed].flatMap((numbers) => [
    ...DECIMAL_JOINTS.map((joint) => numbers.join(joint)),
    ...indented.map((joint) => numbers.slice(0, 2).join(joint)),
  ]);
}

function listCharacterAnchors(text: string): string[] {
  if (text.length < 3 || !/^[\x20-\x7e]*$/.test(text) || /["'\\]/.test(text)) return [];
  return CHARACTER_JOINTS.map((joint) => Array.from(text).join(joint));
}

/**
 * Texts that stand where letters or digits are written as escapes: no encoder does so for any reason but to write all
 * characters alike, so hardly any other text has them.
 */
export function listEscapeAnchors(): readonly string[] {
  const codes = Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', (character) =>
    character.charCodeAt(0),
  );
  const anchors = codes.flatMap((code) => {
    const lower = code.toString(16);
    const inCases = [...new Set([lower, lower.toUpperCase()])];
    // Numbers of other letters have four digits and don't begin with zeros.
    const decimals =
      code < 100
        ? [`#${code};&`, `#0${code};`, `00${code};`, `#${code}&#`, `0${code}&#`]
        : [`#${code};`, `0${code};`, `${code}&#`];
    return [
      ...decimals,
      ...inCases.flatMap((digits) => [
        `u00${digits}`,
        `U000000${digits}`,
        `u{${digits}}`,
        `U+00${digits}`,
        `x${digits}\\x`,
        `x${digits}\\\\x`,
        `25${digits}%`,
        ...['3', '4', '5', '6', '7'].flatMap((next) => [`%${digits}%${next}`, `=${digits}=${next}`]),
        ...['x', 'X'].flatMap((mark) => [`#${mark}${digits};`, `#${mark}${digits}&`]),
        ...['0', '00', '000'].map((zeros) => `x${zeros}${digits};`),
        ...['0', '00', '000'].map((zeros) => `x${zeros}${digits}&#`),
      ]),
    ];
  });
  return [...new Set(anchors)];
}
