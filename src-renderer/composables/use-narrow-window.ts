import { useMediaQuery } from '@vueuse/core';
import type { Ref } from 'vue';

/**
 * True where a window is too narrow for parts beside each other, as one of 1280 pixels is when everything is four times as
 * large: its parts follow each other in one column that scrolls. Styles ask the same with `width < 760px`.
 */
export function useNarrowWindow(): Readonly<Ref<boolean>> {
  return useMediaQuery('(width < 760px)');
}
