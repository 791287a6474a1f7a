/** Looks through bytes for many short texts at once. */
export interface ByteScan {
  /** Adds ASCII texts to look for. */
  add(anchors: readonly string[]): void;
  /** True where the bytes hold one of them. */
  finds(bytes: ArrayBuffer): boolean;
}

interface Place {
  readonly anchor: Buffer;
  /** The byte of the anchor at which the word begins. */
  readonly phase: number;
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
export function createByteScan(): ByteScan {
  const known = new Set<string>();
  const short: string[] = [];
  const places = new Map<number, Place[]>();
  const filter = new Int32Array(2 ** (32 - SHIFT - 5));

  function addOne(anchor: string): void {
    known.add(anchor);
    if (anchor.length < MIN_BYTES) {
      short.push(anchor);
      return;
    }
    const bytes = Buffer.from(anchor, 'latin1');
    const best = findRarest(bytes);
    for (const phase of [best, best + 1]) {
      const word = bytes.readInt32LE(phase);
      const there = places.get(word);
      if (there === undefined) places.set(word, [{ anchor: bytes, phase }]);
      else there.push({ anchor: bytes, phase });
      const slot = toSlot(word);
      filter[slot >>> 5] = (filter[slot >>> 5] as number) | (1 << (slot & 31));
    }
  }
  const isAt = (buffer: Buffer, word: number, at: number): boolean =>
    places.get(word)?.some(({ anchor, phase }) => {
      const from = at - phase;
      // A page may end, or begin, in the middle of what looks like an anchor.
      const isInside = from >= 0 && from + anchor.length <= buffer.length;
      return isInside && isEqual(buffer, anchor, from);
    }) ?? false;

  return {
    add(anchors) {
      for (const anchor of anchors) if (!known.has(anchor)) addOne(anchor);
    },
    finds(bytes) {
      const buffer = Buffer.from(bytes);
      // The system's byte order is little-endian wherever the application runs.
      const words = new Int32Array(bytes, 0, bytes.byteLength >> 2);
      const last = Math.max(0, words.length - 1);
      let next = words[0] ?? 0;
      for (let at = 0; at < last; at += 1) {
        const word = next;
        next = words[at + 1] as number;
        const between = (word >>> 16) | (next << 16);
        const one = toSlot(word);
        const other = toSlot(between);
        // One test for both: hardly any passes.
        const found =
          ((filter[one >>> 5] as number) >>> (one & 31)) | ((filter[other >>> 5] as number) >>> (other & 31));
        if ((found & 1) !== 0 && (isAt(buffer, word, 4 * at) || isAt(buffer, between, 4 * at + 2)))
          return true;
      }
      for (let at = 4 * last; at + 4 <= buffer.length; at += 2) {
        if (isAt(buffer, buffer.readInt32LE(at), at)) return true;
      }
      return short.some((anchor) => buffer.includes(anchor, 0, 'latin1'));
    },
  };
}

/** Where two words begin that pages hardly have: JSON is full of marks, and numbers of zeros. */
function findRarest(anchor: Uint8Array): number {
  const isRare = (byte: number): number => (/[A-Za-z1-9]/.test(String.fromCharCode(byte)) ? 1 : 0);
  let [best, most] = [0, -1];
  for (let phase = 0; phase + MIN_BYTES <= anchor.length; phase += 1) {
    // The middle ones are in both words.
    const rare = anchor.subarray(phase, phase + MIN_BYTES).reduce((sum, byte) => sum + isRare(byte), 0);
    const both = anchor
      .subarray(phase + 1, phase + MIN_BYTES - 1)
      .reduce((sum, byte) => sum + isRare(byte), 0);
    if (rare + both > most) [best, most] = [phase, rare + both];
  }
  return best;
}

function isEqual(bytes: Uint8Array, part: Uint8Array, from: number): boolean {
  for (let at = 0; at < part.length; at += 1) if (bytes[from + at] !== part[at]) return false;
  return true;
}

function toSlot(word: number): number {
  return Math.imul(word, FACTOR) >>> SHIFT;
}
