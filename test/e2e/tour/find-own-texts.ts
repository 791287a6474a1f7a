import type { Page } from '@playwright/test';
import { CLOSING, OPENING } from '../../support/languages/pseudo-messages.ts';

/** Where data stands: records, identifiers, code, keys, what people typed, and the guide, which is English. */
const DATA = [
  'code, kbd, pre, .mono, .cm-editor, .ag-row, .ag-cell-tooltip',
  '[lang=en], [translate=no], [data-spoken], .cs-connections, .cs-calendar [role=button]',
].join(', ');
/** Attributes that are read out or shown. */
const SPOKEN = ['aria-label', 'aria-description', 'title', 'placeholder', 'alt'];

/** The same in every language. */
const UNITS = new Set(['ms', 'min', 'MB', 'kB', 'GB', 'UTC']);

/** Returns texts that come from no message, in a window that speaks the pseudo-language. */
export async function findOwnTexts(page: Page, known: readonly string[]): Promise<string[]> {
  const texts = await page.evaluate(
    ({ data, spoken, opening, closing }) => {
      const found = new Map<string, string>();
      const nameElement = (element: Element): string =>
        [element.tagName.toLowerCase(), ...[...element.classList].slice(0, 3)].join('.');
      const keep = (text: string, element: Element): void => {
        const { parentElement } = element;
        found.set(
          text,
          `${parentElement === null ? '' : `${nameElement(parentElement)} > `}${nameElement(element)}`,
        );
      };
      let depth = 0;
      /** What of a text stands outside of every message; a message may be cut into elements. */
      const keepOutside = (text: string): string => {
        let outside = '';
        for (const character of text) {
          if (character === opening) depth += 1;
          else if (character === closing) depth = Math.max(0, depth - 1);
          else if (depth === 0) outside += character;
        }
        return outside.trim();
      };
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const outside = keepOutside(node.textContent ?? '');
        const element = node.parentElement;
        if (element === null || element.matches('script, style') || element.closest(data) !== null) continue;
        if (outside !== '') keep(outside, element);
      }
      for (const element of document.querySelectorAll(spoken.map((name) => `[${name}]`).join(', '))) {
        if (element.closest(data) !== null) continue;
        for (const name of spoken) {
          const text = element.getAttribute(name) ?? '';
          // Said of a text that is cut: it was looked at above.
          if (text === element.textContent.replaceAll(/\s+/gu, ' ').trim()) continue;
          depth = 0;
          const outside = keepOutside(text);
          if (outside !== '') keep(outside, element);
        }
      }
      return [...found].map(([text, place]) => ({ text, place }));
    },
    { data: DATA, spoken: SPOKEN, opening: OPENING, closing: CLOSING },
  );
  return texts
    .filter(({ text }) => listWords(text, known).length > 0)
    .map(({ text, place }) => `no message: "${text.slice(0, 80)}" in ${place}`);
}

/** The words of a text that are neither known nor parts of an identifier or an address. */
function listWords(text: string, known: readonly string[]): string[] {
  const rest = known.reduce((left, name) => left.replaceAll(name, ' '), text);
  return rest
    .split(/\s+/u)
    .filter(
      (word) =>
        /\p{L}{2}/u.test(word) && !/[\d_/\\@]/u.test(word) && !UNITS.has(word.replaceAll(/[(),.]/gu, '')),
    );
}
