import { findFolded } from '../../src-main/common/fold-case.ts';
import { toRanges } from '../highlight/text-ranges.ts';

/** Elements whose text is searched, each by itself. */
const SEARCHED = '[data-searched]';

/** Finds a text, whatever its case, in what an element shows; one range for each find, in the order of the page. */
export function findMatches(root: HTMLElement, query: string): Range[] {
  if (query === '') return [];
  return [...root.querySelectorAll(SEARCHED)].flatMap((element) =>
    toRanges(element, (text) => findFolded(text, query, Infinity)),
  );
}
