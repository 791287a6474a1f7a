import type { ObjectDirective } from 'vue';

const setAside = new WeakMap<Element, readonly Element[]>();

/**
 * While its element is shown, nothing outside is reached, by keyboard or pointer either. An open list is laid over the
 * page and hides it from screen readers only, which would leave them with a focus that they can't name.
 */
export const vAlone: ObjectDirective<HTMLElement> = {
  mounted(element) {
    const outside = listOutside(element).filter((other) => !other.hasAttribute('inert'));
    for (const other of outside) other.setAttribute('inert', '');
    setAside.set(element, outside);
  },
  beforeUnmount(element) {
    for (const other of setAside.get(element) ?? []) other.removeAttribute('inert');
  },
};

/** What stands beside an element, and beside each of those that it is in. */
function listOutside(element: Element): Element[] {
  const outside: Element[] = [];
  for (let inner = element; inner.parentElement !== null; inner = inner.parentElement) {
    const others = [...inner.parentElement.children].filter(
      (other) => other !== inner && !other.matches('head, style, script'),
    );
    outside.push(...others);
  }
  return outside;
}
