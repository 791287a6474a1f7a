import type { Page } from '@playwright/test';

/**
 * Returns what of the shown texts can't be read: cut off by an element that neither scrolls nor ends a text in an
 * ellipsis, ended in one without a tooltip, drawn over another text or below its panel, or, where
 * the page itself scrolls sideways, out of the window.
 */
export async function findLayoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    /** Half a letter: what glyphs reach over their box, and units over the space before them. */
    const SLACK_PX = 4;
    const CLIPS = new Set(['hidden', 'clip']);
    const SCROLLS = new Set(['auto', 'scroll']);
    interface Piece {
      readonly element: Element;
      readonly text: string;
      readonly box: DOMRect;
    }
    const faults = new Set<string>();

    function nameElement(element: Element): string {
      const classes = [...element.classList].slice(0, 3).map((name) => `.${name}`);
      return `${element.tagName.toLowerCase()}${classes.join('')}`;
    }
    const note = (what: string, { element, text }: Piece): void => {
      const { parentElement } = element;
      const path = `${parentElement === null ? '' : `${nameElement(parentElement)} > `}${nameElement(element)}`;
      faults.add(`${what}: "${text.slice(0, 60)}" in ${path}`);
    };

    function isHidden(element: Element): boolean {
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return true;
      for (let one: Element | null = element; one !== null; one = one.parentElement) {
        const { clipPath, position, width } = getComputedStyle(one);
        if (clipPath.startsWith('inset(50%') || (position === 'absolute' && width === '1px')) return true;
      }
      return false;
    }

    function listPieces(): Piece[] {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const pieces: Piece[] = [];
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const text = node.textContent?.trim() ?? '';
        const element = node.parentElement;
        if (text === '' || element === null || element.matches('script, style') || isHidden(element))
          continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const box of range.getClientRects()) {
          if (box.width > 1 && box.height > 1) pieces.push({ element, text, box });
        }
      }
      return pieces;
    }

    /** Words that are shown whole or not at all, and are said where the pointer rests. */
    const DROPPED = '[data-drops]';

    /** Whether a text that ends in an ellipsis is said whole where the pointer rests on it. */
    function hasTooltip(element: Element): boolean {
      element.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
      return element.closest('[title]') !== null;
    }

    /** The part of a text that is seen; null where all of it is scrolled away. */
    function findCut(piece: Piece): DOMRect | null {
      let { left, right, top, bottom } = piece.box;
      const isDropped = piece.element.closest(DROPPED) !== null;
      let hasEllipsis = false;
      let isScrolled = false;
      for (let one: Element | null = piece.element; one !== null; one = one.parentElement) {
        const { display, overflowX, overflowY, position, textOverflow, webkitLineClamp } =
          getComputedStyle(one);
        if (display === 'contents' || display === 'inline') continue;
        const frame = one.getBoundingClientRect();
        hasEllipsis ||= textOverflow === 'ellipsis';
        const isCutAcross =
          CLIPS.has(overflowX) && (right > frame.right + SLACK_PX || left < frame.left - SLACK_PX);
        // A text of so many lines ends in an ellipsis too.
        const isClamped = textOverflow === 'ellipsis' && webkitLineClamp !== 'none';
        const isCutDown =
          CLIPS.has(overflowY) && (bottom > frame.bottom + SLACK_PX || top < frame.top - SLACK_PX);
        // What a scrolling part above shows only in part is reached by scrolling.
        if ((isCutAcross || isCutDown) && !isScrolled && one !== document.body) {
          if (!isDropped && (!hasEllipsis || (isCutDown && !isClamped))) note('cut', piece);
          else if (!hasTooltip(piece.element)) note('nowhere said whole', piece);
        }
        if (overflowX !== 'visible' || overflowY !== 'visible') {
          left = Math.max(left, frame.left);
          right = Math.min(right, frame.right);
          top = Math.max(top, frame.top);
          bottom = Math.min(bottom, frame.bottom);
          if (left >= right || top >= bottom) return null;
        }
        isScrolled ||= SCROLLS.has(overflowX) || SCROLLS.has(overflowY);
        if (position === 'fixed') break;
      }
      return new DOMRect(left, top, right - left, bottom - top);
    }

    /** What lies over the rest covers it on purpose. */
    const findLayer = ({ element }: Piece): Element | null =>
      element.closest('[data-reka-popper-content-wrapper], [role=dialog], .cs-menu, .cs-popover');

    /** Whether nothing, such as a dialog, lies over the middle of a text. */
    function isOnTop({ element }: Piece, seen: DOMRect): boolean {
      const [x, y] = [seen.x + seen.width / 2, seen.y + seen.height / 2];
      const hit = document.elementFromPoint(x, y);
      return hit !== null && (hit.contains(element) || element.contains(hit));
    }

    const seen: { piece: Piece; box: DOMRect }[] = [];
    for (const piece of listPieces()) {
      const box = findCut(piece);
      if (box !== null && isOnTop(piece, box)) seen.push({ piece, box });
      if (box !== null && box.right > window.innerWidth + SLACK_PX) note('out of the window', piece);
      const frame = piece.element.closest('.cs-sheet')?.getBoundingClientRect();
      if (box !== null && frame !== undefined && box.bottom > frame.bottom + SLACK_PX)
        note('below its panel', piece);
    }
    seen.forEach(({ piece, box }, place) => {
      for (const other of seen.slice(place + 1)) {
        if (other.piece.element === piece.element || findLayer(piece) !== findLayer(other.piece)) continue;
        const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        // Lines of text overlap by their leading.
        if (across > SLACK_PX && down > Math.min(box.height, other.box.height) / 2) {
          note(`over "${other.piece.text.slice(0, 40)}"`, piece);
        }
      }
    });
    // What is read line by line is scrolled in one direction only, but tables in two.
    const SIDEWAYS = 'pre, [class*="ag-"], .cm-scroller, [data-sideways], :has(> table)';
    for (const element of document.querySelectorAll('body *')) {
      const { overflowX } = getComputedStyle(element);
      if (!['auto', 'scroll'].includes(overflowX) || element.matches(SIDEWAYS)) continue;
      const wider = element.scrollWidth - element.clientWidth;
      if (wider > SLACK_PX && element.checkVisibility()) {
        const { right } = element.getBoundingClientRect();
        const widest = [...element.querySelectorAll('*')].filter(
          (part) => part.getBoundingClientRect().right > right && part.childElementCount === 0,
        );
        const names = widest.slice(0, 3).map((part) => nameElement(part));
        faults.add(
          `scrolls sideways by ${String(wider)} px: ${nameElement(element)} for ${names.join(', ')}`,
        );
      }
    }
    const beyond = document.documentElement.scrollWidth - window.innerWidth;
    if (beyond > 0) {
      const wide = [...document.querySelectorAll('body *')].filter(
        (element) =>
          element.getBoundingClientRect().right > window.innerWidth && element.childElementCount === 0,
      );
      const names = wide
        .slice(0, 3)
        .map((element) => `${nameElement(element.parentElement ?? element)} > ${nameElement(element)}`);
      faults.add(`the page scrolls sideways by ${String(beyond)} px: ${names.join(', ')}`);
    }
    return [...faults];
  });
}
