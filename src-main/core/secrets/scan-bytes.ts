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
