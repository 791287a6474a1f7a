import { computed, type ComputedRef } from 'vue';
import { useRoute, useRouter } from 'vue-router';

/** Undo and redo of the filter: the steps back and forward that stay on the screen. */
export function useFilterSteps(): {
  readonly canUndo: ComputedRef<boolean>;
  readonly canRedo: ComputedRef<boolean>;
  undo(): void;
  redo(): void;
} {
  const route = useRoute();
  const router = useRouter();
  /** Whether a step leads to the screen that is shown; the history is not reactive, and changes with the address. */
  const isHere = (step: 'back' | 'forward', { path }: { path: string; fullPath: string }): boolean => {
    const place = router.options.history.state[step];
    return typeof place === 'string' && place.split('?', 1)[0] === path;
  };

  return {
    canUndo: computed(() => isHere('back', { path: route.path, fullPath: route.fullPath })),
    canRedo: computed(() => isHere('forward', { path: route.path, fullPath: route.fullPath })),
    undo: router.back,
    redo: router.forward,
  };
}
