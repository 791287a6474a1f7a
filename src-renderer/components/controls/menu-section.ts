import type { Component } from 'vue';

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
