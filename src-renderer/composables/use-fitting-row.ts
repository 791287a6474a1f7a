import { useMutationObserver, useResizeObserver } from '@vueuse/core';
import { onMounted, type Ref } from 'vue';

/** A row of whole pixels may end within one. */
const SLACK_PX = 0.5;

/**
 * Leaves parts of a row out, the first one first, until the others have room: the row's attribute `data-left-out` names
 * them for its styles. Nothing in the row may shrink while `data-measured` is on it.
 */
export function useFittingRow(row: Readonly<Ref<HTMLElement | null>>, parts: readonly string[]): void {
  function hasRoom(element: HTMLElement): boolean {
    const last = element.lastElementChild?.getBoundingClientRect().right ?? 0;
    const padding = Number.parseFloat(getComputedStyle(element).paddingRight) || 0;
    return last <= element.getBoundingClientRect().right - padding + SLACK_PX;
  }

  function fit(): void {
    const element = row.value;
    if (element === null) return;
    element.dataset['measured'] = '';
    for (let count = 0; count <= parts.length; count += 1) {
      element.dataset['leftOut'] = parts.slice(0, count).join(' ');
      if (hasRoom(element)) break;
    }
    delete element.dataset['measured'];
  }

  useResizeObserver(row, fit);
  // Words that change, of another language or a figure, need other room.
  useMutationObserver(row, fit, { childList: true, characterData: true, subtree: true });
  onMounted(() => {
    fit();
    // Absent where nothing is drawn.
    const fonts = document.fonts as FontFaceSet | undefined;
    void fonts?.ready.then(fit);
  });
}
