/** Texts that stand where a secret is written as a list, or has its letters as escapes: see `scan-bytes.ts`. */

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
export function listListAnchors(secret: string): readonly string[] {
  const bytes = [...Buffer.from(secret, 'utf8')];
  const anchors = PLACES.flatMap((place) => {
    const [one, two, three, four] = bytes.slice(place, place + 4);
    if (one === undefined || two === undefined || three === undefined) return [];
    const octal = [one, two].map((byte) => byte.toString(8).padStart(3, '0'));
    return [
      ...['\\', '\\\\', '\\\\\\\\'].map((joint) => octal.join(joint)),
      ...listHexAnchors([one, two, three, ...(four === undefined ? [] : [four])]),
      ...listDecimalAnchors([one, two, three]),
      ...listCharacterAnchors(secret.slice(place, place + 3)),
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
