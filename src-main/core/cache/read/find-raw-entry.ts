import { parseTree, type Node } from 'jsonc-parser';
import { withNumberWords } from '../../../common/reporting/reading/read-json.ts';

const parse = withNumberWords((text) => JSON.parse(text) as unknown);

/**
 * Returns the texts of entries of a page, letter for letter; null for each where the page holds its entries in a way
 * that has no such text, such as a list inside a string, or nested deeper than can be looked through. `entries` are those of the page as they were parsed.
 */
export function findRawEntries(
  text: string,
  entries: readonly unknown[],
  places: readonly number[],
): (string | null)[] {
  try {
    return findEntries(text, entries, places);
  } catch (error) {
    if (error instanceof RangeError) return places.map(() => null);
    throw error;
  }
}

function findEntries(
  text: string,
  entries: readonly unknown[],
  places: readonly number[],
): (string | null)[] {
  const root = parseTree(text);
  const lists = root === undefined ? [] : [...findLists(root, entries.length)];
  return places.map((place) => {
    const wanted = JSON.stringify(entries[place]);
    // Another list of the page may be as long: only the entry itself tells which one is meant.
    for (const list of lists) {
      const node = list.children?.[place];
      if (node === undefined) continue;
      const found = text.slice(node.offset, node.offset + node.length);
      if (JSON.stringify(parse(found)) === wanted) return found;
    }
    return null;
  });
}

/** Lists of a length that are no entries of another list, in the order of the text. */
function* findLists(node: Node, length: number): Generator<Node> {
  if (node.type === 'array' && node.children?.length === length) yield node;
  for (const property of node.type === 'object' ? (node.children ?? []) : []) {
    const value = property.children?.[1];
    if (value !== undefined) yield* findLists(value, length);
  }
}
