import { createHmac } from 'node:crypto';
import { findFolded, foldCase } from '../../../../common/fold-case.ts';

/** Part of a text, `toAt` exclusive. */
export interface TextSpan {
  readonly fromAt: number;
  readonly toAt: number;
}

/** A client in a text. */
export interface ClientSpan extends TextSpan {
  /** The same for every spelling of the client; see `toClientKey`. */
  readonly key: string;
}

/** The clients that are looked for in texts of all kinds. */
export interface KnownClients {
  add(client: string): void;
  /** Where a text names one of them, or `own`, in order; `own` also within a longer word. */
  find(text: string, own: string): readonly ClientSpan[];
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const LETTER = /\p{L}/u;
/** Words of digits only, and what stands between those of a telephone number. */
const DIGITS = /^\p{Nd}+$/u;
const BETWEEN_DIGITS = /^[\s()[\]./+–‑-]{1,3}$/u;
/** Shorter clients would be found where nobody is meant: a code, a service, the word "no". */
const MIN_CHARACTERS = 3;
const MIN_DIGITS = 5;
/** So many digits are written in groups of many kinds: telephone numbers, accounts, cards. */
const MIN_GROUPED_DIGITS = 7;
const MAX_GROUPED_DIGITS = 24;
/** Shorter ones are looked for as words only. */
const MIN_PART_CHARACTERS = 4;

/**
 * Returns what tells a client from others: its letters and digits, in words. Spellings that differ in letter case or in
 * what stands between the words are the same client; of a long number its groups of digits don't matter either.
 */
export function toClientKey(client: string): string {
  const words = Array.from(client.matchAll(WORD), ([word]) => toWordKey(word));
  const number = words.join('');
  if (words.every((word) => DIGITS.test(word)) && number.length >= MIN_GROUPED_DIGITS) return number;
  return words.length === 0 ? client : words.join(' ');
}

/** Keeps hashes of clients only; a text is looked through word by word, however many clients there are. */
export function createKnownClients(): KnownClients {
  const keys = createHashSet();
  /** What clients of several words begin with. */
  const beginnings = createHashSet();

  function findWords(text: string): ClientSpan[] {
    const words = Array.from(text.matchAll(WORD), ({ 0: word, index }) => ({
      key: toWordKey(word),
      fromAt: index,
      toAt: index + word.length,
    }));
    const spans: ClientSpan[] = [];
    for (let place = 0; place < words.length; place += 1) {
      const longest = findLongest(words, place) ?? findGrouped(text, words, place);
      if (longest === null) continue;
      spans.push(longest.span);
      place = longest.last;
    }
    return spans;
  }

  /** The longest client that begins at a word. */
  function findLongest(
    words: readonly ClientSpan[],
    first: number,
  ): { readonly span: ClientSpan; readonly last: number } | null {
    let found: { span: ClientSpan; last: number } | null = null;
    let key = '';
    for (let last = first; last < words.length; last += 1) {
      key = last === first ? (words[last]?.key ?? '') : `${key} ${words[last]?.key ?? ''}`;
      const hash = hashText(key);
      if (keys.has(hash)) {
        const span = { key, fromAt: words[first]?.fromAt ?? 0, toAt: words[last]?.toAt ?? 0 };
        found = { span, last };
      }
      if (!beginnings.has(hash)) break;
    }
    return found;
  }

  /** The longest number that begins at a word and has its digits in groups. */
  function findGrouped(
    text: string,
    words: readonly ClientSpan[],
    first: number,
  ): { readonly span: ClientSpan; readonly last: number } | null {
    let found: { span: ClientSpan; last: number } | null = null;
    let [key, fromAt, doneAt] = ['', 0, 0];
    for (let last = first; last < words.length; last += 1) {
      const word = words[last];
      if (word === undefined || !DIGITS.test(word.key)) break;
      if (last === first) fromAt = word.fromAt;
      else if (!BETWEEN_DIGITS.test(text.slice(doneAt, word.fromAt))) break;
      key += word.key;
      doneAt = word.toAt;
      if (key.length > MAX_GROUPED_DIGITS) break;
      if (key.length >= MIN_GROUPED_DIGITS && keys.has(hashText(key)))
        found = { span: { key, fromAt, toAt: doneAt }, last };
    }
    return found;
  }

  return {
    add(client) {
      const key = toClientKey(client);
      if (!isDistinct(key)) return;
      keys.add(hashText(key));
      for (let space = key.indexOf(' '); space !== -1; space = key.indexOf(' ', space + 1)) {
        beginnings.add(hashText(key.slice(0, space)));
      }
    },
    find(text, own) {
      if (text === '') return [];
      const parts = findParts(text, own);
      const words = findWords(text);
      return parts.length === 0 ? words : mergeSpans([...parts, ...words]);
    },
  };
}

/** Returns a text with other texts in the place of spans, which are in order and don't overlap. */
export function replaceSpans<Span extends TextSpan>(
  text: string,
  spans: readonly Span[],
  toText: (span: Span) => string,
): string {
  if (spans.length === 0) return text;
  let replaced = '';
  let doneAt = 0;
  for (const span of spans) {
    replaced += text.slice(doneAt, span.fromAt) + toText(span);
    doneAt = span.toAt;
  }
  return replaced + text.slice(doneAt);
}

/** In order; of those that overlap one that covers them all, with the key of the one that begins first. */
function mergeSpans(spans: readonly ClientSpan[]): readonly ClientSpan[] {
  const merged: ClientSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.fromAt - b.fromAt)) {
    const last = merged.at(-1);
    if (last === undefined || span.fromAt >= last.toAt) merged.push(span);
    else merged[merged.length - 1] = { ...last, toAt: Math.max(last.toAt, span.toAt) };
  }
  return merged;
}

