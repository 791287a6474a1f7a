import {
  createByteScan,
  createListDecoder,
  type ByteScan,
  type Decode,
  ESCAPE_LAYERS,
  type ListedByte,
  readWord,
} from './decode-layers.ts';
import { listEscapeAnchors, type SecretForm, type SecretForms } from './secret-forms.ts';

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

/** What escapes are found by: much, and the same for all secrets. */
let escapes: ByteScan | null = null;

/** Begins a scan of one's own with it. */
function scanForEscapes(): ByteScan {
  if (escapes === null) {
    escapes = createByteScan();
    escapes.add(listEscapeAnchors());
  }
  return escapes.copy();
}

/** Makes a search that knows nothing yet. */
export function createSecretSearch(): SecretSearch {
  /** Made for the first text that is looked through: a start has none, and each thread would wait for its own. */
  let scan: ByteScan | null = null;
  const anchors: string[] = [];
  const lists = createByteScan();
  const finder = createFormFinder();
  const numbers = new Set<number>();
  let isEmpty = true;
  /** Secrets of which no part is left as it is by each encoder. */
  let isBlind = false;

  const findAnchor: ByteScan['find'] = (bytes, from, until) => {
    scan ??= scanForEscapes();
    scan.add(anchors.splice(0));
    return scan.find(bytes, from, until);
  };
  const mayBytesHold: SecretSearch['mayBytesHold'] = (bytes, from, until) =>
    !isEmpty && (isBlind || findAnchor(bytes, from, until) !== -1);
  const mayHold = (text: string): boolean => mayBytesHold(toBytes(text));
  return {
    add({ forms, anchors: own, listAnchors, number }) {
      isEmpty = false;
      anchors.push(...(own ?? []), ...listAnchors);
      lists.add(listAnchors);
      finder.add(forms);
      isBlind ||= own === null;
      if (number !== null) numbers.add(number);
    },
    mayHold,
    mayBytesHold,
    lookThrough(text) {
      if (isEmpty || isBlind) return () => isBlind;
      const bytes = toBytes(text);
      let place = findAnchor(bytes);
      return (from, to) => {
        if (place !== -1 && place < from) place = findAnchor(bytes, from);
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

/** Part of a text, `to` exclusive. */
type Range = readonly [from: number, to: number];

/** Finds forms of secrets in texts. */
interface FormFinder {
  add(forms: readonly SecretForm[]): void;
  /** Where a text holds a form, whatever escapes it is written with; ranges ascend and don't meet. */
  find(text: string): Range[];
  /** The same, only where it is written as a list, and so may go beyond one text of a JSON document. */
  findLists(text: string): Range[];
}

/** Escapes within escapes, as a log of a page of a request makes them. */
const MAX_LAYERS = 5;
/** Nobody writes a list of the characters of a list, nor one that is escaped more often. */
const MAX_LIST_DEPTH = 1;
/**
 * How many characters are decoded in all: a few for each character of a long text, and enough for all orders of layers
 * in a short one, so that no service can keep the computer busy.
 */
const MIN_DECODED_CHARACTERS = 400_000;
const MAX_DECODED_SHARE = 8;

/** A text with some layers of escapes resolved. */
interface Decoded {
  readonly text: string;
  readonly layers: number;
  readonly isList: boolean;
  toOriginal(at: number): number;
}

/** A layer that may be resolved in a text. */
interface Step {
  readonly from: Decoded;
  readonly decode: Decode;
}

/** Makes a finder that knows no forms yet. */
function createFormFinder(): FormFinder {
  const seeds = createSeeds();

  const findIn = (start: Decoded, layers: readonly Decode[]): Range[] => {
    const found: Range[] = [];
    // The order of layers often makes no difference.
    const seen = new Set([start.text]);
    let left = Math.max(MIN_DECODED_CHARACTERS, start.text.length * MAX_DECODED_SHARE);
    const look = ({ text, toOriginal }: Decoded): void => {
      for (const [from, to] of seeds.find(text)) found.push([toOriginal(from), toOriginal(to)]);
    };
    look(start);
    const steps: Step[] = layers.map((decode) => ({ from: start, decode }));
    for (let step = steps.shift(); step !== undefined && left > 0; step = steps.shift()) {
      const { from, decode } = step;
      const next = decode(from.text);
      if (next === null || seen.has(next.text)) continue;
      seen.add(next.text);
      left -= next.text.length;
      const decoded: Decoded = {
        text: next.text,
        layers: from.layers + 1,
        isList: from.isList || !ESCAPE_LAYERS.includes(decode),
        toOriginal: (at) => from.toOriginal(next.toOriginal(at)),
      };
      look(decoded);
      for (const other of listFurther(decoded)) {
        // What is escaped several times is so in the same way as a rule.
        if (other === decode) steps.unshift({ from: decoded, decode });
        else steps.push({ from: decoded, decode: other });
      }
    }
    return merge(found);
  };
  const toStart = (text: string): Decoded => ({ text, layers: 0, isList: false, toOriginal: (at) => at });

  return {
    add: seeds.add,
    find: (text) => findIn(toStart(text), ALL_LAYERS),
    findLists: (text) => findIn(toStart(text), LIST_LAYERS),
  };
}

function listFurther({ layers, isList }: Decoded): readonly Decode[] {
  if (layers === MAX_LAYERS) return [];
  return isList || layers > MAX_LIST_DEPTH ? ESCAPE_LAYERS : ALL_LAYERS;
}

/** Fewer in a row are a date, an address of a network card, or a version. */
const MIN_ITEMS = 6;
/** Between two numbers, an indented line break included. */
const MAX_GAP = 24;

/** `74 6f 6b`, `74:6f`, `0x74, 0x6f`, `\x74\x6f`, `746f 6b2d`. */
const HEX_LISTS = createListDecoder((text) => {
  const runs = createRuns(text, /^[\s,;:._|"'\\/xX%=&#+()-]*$/);
  for (const { 0: all, 1: digits = '', index } of text.matchAll(/(?:0x)?([0-9a-f]+)/gi)) {
    if (digits.length % 2 !== 0) {
      runs.end();
      continue;
    }
    const from = index + all.length - digits.length;
    for (let at = 0; at < digits.length; at += 2) {
      const code = Number.parseInt(digits.slice(at, at + 2), 16);
      runs.put({ code, from: at === 0 ? index : from + at, to: from + at + 2 });
    }
  }
  return runs.finish();
});

/** `116,111,107`, also below zero as Java writes bytes; broken into lines as well. */
const DECIMAL_LISTS = createListDecoder((text) => {
  const runs = createRuns(text, /^[\s,;:|."'\\/_nrt-]+$/);
  for (const { 0: digits, index } of text.matchAll(/(?<!\d)-?\d+/g)) {
    const value = digits.length > 4 ? Number.NaN : Number(digits);
    if (value >= -128 && value <= 255)
      runs.put({ code: value & 255, from: index, to: index + digits.length });
    else runs.end();
  }
  return runs.finish();
});

/** `"0":116,"1":111`, as JSON writes arrays of bytes in JavaScript. */
const INDEXED_LISTS = createListDecoder((text) => {
  const runs = createRuns(text, /^[\s,]*"\d{1,4}"\s{0,4}:\s{0,4}$/);
  for (const { 0: all, 1: digits = '', index } of text.matchAll(/"\d{1,4}"\s{0,4}:\s{0,4}(\d{1,3})(?!\d)/g)) {
    const to = index + all.length;
    runs.put({ code: Number(digits) & 255, from: to - digits.length, to });
  }
  return runs.finish();
});

const JOINTS = [
  ...['", "', "', '", '","', "','", ', ', '\r\n', '\u200b'],
  ...[' ', ',', '-', '.', ':', '|', '_', '/', ';', '\n'],
];

/** `t,o,k`, `t o k` and `"t","o","k"`: one decoder for each way to join characters. */
const CHARACTER_LISTS = JOINTS.map((joint) => {
  const isJoint = new RegExp(`^${joint.replace(/[|.]/, '\\$&')}$`);
  return createListDecoder((text) => {
    const runs = createRuns(text, isJoint);
    for (let at = text.indexOf(joint); at !== -1; at = text.indexOf(joint, at + 1)) {
      for (const place of [at - 1, at + joint.length]) {
        if (place >= 0 && place < text.length) {
          runs.put({ code: text.charCodeAt(place), from: place, to: place + 1 });
        }
      }
    }
    return runs.finish();
  });
});

/** Ways to write a text as a list of numbers or characters. */
const LIST_LAYERS: readonly Decode[] = [HEX_LISTS, DECIMAL_LISTS, INDEXED_LISTS, ...CHARACTER_LISTS];

const ALL_LAYERS = [...ESCAPE_LAYERS, ...LIST_LAYERS];

function merge(found: Range[]): Range[] {
  const merged: [number, number][] = [];
  for (const [from, to] of found.sort(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

interface Seed {
  readonly form: SecretForm;
  readonly at: number;
}

/** Units of a form from which a search begins. */
const SEED = 4;
/** Each part of a form that gives it away holds a seed of it. */
const STEP = 8;
const FACTOR = 0x9e_37_79_b1;
const FILTER_BITS = 16;

/** Looks for all forms, and for parts of them, at once: it takes as long however many there are. */
function createSeeds() {
  const seeds = new Map<number, Seed[]>();
  const filter = new Uint8Array(2 ** FILTER_BITS);
  const known = new Set<string>();

  function addSeed(form: SecretForm, at: number): void {
    const word = readWord(form.text, at);
    const there = seeds.get(word);
    if (there === undefined) seeds.set(word, [{ form, at }]);
    else there.push({ form, at });
    filter[Math.imul(word, FACTOR) >>> (32 - FILTER_BITS)] = 1;
  }
  return {
    add(forms: readonly SecretForm[]): void {
      for (const form of forms) {
        const { text } = form;
        if (text.length < SEED || known.has(text)) continue;
        known.add(text);
        addSeed(form, 0);
        for (let at = STEP; at + SEED <= text.length && form.partLength < text.length; at += STEP) {
          addSeed(form, at);
        }
      }
    },
    find(text: string): Range[] {
      const ranges: Range[] = [];
      const done = new Map<SecretForm, number>();
      let word = readWord(text, 0);
      for (let at = 0; at + SEED <= text.length; at += 1) {
        if (at > 0) word = (word >>> 8) | ((text.charCodeAt(at + SEED - 1) & 255) << 24);
        if (filter[Math.imul(word, FACTOR) >>> (32 - FILTER_BITS)] === 0) continue;
        for (const seed of seeds.get(word | 0) ?? []) {
          if (at < (done.get(seed.form) ?? 0)) continue;
          const range = extend(text, at, seed);
          if (range === null) continue;
          ranges.push(range);
          done.set(seed.form, range[1]);
        }
      }
      return ranges;
    },
  };
}

/** The whole of what a text has of a form around a seed, where it is enough to give the form away. */
function extend(text: string, at: number, { form, at: seedAt }: Seed): Range | null {
  const { text: whole, headLength, partLength } = form;
  let [from, fromForm] = [at, seedAt];
  while (from > 0 && fromForm > 0 && text[from - 1] === whole[fromForm - 1]) {
    from -= 1;
    fromForm -= 1;
  }
  let [to, toForm] = [at, seedAt];
  while (to < text.length && toForm < whole.length && text[to] === whole[toForm]) {
    to += 1;
    toForm += 1;
  }
  const length = to - from;
  return length >= partLength || (fromForm === 0 && length >= headLength) ? [from, to] : null;
}

/** Collects bytes in runs: those of a run are apart by no more than a gap. */
function createRuns(text: string, gap: RegExp) {
  const runs: ListedByte[][] = [];
  let run: ListedByte[] = [];
  const end = (): void => {
    if (run.length >= MIN_ITEMS) runs.push(run);
    run = [];
  };
  return {
    put(item: ListedByte): void {
      const last = run.at(-1);
      // The same character comes before one joint and after another.
      if (last?.from === item.from) return;
      if (last !== undefined && item.from < last.to) return;
      if (last !== undefined && item.from > last.to) {
        if (item.from - last.to > MAX_GAP || !gap.test(text.slice(last.to, item.from))) end();
      } else if (last !== undefined && !gap.test('')) end();
      run.push(item);
    },
    end,
    finish(): readonly (readonly ListedByte[])[] {
      end();
      return runs;
    },
  };
}
