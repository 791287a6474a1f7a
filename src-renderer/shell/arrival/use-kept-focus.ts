import { useEventListener, useMutationObserver } from '@vueuse/core';
import { nextTick, onScopeDispose, shallowRef, watchEffect } from 'vue';
import { START_LOCATION, useRouter } from 'vue-router';
import { isModalOpen } from '../../composables/surroundings.ts';
import { useAlertStore } from '../../stores/analysis/findings.ts';
import { useAppStore } from '../../stores/window/app.ts';

/** Within these a focus that is lost goes on near by. A screen that goes as a whole is followed by another one. */
const REGIONS = 'main, aside, [role=dialog]';
/** These look after their focus themselves. */
const OWN_WAYS = '[role=grid], [role=treegrid], [role=listbox], [role=menu], .ag-root-wrapper';
const FOCUSABLE =
  `:is(a[href], button, input, select, textarea, [tabindex])` +
  `:not(:disabled, [tabindex="-1"], [inert] *, :is(${OWN_WAYS}) *)`;

/**
 * Keeps the focus near where it was when what has it is removed, as a row is by a button in it: the page would otherwise
 * begin anew for the keyboard and for a screen reader.
 */
export function useKeptFocus(): void {
  let focused: Element | null = null;

  useEventListener(document, 'focusin', ({ target }) => {
    focused = target instanceof Element ? target : null;
  });
  useEventListener(document, 'focusout', ({ target }) => {
    // Some browsers tell so of what is removed, too: a moment later that is gone.
    queueMicrotask(() => {
      if (target !== focused || document.activeElement === focused) return;
      if (focused?.isConnected === true) focused = null;
    });
  });
  useMutationObserver(
    document.body,
    (records) => {
      if (focused === null || focused.isConnected) return;
      const gone = focused;
      focused = null;
      const record = records.find(({ removedNodes }) =>
        [...removedNodes].some((node) => node.contains(gone)),
      );
      const isLost = document.activeElement === null || document.activeElement === document.body;
      if (isLost && record?.target instanceof Element && canGoOn(record.target))
        focusNear(record.target, record);
    },
    { childList: true, subtree: true },
  );
}

function canGoOn(parent: Element): boolean {
  return !parent.matches('main') && parent.closest(REGIONS) !== null && parent.closest(OWN_WAYS) === null;
}

/** Puts the focus on what took the place of the removed, or else follows it, or else comes before it. */
function focusNear(parent: Element, record: MutationRecord): void {
  let { before, after } = findGap(parent, record);
  for (let inner: Element | null = parent; inner !== null; inner = inner.parentElement) {
    if (listFocusable(after, 'nextSibling').some(tryFocus)) return;
    if (listFocusable(before, 'previousSibling').some(tryFocus)) return;
    if (inner.matches(REGIONS)) return;
    [before, after] = [inner.previousSibling, inner.nextSibling];
  }
}

/** What stands before and behind the place of the removed; its siblings may be gone as well. */
function findGap(
  parent: Element,
  { previousSibling, nextSibling }: MutationRecord,
): { before: Node | null; after: Node | null } {
  if (previousSibling?.parentNode === parent) {
    return { before: previousSibling, after: previousSibling.nextSibling };
  }
  if (nextSibling?.parentNode === parent) return { before: nextSibling.previousSibling, after: nextSibling };
  return { before: null, after: parent.firstChild };
}

/** What can have the focus in a node and in those behind, or before, it; the nearest first. */
function listFocusable(first: Node | null, way: 'nextSibling' | 'previousSibling'): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (let node = first; node !== null; node = node[way]) {
    if (!(node instanceof Element)) continue;
    const inside = [...(node.matches(FOCUSABLE) ? [node] : []), ...node.querySelectorAll(FOCUSABLE)];
    found.push(...((way === 'nextSibling' ? inside : inside.reverse()) as HTMLElement[]));
  }
  return found;
}

/** What is hidden takes no focus. */
function tryFocus(element: HTMLElement): boolean {
  element.focus({ preventScroll: true });
  return document.activeElement === element;
}

/**
 * Puts the focus on the title of a screen that was gone to: a screen reader says where it is, and Tab goes on from there.
 * A screen that takes the focus itself, or keeps it, has it.
 */
export function useArrivalFocus(): void {
  const router = useRouter();

  function arrive(): void {
    const { activeElement } = document;
    const holder = activeElement?.closest('main, [role=dialog]') ?? null;
    if (holder === null && !isModalOpen())
      document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  }

  const stop = router.afterEach(async (to, from, failure) => {
    if (failure !== undefined || from === START_LOCATION || to.path === from.path) return;
    await nextTick();
    // A palette or menu that led here gives the focus back with a timer of its own, which was set before this one.
    setTimeout(arrive);
  });
  onScopeDispose(stop);
}

const PRODUCT = 'Channelscope';

/**
 * Keeps the title of the window: how many alerts fire, which screen is shown, the product. Returns how a screen names
 * itself, in the language of the window.
 */
export function useWindowTitle(): (screen: string) => void {
  const alerts = useAlertStore();
  const app = useAppStore();
  const shown = shallowRef('');

  watchEffect(() => {
    const count = app.settings?.alertBadge === false ? 0 : alerts.firingAnywhere;
    const title = shown.value === '' ? PRODUCT : `${shown.value} – ${PRODUCT}`;
    document.title = count === 0 ? title : `(${count}) ${title}`;
  });

  return (screen) => {
    shown.value = screen;
  };
}
