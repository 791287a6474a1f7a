import { parseTree, type Node } from 'jsonc-parser';

/**
 * Returns the text of one entry of a page, letter for letter; null where the page holds its entries in a way that
 * has no such text, such as a list inside a string. `entries` are those of the page as they were parsed.
 */
export function findRawEntry(text: string, entries: readonly unknown[], place: number): string | null {
  const root = parseTree(text);
  if (root === undefined || place >= entries.length) return null;
  const wanted = JSON.stringify(entries[place]);
  // Another list of the page may be as long: only the entry itself tells which one is meant.
  for (const list of findLists(root, entries.length)) {
    const node = list.children?.[place];
    if (node === undefined) continue;
    const found = text.slice(node.offset, node.offset + node.length);
    if (JSON.stringify(JSON.parse(found)) === wanted) return found;
  }
  return null;
}

/** Lists of a length that are no entries of another list, in the order of the text. */
function* findLists(node: Node, length: number): Generator<Node> {
  if (node.type === 'array' && node.children?.length === length) yield node;
  for (const property of node.type === 'object' ? (node.children ?? []) : []) {
    const value = property.children?.[1];
    if (value !== undefined) yield* findLists(value, length);
  }
}
