import { useMediaQuery } from '@vueuse/core';
import type { Ref } from 'vue';

const SCROLLS = ['auto', 'scroll'];

/** Returns what scrolls an element's content: itself, or where a narrow window lets it be as high as it is, what is around it. */
export function findScroller(element: HTMLElement): HTMLElement {
  for (let one: HTMLElement | null = element; one !== null; one = one.parentElement) {
    if (SCROLLS.includes(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight) return one;
  }
  return element;
}

/**
 * True where a window is too narrow for parts beside each other, as one of 1280 pixels is when everything is four times as
 * large: its parts follow each other in one column that scrolls. Styles ask the same with `width < 760px`.
 */
export function useNarrowWindow(): Readonly<Ref<boolean>> {
  return useMediaQuery('(width < 760px)');
}

/** Returns true while a dialog is open that everything behind it waits for. */
export function isModalOpen(): boolean {
  return document.querySelector('.cs-scrim') !== null;
}
