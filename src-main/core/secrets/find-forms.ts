import { LAYERS } from './decode-layers.ts';

type Range = readonly [from: number, to: number];

/** Escapes within escapes, as a log of a page of a request makes them. */
const MAX_LAYERS = 4;
/** Beyond this many characters, fewer layers are looked through, so that no service can keep the computer busy. */
const LONG_CHARACTERS = 200_000;
const MAX_LONG_LAYERS = 2;

/** Finds where one of `forms` is in a text, whatever escapes it is written with; ranges ascend and don't meet. */
export function findForms(text: string, forms: readonly string[]): Range[] {
  const layers = text.length > LONG_CHARACTERS ? MAX_LONG_LAYERS : MAX_LAYERS;
  const found = search(text, forms, layers, new Set()).sort(([a], [b]) => a - b);
  const merged: [number, number][] = [];
  for (const [from, to] of found) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

function search(
  text: string,
  forms: readonly string[],
  layersLeft: number,
  /** Texts that were searched, since the order of layers often makes no difference. */
  searched: Set<string>,
): Range[] {
  const ranges: Range[] = [];
  for (const form of forms) {
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length)) {
      ranges.push([at, at + form.length]);
    }
  }
  if (layersLeft === 0) return ranges;
  for (const decode of LAYERS) {
    const decoded = decode(text);
    if (decoded === null || searched.has(decoded.text)) continue;
    searched.add(decoded.text);
    for (const [from, to] of search(decoded.text, forms, layersLeft - 1, searched)) {
      ranges.push([decoded.toOriginal(from), decoded.toOriginal(to)]);
    }
  }
  return ranges;
}
