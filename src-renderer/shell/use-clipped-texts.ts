import { useEventListener } from '@vueuse/core';

/** How far up an ellipsis is looked for: what the pointer is on may be a mark or a value within the text. */
const MAX_STEPS = 4;

/**
 * Says a text that ends in an ellipsis whole where the pointer rests on it. Elements that have something else to say there
 * have a title of their own.
 */
export function useClippedTexts(): void {
  /** The titles that were given here, which follow their texts. */
  const given = new WeakMap<Element, string>();

  useEventListener(document, 'pointerover', ({ target }) => {
    const element = target instanceof HTMLElement ? findEllipsis(target) : null;
    if (element === null) return;
    const titled = element.closest('[title]');
    if (titled !== null && titled.getAttribute('title') !== given.get(titled)) return;
    const isCut = element.scrollWidth > element.clientWidth;
    const text = isCut ? element.innerText.replaceAll(/\s+/gu, ' ').trim() : '';
    if (text === '') {
      element.removeAttribute('title');
    } else {
      given.set(element, text);
      element.title = text;
    }
  });
}

function findEllipsis(element: HTMLElement): HTMLElement | null {
  let one: HTMLElement | null = element;
  for (let step = 0; step < MAX_STEPS && one !== null; step += 1) {
    if (getComputedStyle(one).textOverflow === 'ellipsis') return one;
    one = one.parentElement;
  }
  return null;
}
