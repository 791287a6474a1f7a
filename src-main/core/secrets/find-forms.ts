import { ESCAPE_LAYERS, type Decode } from './decode-layers.ts';
import { LIST_LAYERS } from './decode-lists.ts';
import { readWord } from './scan-bytes.ts';
import type { SecretForm } from './secret-forms.ts';

/** Part of a text, `to` exclusive. */
export type Range = readonly [from: number, to: number];

/** Finds forms of secrets in texts. */
export interface FormFinder {
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
export function createFormFinder(): FormFinder {
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
