import { createFormFinder, type Range } from './find-forms.ts';
import { ESCAPE_ANCHORS } from './list-anchors.ts';
import { createByteScan } from './scan-bytes.ts';
import type { SecretForms } from './secret-forms.ts';

/** Stands in place of what was removed. */
export const REMOVED = '[removed]';

/** A text without what was found in it, and how many places that were. */
export interface CleanedText {
  readonly text: string;
  readonly removed: number;
}

/** A search for all forms of some secrets. */
export interface SecretSearch {
  add(known: SecretForms): void;
  /** A quick test that most texts fail. */
  mayHold(text: string): boolean;
  /** The same for the bytes of a page, or for a part of them. */
  mayBytesHold(bytes: ArrayBuffer, from?: number, until?: number): boolean;
  /** The same for parts of a text, in their order, which is looked through once. */
  lookThrough(text: string): (from: number, to: number) => boolean;
  /** The same for secrets that are written as lists. */
  mayHoldLists(text: string): boolean;
  /** Removes every form. */
  clean(text: string): CleanedText;
  /** Where a text holds secrets written as lists. */
  findLists(text: string): Range[];
  /** True where a number, as JSON writes it, is a secret. */
  isNumber(digits: string): boolean;
}

/** Many, and the same for all secrets. */
const ESCAPES = createByteScan();
ESCAPES.add(ESCAPE_ANCHORS);

/** Makes a search that knows nothing yet. */
export function createSecretSearch(): SecretSearch {
  const scan = ESCAPES.copy();
  const lists = createByteScan();
  const finder = createFormFinder();
  const numbers = new Set<number>();
  let isEmpty = true;
  /** Secrets of which no part is left as it is by each encoder. */
  let isBlind = false;

  const mayBytesHold: SecretSearch['mayBytesHold'] = (bytes, from, until) =>
    !isEmpty && (isBlind || scan.find(bytes, from, until) !== -1);
  const mayHold = (text: string): boolean => mayBytesHold(toBytes(text));
  return {
    add({ forms, anchors, listAnchors, number }) {
      isEmpty = false;
      scan.add(anchors ?? []);
      scan.add(listAnchors);
      lists.add(listAnchors);
      finder.add(forms);
      isBlind ||= anchors === null;
      if (number !== null) numbers.add(number);
    },
    mayHold,
    mayBytesHold,
    lookThrough(text) {
      if (isEmpty || isBlind) return () => isBlind;
      const bytes = toBytes(text);
      let place = scan.find(bytes);
      return (from, to) => {
        if (place !== -1 && place < from) place = scan.find(bytes, from);
        return place !== -1 && place < to;
      };
    },
    mayHoldLists: (text) => !isEmpty && lists.find(toBytes(text)) !== -1,
    clean: (text) => removeRanges(text, mayHold(text) ? finder.find(text) : []),
    findLists: finder.findLists,
    isNumber: (digits) => numbers.has(Math.abs(Number(digits))),
  };
}

/** Takes ranges, which ascend and don't meet, out of a text. */
export function removeRanges(
  text: string,
  ranges: readonly Range[],
  toText: (range: Range) => string = () => REMOVED,
): CleanedText {
  let [clean, done] = ['', 0];
  for (const range of ranges) {
    clean += text.slice(done, range[0]) + toText(range);
    done = range[1];
  }
  return { text: clean + text.slice(done), removed: ranges.length };
}

/** A byte for each unit: what is looked for is ASCII. */
function toBytes(text: string): ArrayBuffer {
  return new Uint8Array(Buffer.from(text, 'latin1')).buffer;
}
