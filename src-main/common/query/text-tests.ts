import { foldCase } from '../fold-case.ts';

/** Why a regular expression isn't run. */
export type RegexFault = 'regex-invalid' | 'regex-unsupported' | 'regex-too-large';

/** What is wrong, and the character of the pattern where it shows. */
interface RegexError {
  readonly fault: RegexFault;
  readonly at: number;
}

/**
 * Most steps of a pattern: each character of a text may take that many. RE2 takes time in proportion to both, so that
 * nothing but its size makes a pattern slow.
 */
const MAX_REGEX_STEPS = 500;
/** RE2 repeats nothing more often, repetitions within repetitions counted together. */
const MAX_REPEATS = 1000;
const MAX_BRACKETS = 50;

const CATEGORIES = new Set(
  'C Cc Cf Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs'.split(
    ' ',
  ),
);
const SCRIPTS = new Set(
  'Arabic Armenian Cyrillic Devanagari Greek Han Hangul Hebrew Hiragana Katakana Latin Thai'.split(' '),
);
const CLASS_NAMES =
  /^\[:\^?(alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):\]/;
const QUANTIFIER = /^(?:[*+?]|\{\d+(,\d*)?\})/;
/** Steps of a character beyond ASCII, of sets, and of what finds nearly any character, which RE2 reads byte by byte. */
const STEPS = { character: 2, set: 2, any: 9, property: 60 } as const;

class Refused extends Error {
  readonly error: RegexError;
  constructor(fault: RegexFault, at: number) {
    super(fault);
    this.error = { fault, at };
  }
}

/** Checks a pattern by the grammar of RE2; null where it is run. */
export function checkRegex(pattern: string): RegexError | null {
  try {
    readPattern(pattern);
    return null;
  } catch (error) {
    if (error instanceof Refused) return error.error;
    throw error;
  }
}

interface Size {
  /** Steps, and how often the innermost part of it is repeated. */
  readonly steps: number;
  readonly repeats: number;
}

