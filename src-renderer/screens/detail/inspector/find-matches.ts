/** Elements whose text is searched, each by itself. */
const SEARCHED = '[data-searched]';

/** Finds a text, whatever its case, in what an element shows; one range for each find, in the order of the page. */
export function findMatches(root: HTMLElement, query: string): Range[] {
  if (query === '') return [];
  const pattern = new RegExp(query.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu');
  return [...root.querySelectorAll(SEARCHED)].flatMap((element) => findIn(element, pattern));
}

function findIn(element: Element, pattern: RegExp): Range[] {
  const nodes = listTextNodes(element);
  const text = nodes.map(({ data }) => data).join('');
  return [...text.matchAll(pattern)].map(({ index, 0: found }) => {
    const range = document.createRange();
    range.setStart(...toPlace(nodes, index, false));
    range.setEnd(...toPlace(nodes, index + found.length, true));
    return range;
  });
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
