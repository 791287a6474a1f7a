import { useEventListener } from '@vueuse/core';
import { ref, watch, type Ref } from 'vue';
import { findScroller } from '../../composables/find-scroller.ts';
import type { SettingSectionName } from '../../../src-main/common/model/settings/setting-sections.ts';

/** A section counts as read from so far below the top of the page on. */
const READ_FROM_PX = 120;

/** The section that the page is scrolled to, and how to scroll to another one. */
export function useSectionScroll(
  page: Readonly<Ref<HTMLElement | null>>,
  listNames: () => readonly SettingSectionName[],
) {
  const current = ref<SettingSectionName | null>(null);
  /** A last section may be too short to reach the top: what was chosen counts until the person scrolls. */
  let chosen: SettingSectionName | null = null;

  const findSection = (name: SettingSectionName): HTMLElement | null =>
    document.getElementById(`settings-${name}`);

  const readTop = (): number =>
    page.value === null ? 0 : findScroller(page.value).getBoundingClientRect().top;

  function readCurrent(): void {
    const names = listNames();
    if (chosen !== null && names.includes(chosen)) {
      current.value = chosen;
      return;
    }
    const top = readTop();
    const passed = names.filter((name) => {
      const box = findSection(name)?.getBoundingClientRect();
      return box !== undefined && box.top - top <= READ_FROM_PX;
    });
    current.value = passed.at(-1) ?? names[0] ?? null;
  }

  /** Only what scrolls the page moves: the browser's own way would move what is around it, too. */
  function scrollTo(element: HTMLElement | null, fromTopPx: number): void {
    if (element === null || page.value === null) return;
    const scroller = findScroller(page.value);
    const above = Math.min(fromTopPx, scroller.clientHeight / 3);
    scroller.scrollTop += element.getBoundingClientRect().top - readTop() - above;
  }

  function show(name: SettingSectionName): void {
    chosen = name;
    scrollTo(findSection(name), 0);
    current.value = name;
  }

  function forgetChoice(): void {
    chosen = null;
  }
  for (const event of ['wheel', 'pointerdown', 'keydown', 'touchmove'] as const) {
    useEventListener(page, event, forgetChoice, { passive: true });
  }
  // Also of what is around the page, which scrolls in a narrow window.
  useEventListener(document, 'scroll', readCurrent, { passive: true, capture: true });
  watch([page, listNames], readCurrent, { immediate: true, flush: 'post' });

  return { current, show, scrollTo } as const;
}
