import type { Component, ObjectDirective } from 'vue';

/** One choice of a control, and what it is called. */
export interface Option<Value extends string | number = string | number> {
  readonly value: Value;
  readonly label: string;
  readonly disabled?: boolean | undefined;
  /** Said of it where the pointer rests. */
  readonly tip?: string | undefined;
  /** How many there are of it. */
  readonly count?: number | undefined;
}

/** Returns the numbers that are offered with the chosen one among them, which may have been set elsewhere, rising. */
export function withChosen(offered: readonly number[], chosen: number): number[] {
  return [...new Set([...offered, chosen])].sort((a, b) => a - b);
}

/** Gives each value its words, in the order in which they can be chosen. */
export function labelOptions<Value extends string | number>(
  values: readonly Value[],
  toLabel: (value: Value) => string,
): Option<Value>[] {
  return values.map((value) => ({ value, label: toLabel(value) }));
}

export interface MenuItem {
  /** What it stays where others come and go while the menu is open, so that a press never meets another one. */
  readonly id?: string | undefined;
  readonly label: string;
  readonly icon?: Component | undefined;
  /** A second line. */
  readonly note?: string | undefined;
  /** What stands at its end, such as its key. */
  readonly end?: string | undefined;
  readonly isOff?: boolean | undefined;
  /** Of a choice among several; undefined for what only acts. */
  readonly isChecked?: boolean | undefined;
  /** The menu stays open after it. */
  readonly stays?: boolean | undefined;
  readonly select: () => void;
}

/** Items between two lines of a menu; one without items or a title isn't shown. */
export interface MenuSection {
  readonly title?: string | undefined;
  /** What the title is about. */
  readonly subject?: string | undefined;
  /** There is no line above it. */
  readonly follows?: boolean | undefined;
  readonly items: readonly MenuItem[];
}

/** Opens the context menu of what an element stands for, below the element, as a right click on it does. */
export function openContextMenu(element: Element): void {
  const { left, bottom } = element.getBoundingClientRect();
  const place = { clientX: left, clientY: bottom, bubbles: true, cancelable: true };
  element.dispatchEvent(new MouseEvent('contextmenu', place));
}

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
