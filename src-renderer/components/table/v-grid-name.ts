import type { Directive } from 'vue';

/** Names the grid within an element for screen readers, which the grid has no option for. */
export const vGridName: Directive<HTMLElement, string> = (element, { value }) => {
  element.querySelector('[role=grid], [role=treegrid]')?.setAttribute('aria-label', value);
};
