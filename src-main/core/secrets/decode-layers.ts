/** A text with one kind of escapes resolved, and where in the original each of its characters begins. */
interface DecodedText {
  readonly text: string;
  /** Returns the place in the original of a place in `text`, which may be its end. */
  toOriginal(at: number): number;
}

/** One kind of escapes; null where a text holds none. */
export type Decode = (text: string) => DecodedText | null;

interface Escape {
  readonly pattern: RegExp;
  /** Values of the characters or bytes, one for each match of `pattern`; null leaves it as it is. */
  readonly read: (match: RegExpExecArray) => { readonly value: string; readonly isByte: boolean } | null;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
};

/** `\"`, `\\`, `\u00e9`, `\u{e9}`, `\U000000e9`, `\xe9`, `\351`: JSON, JavaScript, Python, shells. */
const BACKSLASHES: Escape = {
  pattern:
    /\\(?:[uU]\{0{0,8}([0-9a-fA-F]{1,6})\}|U00([0-9a-fA-F]{6})|[uU]([0-9a-fA-F]{4})|[xX]([0-9a-fA-F]{2})|([0-3][0-7]{2})|(.))/gsu,
  read: ([, braced, long, unit, byte, octal, short]) => {
    if (byte !== undefined) return toByte(Number.parseInt(byte, 16));
    if (octal !== undefined) return toByte(Number.parseInt(octal, 8));
    if (short !== undefined) return toCharacter(SHORT_ESCAPES[short] ?? short);
    return toCodePoint(Number.parseInt(braced ?? long ?? unit ?? '', 16));
  },
};

/** Only the numbered ones of these, where quotation marks and backslashes were left as they are; `U+00E9` as well. */
const NUMBERED: Escape = {
  pattern:
    /(?:\\[uU]\{0{0,8}([0-9a-fA-F]{1,6})\}|\\U00([0-9a-fA-F]{6})|(?:\\[uU]|U\+)([0-9a-fA-F]{4})|\\[xX]([0-9a-fA-F]{2}))/gu,
  read: BACKSLASHES.read,
};

/** Names of the characters from U+00A0 to U+00FF, in their order. */
const LATIN_NAMES =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute ' +
  'micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig ' +
  'Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash ' +
  'Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc ' +
  'euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml ' +
  'yacute thorn yuml';
const FIRST_LATIN = 0xa0;

const MARKS: readonly (readonly [names: string, character: string])[] = [
  ['quot QUOT', '"'],
  ['amp AMP', '&'],
  ['apos', "'"],
  ['lt LT', '<'],
  ['gt GT', '>'],
  ['bsol', '\\'],
  ['sol', '/'],
  ['colon', ':'],
  ['semi', ';'],
  ['comma', ','],
  ['period', '.'],
  ['excl', '!'],
  ['num', '#'],
  ['dollar', '$'],
  ['percnt', '%'],
  ['lpar', '('],
  ['rpar', ')'],
  ['ast midast', '*'],
  ['plus', '+'],
  ['equals', '='],
  ['quest', '?'],
  ['commat', '@'],
  ['lsqb lbrack', '['],
  ['rsqb rbrack', ']'],
  ['lcub lbrace', '{'],
  ['rcub rbrace', '}'],
  ['Hat', '^'],
  ['lowbar', '_'],
  ['grave', '`'],
  ['verbar vert', '|'],
  ['Tab', '\t'],
];

/** Characters of HTML by their names, as far as encoders of texts use them. */
const ENTITY_CHARACTERS: ReadonlyMap<string, string> = new Map([
  ...LATIN_NAMES.split(' ').map((name, index) => [name, String.fromCharCode(FIRST_LATIN + index)] as const),
  ...MARKS.flatMap(([names, character]) => names.split(' ').map((name) => [name, character] as const)),
]);

