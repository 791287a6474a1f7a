import { parseTree, type Node } from 'jsonc-parser';

/**
 * Returns the text of one entry of a page, letter for letter; null where the page holds its entries in a way that
 * has no such text, such as a list inside a string. `entryCount` is the number of entries that the page holds.
 */
export function findRawEntry(text: string, entryCount: number, place: number): string | null {
  const root = parseTree(text);
  const list = root === undefined ? null : findList(root, entryCount);
  const node = list?.children?.[place];
  return node === undefined ? null : text.slice(node.offset, node.offset + node.length);
}

function findList(node: Node, length: number): Node | null {
  if (node.type === 'array') return node.children?.length === length ? node : null;
  for (const property of node.type === 'object' ? (node.children ?? []) : []) {
    const value = property.children?.[1];
    const found = value === undefined ? null : findList(value, length);
    if (found !== null) return found;
  }
  return null;
}
