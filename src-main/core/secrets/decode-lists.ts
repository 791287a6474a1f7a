import { createListDecoder, type Decode, type ListedByte } from './decode-layers.ts';

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
export const LIST_LAYERS: readonly Decode[] = [HEX_LISTS, DECIMAL_LISTS, INDEXED_LISTS, ...CHARACTER_LISTS];

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