function readPattern(pattern: string): void {
  let place = 0;
  let depth = 0;
  const names = new Set<string>();
  const rest = (): string => pattern.slice(place);
  const fail = (fault: RegexFault, at = place): never => {
    throw new Refused(fault, at);
  };

  function readAlternatives(): Size {
    let size = readSequence();
    while (pattern[place] === '|') {
      place += 1;
      const next = readSequence();
      size = { steps: size.steps + next.steps + 1, repeats: Math.max(size.repeats, next.repeats) };
    }
    return size;
  }

  function readSequence(): Size {
    let steps = 0;
    let repeats = 1;
    while (place < pattern.length && pattern[place] !== '|' && pattern[place] !== ')') {
      const from = place;
      const own = readQuantified(readAtom());
      steps += own.steps;
      repeats = Math.max(repeats, own.repeats);
      if (steps > MAX_REGEX_STEPS) fail('regex-too-large', from);
    }
    return { steps, repeats };
  }

  function readQuantified(atom: Size | null): Size {
    const from = place;
    const [found, low, comma, high] = /^(?:[*+?]|\{(\d+)(,(\d*))?\})/.exec(rest()) ?? [];
    if (found === undefined) return atom ?? { steps: 0, repeats: 1 };
    if (atom === null) return fail('regex-invalid', from);
    place += found.length;
    if (pattern[place] === '?') place += 1;
    if (QUANTIFIER.test(rest())) fail('regex-invalid');
    if (low === undefined) return { ...atom, steps: atom.steps + 1 };
    const least = Number(low);
    const most = comma === undefined ? least : high === '' || high === undefined ? null : Number(high);
    if (Math.max(least, most ?? 0) > MAX_REPEATS) fail('regex-too-large', from);
    if (most !== null && most < least) fail('regex-invalid', from);
    const times = Math.max(1, most ?? least + 1);
    const repeats = atom.repeats * Math.max(1, least, most ?? 0);
    if (repeats > MAX_REPEATS || atom.steps * times > MAX_REGEX_STEPS) fail('regex-too-large', from);
    return { steps: (atom.steps + 1) * times, repeats };
  }

  /** Null for flags, which nothing can repeat. */
  function readAtom(): Size | null {
    const from = place;
    const character = String.fromCodePoint(pattern.codePointAt(place) ?? 0);
    if (character === '\0' || QUANTIFIER.test(rest())) fail('regex-invalid');
    place += character.length;
    if (character === '(') return readBrackets(from);
    if (character === '[') return readSet(from);
    if (character === '\\') return readEscape(from, false);
    if (character === '.') return { steps: STEPS.any, repeats: 1 };
    return { steps: character > '\x7f' ? STEPS.character : 1, repeats: 1 };
  }

  function readBrackets(from: number): Size | null {
    depth += 1;
    if (depth > MAX_BRACKETS) fail('regex-too-large', from);
    if (pattern[place] === '?') {
      if (/^\?(?:<?[=!])/.test(rest())) fail('regex-unsupported', from);
      const [flags, end] = /^\?(?:[imsU]+(?:-[imsU]+)?|-[imsU]+)?([:)])/.exec(rest()) ?? [];
      const [named, name = ''] = /^\?P<([A-Za-z_]\w*)>/.exec(rest()) ?? [];
      const found = flags ?? named;
      if (found === undefined || found === '?)' || names.has(name)) return fail('regex-invalid', from);
      if (named !== undefined) names.add(name);
      place += found.length;
      if (end === ')') {
        depth -= 1;
        return null;
      }
    }
    const inner = readAlternatives();
    if (pattern[place] !== ')') fail('regex-invalid', from);
    place += 1;
    depth -= 1;
    return { steps: inner.steps + 1, repeats: inner.repeats };
  }

  function readSet(from: number): Size {
    const isNegated = pattern[place] === '^';
    let steps: number = isNegated ? STEPS.any : STEPS.set;
    if (isNegated) place += 1;
    for (let isFirst = true; isFirst || pattern[place] !== ']'; isFirst = false) {
      if (place >= pattern.length) return fail('regex-invalid', from);
      const start = place;
      const low = readMember();
      if (low === null) {
        steps += 2;
        continue;
      }
      steps += low.steps;
      if (pattern[place] === '-' && pattern[place + 1] !== ']' && place + 1 < pattern.length) {
        place += 1;
        const high = readMember();
        if (high?.point === undefined || low.point === undefined || high.point < low.point)
          fail('regex-invalid', start);
      }
    }
    place += 1;
    return { steps, repeats: 1 };
  }

  /** A character of a set, or a named set, which has no point; null for one such as `[:alpha:]`. */
  function readMember(): { point?: number; steps: number } | null {
    const [name] = CLASS_NAMES.exec(rest()) ?? [];
    if (name !== undefined) {
      place += name.length;
      return null;
    }
    if (rest().startsWith('[:') && rest().includes(':]')) fail('regex-invalid');
    const from = place;
    const point = pattern.codePointAt(place) ?? 0;
    if (point === 0) fail('regex-invalid');
    place += point > 0xffff ? 2 : 1;
    if (point !== 0x5c) return { point, steps: 0 };
    const { steps, point: escaped } = readEscape(from, true);
    return { steps, ...(escaped === undefined ? {} : { point: escaped }) };
  }

  function readEscape(from: number, isInSet: boolean): Size & { readonly point?: number } {
    const [letter = ''] = rest();
    if (letter === '') return fail('regex-invalid', from);
    place += letter.length;
    if (/[1-9]/.test(letter)) fail('regex-unsupported', from);
    if (/[dsw]/i.test(letter)) return { steps: /[dsw]/.test(letter) ? STEPS.set : STEPS.any, repeats: 1 };
    if (/[pP]/.test(letter)) {
      const [found, short, long] = /^(?:([A-Z])|\{\^?(\w+)\})/.exec(rest()) ?? [];
      const name = short ?? long ?? '';
      if (found === undefined || !(CATEGORIES.has(name) || SCRIPTS.has(name))) fail('regex-invalid', from);
      place += found?.length ?? 0;
      return { steps: STEPS.property, repeats: 1 };
    }
    if (letter === 'x') {
      const [found, two, more] = /^(?:([\da-fA-F]{2})|\{([\da-fA-F]{1,8})\})/.exec(rest()) ?? [];
      const point = Number.parseInt(two ?? more ?? '', 16);
      if (found === undefined || point > 0x10ffff) fail('regex-invalid', from);
      place += found?.length ?? 0;
      return { steps: STEPS.character, repeats: 1, point };
    }
    if (!isInSet && /[bBAz]/.test(letter)) return { steps: 1, repeats: 1 };
    if (!isInSet && letter === 'Q') {
      const end = pattern.indexOf('\\E', place);
      const text = pattern.slice(place, end < 0 ? pattern.length : end);
      if (text === '' || text.includes('\0') || QUANTIFIER.test(pattern.slice(end + 2)))
        fail('regex-invalid', from);
      place = end < 0 ? pattern.length : end + 2;
      return { steps: text.length * STEPS.character, repeats: 1 };
    }
    const control = 'aftnrv'.indexOf(letter);
    if (control >= 0) return { steps: 1, repeats: 1, point: [7, 12, 9, 10, 13, 11][control] ?? 0 };
    if (/[\w\0]|[^\0-\x7f]/.test(letter)) {
      // What is escaped without need reads as a mistake, and RE2 refuses it.
      if (letter !== '_') fail('regex-invalid', from);
    }
    return { steps: 1, repeats: 1, point: letter.codePointAt(0) ?? 0 };
  }

  const { steps } = readAlternatives();
  if (place < pattern.length) fail('regex-invalid');
  if (steps > MAX_REGEX_STEPS) fail('regex-too-large', 0);
}

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
