import { nextTick, onScopeDispose } from 'vue';
import { START_LOCATION, useRouter } from 'vue-router';
import { isModalOpen } from '../../components/modal-open.ts';

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