/** A record's own client, wherever it stands. */
function findParts(text: string, own: string): ClientSpan[] {
  const wanted = own.trim();
  if (wanted.length < MIN_PART_CHARACTERS) return [];
  const key = toClientKey(own);
  if (!isDistinct(key)) return [];
  const spellings = DIGITS.test(key) && key !== wanted ? [wanted, key] : [wanted];
  return spellings.flatMap((each) =>
    findFolded(text, each, Infinity).map(([fromAt, toAt]) => ({ key, fromAt, toAt })),
  );
}

function isDistinct(key: string): boolean {
  const characters = key.replaceAll(' ', '').length;
  return LETTER.test(key) ? characters >= MIN_CHARACTERS : characters >= MIN_DIGITS;
}

/** In some languages i has a dot in capitals too, and a letter without one besides: whoever writes a name may mix them up. */
function toWordKey(word: string): string {
  return foldCase(word).replace(/i\u0307|ı/g, 'i');
}

const FIRST_SLOTS = 1024;
const TWO_TO_32 = 2 ** 32;

/** A set of hashes of texts. */
interface HashSet {
  add(hash: number): void;
  has(hash: number): boolean;
}

/** Makes an empty set, which takes 32 bytes a hash at most, however long the texts are. */
function createHashSet(): HashSet {
  let slots = new Float64Array(FIRST_SLOTS);
  let used = 0;

  /** The slot of a hash, or the free one where it belongs. */
  function findSlot(table: Float64Array, hash: number): number {
    const last = table.length - 1;
    let slot = (hash % TWO_TO_32) & last;
    while (table[slot] !== 0 && table[slot] !== hash) slot = (slot + 1) & last;
    return slot;
  }

  function grow(): void {
    const larger = new Float64Array(slots.length * 2);
    for (const hash of slots) if (hash !== 0) larger[findSlot(larger, hash)] = hash;
    slots = larger;
  }

  return {
    add(hash) {
      const slot = findSlot(slots, hash);
      if (slots[slot] === hash) return;
      slots[slot] = hash;
      used += 1;
      if (used * 2 > slots.length) grow();
    },
    has: (hash) => slots[findSlot(slots, hash)] === hash,
  };
}

/**
 * Returns a hash of 53 bits, never 0: of ten million texts two have the same one with a chance of less than 1 in 100.
 * Two multiplicative hashes of 32 bits, mixed.
 */
function hashText(text: string): number {
  let low = 0xdead_beef;
  let high = 0x41c6_ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 2_654_435_761);
    high = Math.imul(high ^ code, 1_597_334_677);
  }
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  return (high & 0x1f_ffff) * TWO_TO_32 + (low >>> 0) || 1;
}

/** Digits and letters that are not taken for one another when they are read aloud or copied by hand. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
/** Sixty bits: among ten million clients two have the same pseudonym with a chance of 1 in 20,000. */
const CHARACTERS = 12;
const MAX_REMEMBERED = 50_000;

/** Gives the pseudonym of a client, or of its key: always the same for the same one. */
export type ToPseudonym = (client: string) => string;

/**
 * Makes pseudonyms such as `client-3k9t2m7qx0ab` with a secret key: whoever doesn't have it can't try out numbers or
 * names to find the client behind one.
 */
export function createPseudonyms(key: Uint8Array): ToPseudonym {
  const remembered = new Map<string, string>();
  return (client) => {
    if (client === '') return '';
    const known = remembered.get(client);
    if (known !== undefined) return known;
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    const digest = createHmac('sha256', key).update(toClientKey(client)).digest();
    const letters = Array.from(
      digest.subarray(0, CHARACTERS),
      (byte) => LETTERS[byte % LETTERS.length] ?? '',
    );
    const pseudonym = `client-${letters.join('')}`;
    remembered.set(client, pseudonym);
    return pseudonym;
  };
}
