/** A test whether some bytes hold one of the anchors. */
export type ByteScan = (bytes: ArrayBuffer) => boolean;

interface Place {
  readonly anchor: Buffer;
  /** The byte of the anchor at which the word begins. */
  readonly phase: number;
}

/** Four bytes at every other byte: an anchor of this many holds them, wherever it begins. */
const MIN_BYTES = 5;
/** A multiplicative hash of 18 bits: the filter then stays in the processor's cache. */
const FACTOR = 0x9e_37_79_b1;
const SHIFT = 32 - 18;

/**
 * Prepares a scan of large pages for many short texts: it looks at two bytes at a time, and stays as quick however
 * many anchors there are. Anchors below five bytes are looked for one by one.
 */
export function createByteScan(anchors: readonly string[]): ByteScan {
  const all = anchors.map((anchor) => Buffer.from(anchor, 'latin1'));
  const short = all.filter(({ length }) => length < MIN_BYTES);
  const places = new Map<number, Place[]>();
  const filter = new Uint8Array(2 ** (32 - SHIFT));
  for (const anchor of all.filter(({ length }) => length >= MIN_BYTES)) {
    for (const phase of [0, 1]) {
      const word = anchor.readInt32LE(phase);
      places.set(word, [...(places.get(word) ?? []), { anchor, phase }]);
      filter[Math.imul(word, FACTOR) >>> SHIFT] = 1;
    }
  }
  const isAt = (buffer: Buffer, word: number, at: number): boolean =>
    places.get(word)?.some(({ anchor, phase }) => {
      const from = at - phase;
      // A page may end, or begin, in the middle of what looks like an anchor.
      const isInside = from >= 0 && from + anchor.length <= buffer.length;
      return isInside && buffer.compare(anchor, 0, anchor.length, from, from + anchor.length) === 0;
    }) ?? false;
  return (bytes) => {
    const buffer = Buffer.from(bytes);
    // The system's byte order is little-endian wherever the application runs.
    const halves = new Uint16Array(bytes, 0, bytes.byteLength >> 1);
    let before = halves[0] ?? 0;
    for (let half = 1; half < halves.length; half += 1) {
      const next = halves[half] as number;
      const word = before | (next << 16);
      before = next;
      if (filter[Math.imul(word, FACTOR) >>> SHIFT] === 1 && isAt(buffer, word, 2 * half - 2)) return true;
    }
    return short.some((anchor) => buffer.includes(anchor));
  };
}
