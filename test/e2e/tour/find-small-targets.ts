import type { Page } from '@playwright/test';

/**
 * Returns the targets of a pointer that are smaller than 24 x 24 pixels (WCAG 2.2, 2.5.8) and, as that criterion allows,
 * neither within a sentence nor so far from all others that a circle of 24 pixels round their middle meets none of them.
 * Cells of maps, such as that of what is cached, are as small as their data is dense, which it allows too.
 */
export async function findSmallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const MIN_PX = 24;
    const RADIUS_PX = MIN_PX / 2;
    /** Just inside of the edge: layouts end on halves of pixels. */
    const REACH_PX = RADIUS_PX - 0.5;
    const ROLES = [
      ...['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'option', 'slider', 'combobox', 'treeitem'],
      ...['menuitem', 'menuitemradio', 'menuitemcheckbox'],
    ];
    const TARGETS = [
      'a[href], button, input, select, textarea, summary',
      ...ROLES.map((role) => `[role=${role}]`),
    ];
    interface Target {
      readonly element: HTMLElement;
      readonly box: DOMRect;
      readonly x: number;
      readonly y: number;
    }

    function findLabel(element: HTMLElement): Element | null {
      const { id } = element;
      return (
        element.closest('label') ??
        (id === '' ? null : document.querySelector(`label[for="${CSS.escape(id)}"]`))
      );
    }

    /** Whether a place is above or below a part that holds a target, and comes into it when that is scrolled further. */
    function isScrolledAway({ element }: Target, y: number): boolean {
      for (let one = element.parentElement; one !== null; one = one.parentElement) {
        if (!['auto', 'scroll'].includes(getComputedStyle(one).overflowY)) continue;
        const { top, bottom } = one.getBoundingClientRect();
        const { scrollTop, scrollHeight, clientHeight } = one;
        if (y < top && scrollTop > 0) return true;
        if (y > bottom && scrollTop + clientHeight < scrollHeight) return true;
      }
      return false;
    }

    /** Whether a press at a place is one on a target. What lies outside of the window belongs to the nearest. */
    function isHit(target: Target, x: number, y: number): boolean {
      const { element } = target;
      const hit = document.elementFromPoint(x, y);
      return (
        hit === null ||
        element.contains(hit) ||
        (findLabel(element)?.contains(hit) ?? false) ||
        isScrolledAway(target, y)
      );
    }

    function isWithinSentence(element: HTMLElement): boolean {
      const { parentElement } = element;
      return (
        getComputedStyle(element).display.startsWith('inline') &&
        parentElement !== null &&
        [...parentElement.childNodes].some(
          (node) => node.nodeType === Node.TEXT_NODE && (node.textContent ?? '').trim() !== '',
        )
      );
    }

    /** Targets that are seen and can be pressed: neither scrolled away nor under what is open. */
    function listTargets(): Target[] {
      const opened = [...document.querySelectorAll('.cs-menu, .cs-popover, .cs-dialog, .cs-palette')].at(-1);
      return [...(opened ?? document).querySelectorAll<HTMLElement>(TARGETS.join(', '))].flatMap(
        (element) => {
          if (
            element.matches(':disabled, [aria-disabled=true]') ||
            !element.checkVisibility({ visibilityProperty: true })
          ) {
            return [];
          }
          const box = element.getBoundingClientRect();
          const target = { element, box, x: box.x + box.width / 2, y: box.y + box.height / 2 };
          const isShown =
            document.elementFromPoint(target.x, target.y) !== null &&
            !isScrolledAway(target, target.y) &&
            isHit(target, target.x, target.y);
          return isShown ? [target] : [];
        },
      );
    }

    function isLarge(target: Target): boolean {
      const { box, x, y } = target;
      if (box.width >= MIN_PX && box.height >= MIN_PX) return true;
      // A press is taken on more than what is drawn.
      return (
        isHit(target, x - REACH_PX, y) &&
        isHit(target, x + REACH_PX, y) &&
        isHit(target, x, y - REACH_PX) &&
        isHit(target, x, y + REACH_PX)
      );
    }

    function isApart(small: Target, other: Target, otherIsSmall: boolean): boolean {
      if (small.element.contains(other.element) || other.element.contains(small.element)) return true;
      const { box } = other;
      const across = Math.max(box.left - small.x, small.x - box.right, 0);
      const down = Math.max(box.top - small.y, small.y - box.bottom, 0);
      const isClearOfBox = Math.hypot(across, down) >= REACH_PX;
      const isClearOfCircle = !otherIsSmall || Math.hypot(other.x - small.x, other.y - small.y) >= MIN_PX - 1;
      return isClearOfBox && isClearOfCircle;
    }

    function describe({ element, box }: Target): string {
      const name = element.getAttribute('aria-label') ?? element.textContent.trim();
      const size = `${Math.round(box.width).toString()} x ${Math.round(box.height).toString()}`;
      const toPath = (one: Element | null): string =>
        [one?.tagName.toLowerCase(), ...(one?.classList ?? [])].join('.');
      return `${size} "${name.slice(0, 40)}" in ${toPath(element.parentElement)} > ${toPath(element)}`;
    }

    const targets = listTargets();
    const small = new Set(targets.filter((target) => !isLarge(target) && !isWithinSentence(target.element)));
    const found = [...small].filter(
      (target) => !targets.every((other) => other === target || isApart(target, other, small.has(other))),
    );
    return [...new Set(found.map(describe))];
  });
}
