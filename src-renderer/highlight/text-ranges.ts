/** Returns ranges over characters of what an element shows, however many elements share its text. */
export function toRanges(
  element: Element,
  find: (text: string) => readonly (readonly [from: number, to: number])[],
): Range[] {
  const nodes = listTextNodes(element);
  const text = nodes.map(({ data }) => data).join('');
  return find(text).map(([from, to]) => {
    const range = document.createRange();
    range.setStart(...toPlace(nodes, from, false));
    range.setEnd(...toPlace(nodes, to, true));
    return range;
  });
}

/** Highlights ranges under a name, for which the styles have colours; where a browser can't, nothing happens. */
export function highlight(name: string, ranges: readonly Range[]): void {
  if (typeof CSS === 'undefined' || !('highlights' in CSS)) return;
  if (ranges.length === 0) CSS.highlights.delete(name);
  else CSS.highlights.set(name, new Highlight(...ranges));
}

function listTextNodes(element: Element): Text[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode() !== null) nodes.push(walker.currentNode as Text);
  return nodes;
}

/** The node that holds a character, and its place there; an end stays in the node of the character before it. */
function toPlace(nodes: readonly Text[], index: number, isEnd: boolean): [Text, number] {
  let before = 0;
  for (const node of nodes) {
    const rest = index - before;
    if (rest < node.data.length || (isEnd && rest === node.data.length)) return [node, rest];
    before += node.data.length;
  }
  throw new RangeError('The place lies behind the text.');
}