/** `&quot;`, `&#34;`, `&#0034`, `&#x22;`: HTML and XML. */
const ENTITIES: Escape = {
  pattern: /&(?:#0{0,8}(\d{1,7});?|#x0{0,8}([0-9a-f]{1,6});?|([a-z]{2,8}\d{0,2});)/giu,
  read: ([, decimal, hexadecimal, name]) => {
    if (decimal !== undefined) return toCodePoint(Number(decimal));
    if (hexadecimal !== undefined) return toCodePoint(Number.parseInt(hexadecimal, 16));
    const character = ENTITY_CHARACTERS.get(name ?? '');
    return character === undefined ? null : toCharacter(character);
  },
};

/** `%C3%A9`, `%E9`, `%u00e9`: addresses and forms. */
const PERCENTS: Escape = {
  pattern: /%(?:u([0-9a-f]{4})|([0-9a-f]{2}))/giu,
  read: ([, unit, byte]) =>
    unit === undefined ? toByte(Number.parseInt(byte ?? '', 16)) : toCodePoint(Number.parseInt(unit, 16)),
};

/** `=C3=A9`, and a `=` where a line was broken: quoted-printable, as in mail. */
const QUOTED_PRINTABLE: Escape = {
  pattern: /=(?:([0-9a-f]{2})|[ \t]{0,8}\r?\n)/giu,
  read: ([, byte]) => (byte === undefined ? toCharacter('') : toByte(Number.parseInt(byte, 16))),
};

/** Lines that were broken at some width, with what they are indented by. */
const LINE_BREAKS: Escape = {
  pattern: /(?:\r\n|\r|\n)[ \t]{0,16}/gu,
  read: () => toCharacter(''),
};

/** Kinds of escapes, whose order within each other isn't known. */
export const ESCAPE_LAYERS: readonly Decode[] = [
  ...[BACKSLASHES, NUMBERED, ENTITIES, PERCENTS, QUOTED_PRINTABLE, LINE_BREAKS],
].map(createDecoder);

function createDecoder({ pattern, read }: Escape): Decode {
  return (text) => {
    const writer = createWriter(text);
    let bytes: ListedByte[] = [];
    const flush = (): void => {
      writeBytes(writer, bytes);
      bytes = [];
    };
    for (const match of text.matchAll(pattern)) {
      const found = read(match);
      if (found === null) continue;
      const [from, to] = [match.index, match.index + match[0].length];
      if (bytes.at(-1)?.to !== from) flush();
      if (found.isByte) bytes.push({ code: found.value.charCodeAt(0), from, to });
      else {
        flush();
        writer.put(found.value, from, to);
      }
    }
    flush();
    return writer.finish();
  };
}

/** A byte, or a unit of text, and where it stands. */
export interface ListedByte {
  readonly code: number;
  readonly from: number;
  readonly to: number;
}

/** Makes a decoder of lists: `find` returns runs of bytes; what stands between the bytes of a run belongs to it. */
export function createListDecoder(find: (text: string) => readonly (readonly ListedByte[])[]): Decode {
  return (text) => {
    const writer = createWriter(text);
    for (const run of find(text)) {
      writeBytes(
        writer,
        run.map((byte, index) => ({ ...byte, from: run[index - 1]?.to ?? byte.from })),
      );
    }
    return writer.finish();
  };
}

function writeBytes(writer: ReturnType<typeof createWriter>, bytes: readonly ListedByte[]): void {
  for (let at = 0; at < bytes.length;) {
    const { character, length } = readCharacter(bytes.slice(at, at + 4).map(({ code }) => code));
    writer.put(character, bytes[at]?.from ?? 0, bytes[at + length - 1]?.to ?? 0);
    at += length;
  }
}

/** Writes a text anew, with what stands in place of some of its parts. */
function createWriter(original: string) {
  const pieces: string[] = [];
  /** Places in the new text, and the places in the original that they stand for, both ascending. */
  const places = [0];
  const origins = [0];
  let length = 0;
  let done = 0;
  return {
    put(character: string, from: number, to: number): void {
      pieces.push(original.slice(done, from), character);
      length += from - done;
      places.push(length, length + character.length);
      origins.push(from, to);
      length += character.length;
      done = to;
    },
    finish(): DecodedText | null {
      if (pieces.length === 0) return null;
      return {
        text: pieces.join('') + original.slice(done),
        toOriginal: (at) => {
          let [low, high] = [0, places.length - 1];
          while (low < high) {
            const middle = (low + high + 1) >> 1;
            if ((places[middle] ?? 0) <= at) low = middle;
            else high = middle - 1;
          }
          return (origins[low] ?? 0) + at - (places[low] ?? 0);
        },
      };
    },
  };
}

/** The first character of some bytes, as UTF-8 where they are, else as Latin-1. */
function readCharacter(codes: readonly number[]): { readonly character: string; readonly length: number } {
  const [lead = 0] = codes;
  const length = lead > 0xff ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
  if (length > 1 && codes.length >= length) {
    const character = Buffer.from(codes.slice(0, length)).toString('utf8');
    if (!character.includes('\ufffd')) return { character, length };
  }
  return { character: String.fromCharCode(lead), length: 1 };
}

function toByte(code: number) {
  return { value: String.fromCharCode(code), isByte: true };
}

function toCharacter(value: string) {
  return { value, isByte: false };
}

function toCodePoint(code: number) {
  return code > 0x10_ff_ff ? null : toCharacter(String.fromCodePoint(code));
}

/** Looks through bytes for many short texts at once. */
export interface ByteScan {
  /** Adds ASCII texts to look for. */
  add(anchors: readonly string[]): void;
  /** Returns a scan of its own that looks for the same, and for what is added to it. */
  copy(): ByteScan;
  /**
   * Returns where the bytes hold one of them: a place within it, the first at or after `from`; -1 where there is none
   * before `until`. One that begins before `from`, or ends after `until`, may count or not; in one of two spans side by
   * side it does.
   */
  find(bytes: ArrayBuffer, from?: number, until?: number): number;
}

interface Place {
  readonly anchor: string;
  /** The byte of the anchor at which the word begins. */
  readonly phase: number;
}

/** What a scan looks for. */
interface Known {
  readonly anchors: Set<string>;
  readonly short: string[];
  /** By their words: one place, or several. */
  readonly places: Map<number, Place | Place[]>;
  readonly filter: Int32Array;
}

/** Four bytes at every other byte: an anchor of this many holds them, wherever it begins. */
const MIN_BYTES = 5;
/** A multiplicative hash of 21 bits, one bit each: the filter then stays in the processor's cache. */
const FACTOR = 0x9e_37_79_b1;
const SHIFT = 32 - 21;

/**
 * Makes a scan of large pages for many short texts: it reads every other byte, and stays as quick however many anchors
 * there are. Anchors below five bytes are looked for one by one.
 */
export function createByteScan(
  { anchors, short, places, filter }: Known = {
    anchors: new Set(),
    short: [],
    places: new Map(),
    filter: new Int32Array(2 ** (32 - SHIFT - 5)),
  },
): ByteScan {
  function addOne(anchor: string): void {
    anchors.add(anchor);
    if (anchor.length < MIN_BYTES) {
      short.push(anchor);
      return;
    }
    const best = findRarest(anchor);
    for (const phase of [best, best + 1]) {
      const word = readWord(anchor, phase);
      const there = places.get(word);
      const place = { anchor, phase };
      if (there === undefined) places.set(word, place);
      // A copy may hold the same list.
      else places.set(word, [...(Array.isArray(there) ? there : [there]), place]);
      const slot = toSlot(word);
      filter[slot >>> 5] = (filter[slot >>> 5] as number) | (1 << (slot & 31));
    }
  }
  const isAt = (bytes: Uint8Array, word: number, at: number): boolean => {
    const there = places.get(word);
    if (there === undefined) return false;
    if (!Array.isArray(there)) return isEqual(bytes, there.anchor, at - there.phase);
    return there.some(({ anchor, phase }) => isEqual(bytes, anchor, at - phase));
  };

  function findLong(bytes: ArrayBuffer, from: number, until: number): number {
    const buffer = new Uint8Array(bytes);
    // The system's byte order is little-endian wherever the application runs.
    const words = new Int32Array(bytes, 0, bytes.byteLength >> 2);
    const last = Math.max(0, Math.min(words.length - 1, Math.ceil(until / 4)));
    const first = Math.min(from >> 2, last);
    let next = words[first] ?? 0;
    for (let at = first; at < last; at += 1) {
      const word = next;
      next = words[at + 1] as number;
      const between = (word >>> 16) | (next << 16);
      const one = toSlot(word);
      const other = toSlot(between);
      // One test for both: hardly any passes.
      const found =
        ((filter[one >>> 5] as number) >>> (one & 31)) | ((filter[other >>> 5] as number) >>> (other & 31));
      if ((found & 1) === 0) continue;
      if (4 * at >= from && isAt(buffer, word, 4 * at)) return 4 * at;
      if (4 * at + 2 >= from && isAt(buffer, between, 4 * at + 2)) return 4 * at + 2;
    }
    if (until < bytes.byteLength) return -1;
    const view = new DataView(bytes);
    for (let at = 4 * last; at + 4 <= bytes.byteLength; at += 2) {
      if (at >= from && isAt(buffer, view.getInt32(at, true), at)) return at;
    }
    return -1;
  }

  return {
    add(added) {
      for (const anchor of added) if (!anchors.has(anchor)) addOne(anchor);
    },
    copy: () =>
      createByteScan({
        anchors: new Set(anchors),
        short: [...short],
        places: new Map(places),
        filter: filter.slice(),
      }),
    find(bytes, from = 0, until = bytes.byteLength) {
      let found = findLong(bytes, from, until);
      if (short.length === 0) return found;
      const buffer = Buffer.from(bytes, 0, Math.min(bytes.byteLength, until + MIN_BYTES));
      for (const anchor of short) {
        const at = buffer.indexOf(anchor, from, 'latin1');
        if (at !== -1 && (found === -1 || at < found)) found = at;
      }
      return found;
    },
  };
}

/** Where two words begin that pages hardly have: JSON is full of marks, and numbers of zeros. */
function findRarest(anchor: string): number {
  let [best, most] = [0, -1];
  for (let phase = 0; phase + MIN_BYTES <= anchor.length; phase += 1) {
    let rare = 0;
    // The middle ones are in both words.
    for (let at = 0; at < MIN_BYTES; at += 1) {
      if (isRare(anchor.charCodeAt(phase + at))) rare += at === 0 || at === MIN_BYTES - 1 ? 1 : 2;
    }
    if (rare > most) [best, most] = [phase, rare];
  }
  return best;
}

/** Letters and digits, but for the zero. */
function isRare(code: number): boolean {
  return (code > 48 && code <= 57) || (code > 64 && code <= 90) || (code > 96 && code <= 122);
}

/** False as well where the bytes begin or end in the middle of what looks like an anchor. */
function isEqual(bytes: Uint8Array, part: string, from: number): boolean {
  if (from < 0 || from + part.length > bytes.length) return false;
  for (let at = 0; at < part.length; at += 1) if (bytes[from + at] !== part.charCodeAt(at)) return false;
  return true;
}

/** The lower eight bits of four units of a text, the first the lowest. */
export function readWord(text: string, at: number): number {
  return (
    (text.charCodeAt(at) & 255) |
    ((text.charCodeAt(at + 1) & 255) << 8) |
    ((text.charCodeAt(at + 2) & 255) << 16) |
    ((text.charCodeAt(at + 3) & 255) << 24)
  );
}

function toSlot(word: number): number {
  return Math.imul(word, FACTOR) >>> SHIFT;
}
