/** Numbers of the statuses with which HTTP services report an error. */
const isErrorStatus = (digits: string): boolean => /^(?:4[0-5]\d|5[0-3]\d|59[89])$/u.test(digits);

const TIME = '\\d{1,2}:\\d\\d(?::\\d\\d(?:[.,]\\d+)?)?(?:\\s?[AaPp]\\.?[Mm]\\b\\.?)?';
const ZONE = '(?:\\s?(?:Z|GMT|UTC|[-+]\\d\\d:?\\d\\d|[A-Z]{3,4}T)\\b)?';
const MONTH =
  '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|dic|mai|okt|dez|mär|fev|out|set)[a-zä]{0,7}\\.?';
const DAY = '(?:mon|tue|wed|thu|fri|sat|sun|lun|mar|mié|jue|vie|sáb|dom)[a-z]{0,6}\\.?,?\\s+';
const EXTENSIONS =
  'pdf|jpe?g|png|gif|webp|heic|svg|mp[34]|ogg|opus|aac|wav|mov|webm|docx?|xlsx?|pptx?|csv|txt|log|json|xml|ya?ml|zip|gz|tar|html?|js|ts|tsx|mjs|cjs|py|java|cs|go|rb|php|c|cc|cpp|h|hpp|rs|dll|exe|so|jar|properties|conf|cfg|ini|sql|sh|pem|crt|key';
const DOMAINS =
  'com|net|org|io|dev|app|cloud|example|test|local|localdomain|internal|invalid|edu|gov|mil|info|biz|int|svc|cluster|lan|corp|home|tech|online|ai|co|ar|es|de|br|uk|mx|cl|pe|us|eu|fr|it|pt|nl|cn|jp|in|ca|au|ch|at|be|se|no|dk|pl|ru|ie|kr|tw|hk|sg|nz|za|cz|gr|hu|ro|tr|uy|py|bo|ec|ve|me|tv';
const UNITS =
  'ms|msec|millis|milliseconds?|µs|us|ns|s|secs?|seconds?|segundos?|sekunden?|m|mins?|minutes?|minutos?|minuten?|h|hrs?|hours?|horas?|stunden?|days?|días?|dias?|tage?|[KMGT]i?B|kB|[KMGT]bit|%';

/** Signs that a text has; most forms need some of them, and most texts have few. */
const DIGIT = 1;
const COLON = 2;
const SLASH = 4;
const DOT = 8;
const DASH = 16;
const AT = 32;
const EQUALS = 64;
const QUOTE = 128;
const BRACKET = 256;
const ANGLE = 512;

const SIGNS: Readonly<Record<string, number>> = {
  ...{
    ':': COLON,
    '/': SLASH,
    '.': DOT,
    '-': DASH,
    '@': AT,
    '=': EQUALS,
    '[': BRACKET,
    '<': ANGLE,
    '>': ANGLE,
  },
  ...{ '"': QUOTE, '`': QUOTE, "'": QUOTE },
  ...Object.fromEntries(Array.from('0123456789', (digit) => [digit, DIGIT])),
};
const SIGN_OF = Uint16Array.from({ length: 128 }, (_none, code) => SIGNS[String.fromCharCode(code)] ?? 0);

function findSigns(text: string): number {
  let signs = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // Quotes of other languages are beyond ASCII.
    signs |= code < 128 ? (SIGN_OF[code] ?? 0) : QUOTE;
  }
  return signs;
}

type Fold = readonly [needs: number, form: RegExp, word: string];

