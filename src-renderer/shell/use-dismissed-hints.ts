import { useEventListener } from '@vueuse/core';

/**
 * Escape hides what charts say beside the pointer, until the pointer moves on: it may lie over what somebody wants to read
 * (WCAG 2.2, 1.4.13). Styles hide it; tooltips of controls close by themselves.
 */
export function useDismissedHints(): void {
  const { dataset } = document.documentElement;

  useEventListener(
    'keydown',
    ({ key }) => {
      if (key === 'Escape') dataset['hints'] = 'dismissed';
    },
    { capture: true },
  );
  useEventListener(
    'pointermove',
    () => {
      delete dataset['hints'];
    },
    { capture: true, passive: true },
  );
}