/** Values that are recognised by their form, in this order: what comes later would take earlier ones apart. */
const FORMS: readonly Fold[] = [
  [COLON | SLASH, /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'`<>«»“”)\]]+/gi, '<address>'],
  [AT | DOT, /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+/g, '<address>'],
  [DASH, /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, '<id>'],
  [
    COLON | DIGIT,
    /(?<![\w:])\[?(?=[a-f:]*\d)(?=[0-9a-f]{0,4}:[0-9a-f:]*:)(?:[0-9a-f:]*::[0-9a-f:]*|(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4})(?![\w:])(?:\](?::\d+)?)?/gi,
    '<address>',
  ],
  [
    DOT | DIGIT,
    /(?<![\w./@-])(?=[\w.-]*\d)(?:[A-Za-z0-9-]{1,63}\.){2,9}[a-z]{2,12}(?![\w-]|\.\w)(?::\d+)?/g,
    '<address>',
  ],
  [DIGIT, new RegExp(`\\b\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}(?:[T ,]+${TIME}${ZONE})?`, 'g'), '<time>'],
  [
    DIGIT,
    new RegExp(`\\b\\d{1,2}[-/.]\\d{1,2}[-/.](?:\\d{4}|\\d\\d)\\b(?!\\.\\d)(?:[T ,]+${TIME}${ZONE})?`, 'g'),
    '<time>',
  ],
  [
    DIGIT,
    new RegExp(
      `\\b(?:${DAY})?\\d{1,2}[ -](?:de )?${MONTH}(?:[ -](?:de )?\\d{2,4}\\b)?(?:[ ,]+${TIME}${ZONE})?`,
      'gi',
    ),
    '<time>',
  ],
  [
    DIGIT,
    new RegExp(
      `\\b(?:${DAY})?${MONTH}\\s+\\d{1,2}\\b(?:,?\\s+\\d{4}\\b)?(?:[ ,]+${TIME}${ZONE})?(?:\\s+\\d{4}\\b)?`,
      'gi',
    ),
    '<time>',
  ],
  [COLON | DIGIT, new RegExp(`(?<![\\w:.])${TIME}${ZONE}(?![\\d:])`, 'g'), '<time>'],
  [DOT | DIGIT, /(?<![\w.])\/?(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?(?:\/\d{1,2})?(?![\w])/g, '<address>'],
  [DOT, new RegExp(`\\b[\\w-]{1,64}\\.(?:${EXTENSIONS})\\b(?![.\\w(])(?::\\d+)*`, 'g'), '<path>'],
  [
    DOT,
    new RegExp(
      `(?<![\\w.\\\\/@-])(?:\\*\\.)?(?:[a-z0-9](?:[a-z0-9-]{0,62})\\.){1,8}(?:${DOMAINS})(?![\\w-])(?!\\.\\w)(?::\\d+)?(?:/[^\\s"'<>)\\],;]*)?\\.?(?![\\w])`,
      'g',
    ),
    '<address>',
  ],
  [
    COLON | DIGIT,
    /(?<![\w.])(?:[A-Za-z0-9][\w-]{0,62}(?:\.[\w-]{1,63}){1,8}|[a-z][a-z0-9-]{0,62}):\d{2,5}(?![\w:])(?=[\s,;)\]"']|$)/g,
    '<address>',
  ],
  [COLON, /(?<![\w\\])[A-Za-z]:[\\/][^\s"'<>|*?]+/g, '<path>'],
];

/** Words behind which a number or a quoted word is a code. */
const BEFORE_CODE =
  /(?:\b(?:code|errno|sqlstate|sqlcode|error|err|fault|failure|exception|errorcode|rc|ora|tns|db2|código|fehlercode|number|reason|subcode)|(?<![#\w])#|\bstatus code)\s*(?:[:=#(]|is|was)?\s*\(?$/iu;
const BEFORE_STATUS =
  /(?:\b(?:status|http(?:\/\d(?:\.\d)?)?|answered|returned|responded|response|replied|respondió|devolvió|got|received|with|antwortete|estado|respuesta|retornou|respondeu|mit|con|com)(?:\s+(?:with|con|mit|com|code|status))?|^|(?<!\b(?:line|column|col|position|offset|row|limit|size|length|count|port|used|max|len|bytes|page|step|attempt|id|channel|index|char|character))\s?:\s)\s*[:=(]?\s*$/iu;
const ANY_CODE = /^(?:E[A-Z]{3,}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z]{2,8}-\d{3,6})$/u;

/**
 * Folds what varies from one occurrence of a text to the next: addresses, identifiers, quoted values, numbers, each to a
 * word in angle brackets. Codes stay. Linear in the length of the text.
 */
export function maskText(text: string): string {
  const signs = findSigns(text);
  const has = (needs: number): boolean => (signs & needs) === needs;
  let masked = has(ANGLE) ? text.replace(/[<>]/g, ' ') : text;
  // A line of an access log: the status belongs to the request, not to an error.
  if (has(QUOTE | SLASH | DIGIT) && /"[A-Z]{3,7} \S+ HTTP\/\d/.test(masked))
    masked = masked
      .replace(
        /"([A-Z]{3,7}) \S+ HTTP\/[\d.]+"/,
        (_all: string, verb: string) => ` '${holdCode(verb)}' <path> `,
      )
      .replace(/\bstatus: \d{3}\b/, 'status: <number>');
  if (has(EQUALS) && masked.includes(')=('))
    masked = masked.replace(/\([\w ,]{1,100}\)=\([^)]{0,300}\)/g, '<value>');
  for (const [needs, form, word] of FORMS) if (has(needs)) masked = masked.replace(form, word);
  if (has(QUOTE)) masked = foldQuoted(masked);
  if (has(BRACKET))
    masked = masked.replace(/\[([^[\]:]{1,300})\]/g, (_all, inner: string) =>
      ANY_CODE.test(inner) ? ` ${inner} ` : '<value>',
    );
  masked = masked.replace(
    /\b((?:error |status |reason )?code|status|reason|grpc-status)( ?[=:] ?| )([A-Z][A-Za-z]{3,40})(?![\w.])/g,
    (_all, word: string, between: string, code: string) => `${word}${between}'${holdCode(code)}'`,
  );
  if (has(COLON))
    masked = masked.replace(/\b[\w.-]{1,40}:[\w.-]{1,40}:[\w.-]{1,40}(?::[\w.-]{1,40})*\b/g, '<id>');
  if (has(SLASH))
    masked = masked.replace(/(?<![\w<>.~@%+-])[/~]?[\w.@%~+*<>$-]{1,128}\/[\w.@%~+*<>$/-]*/g, (path) =>
      /^(?:HTTP\/\d|\w{1,12}\/\w{1,12}$)/.test(path) &&
      !/[/](?:\d|<)/.test(path) &&
      !/^[a-z]+\/[\w.+-]+$/.test(path)
        ? path
        : '<path>',
    );
  if (has(EQUALS))
    masked = masked.replace(
      /([\w.]{1,40})=(\S*?)(?=[,;)\]]|\s|$)/g,
      (all: string, key: string, value: string) => {
        if (/(?:code|status|reason|error|type|state|errno)$/i.test(key) && /^[\w.-]+$/.test(value))
          return `${key}='${holdCode(value)}'`;
        return value.startsWith("'") && HELD.test(value.slice(1, -1)) ? all : `${key}=<value>`;
      },
    );
  if (has(DIGIT)) masked = foldNumbers(masked);
  masked = repeat(masked, '>,', /((?:\b\w{1,20}:\s?)?<\w+>),\s?(?:and\s)?(?:\w{1,20}:\s?)?<\w+>/g, '$1');
  return releaseCodes(masked)
    .replace(/[^\S ]\s*| \s+/g, ' ')
    .trim();
}

/** Replaces pairs until none is left, so that what is in a row becomes one: a list is as long as it happens to be. */
function repeat(text: string, sign: string, pair: RegExp, by: string): string {
  let before = '';
  let after = text;
  while (after !== before && after.includes(sign)) {
    before = after;
    after = before.replace(pair, by);
  }
  return after;
}

/** Digits of a code stand in a plane without a meaning until the end, so that no later step takes them for a number. */
const FIRST_HELD = 0xf0000;
const HIGH_HELD = '\udb80';
const HELD = /^[\u{F0000}-\u{F00FF}._-]+$/u;
const holdCode = (code: string): string =>
  code.replace(/[0-9a-z]/giu, (character) =>
    String.fromCodePoint(FIRST_HELD + (character.codePointAt(0) ?? 0)),
  );
const releaseCodes = (text: string): string =>
  !text.includes(HIGH_HELD)
    ? text
    : text.replace(/[\u{F0000}-\u{F00FF}]/gu, (held) =>
        String.fromCodePoint((held.codePointAt(0) ?? 0) - FIRST_HELD),
      );

function foldQuoted(text: string): string {
  const fold = (all: string, inner: string, at: number): string => {
    if (HELD.test(inner)) return all;
    if (
      /^[A-Z][A-Za-z]{2,40}$/u.test(inner) &&
      /\b(?:code|reason|status)\s*[:=]?\s*$/iu.test(text.slice(Math.max(0, at - 16), at))
    )
      return `'${holdCode(inner)}'`;
    return '<value>';
  };
  return text
    .replace(
      /"([^"]{0,2000})(?:"(?:\.{3})?|$)|`([^`]{0,500})`|«([^»]{0,500})»|“([^”]{0,500})”|‘([^’]{0,500})’|„([^“”]{0,500})[“”]/g,
      (...match: unknown[]) => {
        const [all, ...rest] = match as [string, ...unknown[]];
        const inner = rest.slice(0, 6).find((part) => typeof part === 'string') ?? '';
        // A sentence inside quotes is a part of the message, not a value.
        if (/: /u.test(inner) && inner.length > 30 && /^[\p{L}]/u.test(inner)) return ` ${inner} `;
        return fold(all, inner, rest[6] as number);
      },
    )
    .replace(/(?<![\w<])'((?:[^']|'(?=\w)){0,300})'(?!\w)/g, (all: string, inner: string, at: number) =>
      fold(all, inner, at),
    );
}

const PHONE = /\+\d[\d ()-]{5,18}\d/g;
const WITH_UNIT = new RegExp(`(?<![\\w.,])[-+]?\\d[\\d.,]*\\s?(?:${UNITS})(?![\\p{L}\\d])`, 'gu');
const WITH_DIGIT =
  /(?<![\p{L}\d_<-])(?=[\p{L}_.,*+-]*\d)[-+]?[\p{L}\d_](?:[\p{L}\d_.,*-]*[\p{L}\d_*])?(?![>\d])/gu;

function foldNumbers(text: string): string {
  let folded = text.includes('+') ? text.replace(PHONE, '<number>') : text;
  folded = folded.replace(WITH_UNIT, '<number>');
  if (/0x/i.test(folded))
    folded = folded.replace(/(?<![\p{L}\d])0x[0-9a-f]+/giu, (hex) =>
      /^0x[8c][0-9a-f]{7}$/i.test(hex) ? holdCode(hex.toLowerCase()) : '<id>',
    );
  folded = folded.replace(WITH_DIGIT, foldToken);
  return repeat(folded, '<number>', /<number>[ ,.-]*<number>/g, '<number>');
}

function foldToken(token: string, at: number, whole: string): string {
  if (/^[-+]?\d[\d.,]*$/.test(token)) {
    const before = whole.slice(Math.max(0, at - 30), at);
    const digits = token.replace(/^[-+]/, '');
    if (/^\d{1,7}$/.test(digits) && BEFORE_CODE.test(before)) return holdCode(token);
    if (isErrorStatus(digits) && BEFORE_STATUS.test(before)) return holdCode(token);
    return '<number>';
  }
  if (ANY_CODE.test(token) || /^[A-Z]{4,}\d{3,}$/.test(token)) return holdCode(token);
  return isIdentifier(token) ? '<id>' : token.replace(/[-+]?\d[\d.,]*/g, '<number>');
}

const MIN_MIXED_CHARACTERS = 5;

/** True for a made-up name: digits between letters, long mixtures, parts like those of `m-4aba-612c`. */
function isIdentifier(token: string): boolean {
  const parts = token.split(/[-_.]/);
  const changes = (part: string): number => part.match(/\d(?=\p{L})|\p{L}(?=\d)/gu)?.length ?? 0;
  if (parts.some((part) => part.length >= MIN_MIXED_CHARACTERS && changes(part) >= 2)) return true;
  if (token.length >= 8 && /\d{4,}/u.test(token) && /\p{L}/u.test(token)) return true;
  if (/^[\p{L}]+[-_]\d+$/u.test(token)) return true;
  if (token.length >= 12 && /\d/u.test(token) && /\p{Ll}/u.test(token) && /\p{Lu}/u.test(token)) return true;
  return parts.length >= 2 && /\d/u.test(token) && /\p{L}/u.test(token);
}
