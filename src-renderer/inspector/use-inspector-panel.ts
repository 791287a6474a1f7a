import { computed, ref } from 'vue';
import { useNarrowWindow } from '../composables/use-narrow-window.ts';
import { useAppStore } from '../stores/window/app.ts';

/**
 * Whether the inspector is shown: it opens with the first record, and stays closed where the person closed it, also for
 * the next start. Where it covers what it is about, as in a narrow window, it is opened for one record at a time.
 */
export function useInspectorPanel(hasRecord: () => boolean) {
  const app = useAppStore();
  const isNarrow = useNarrowWindow();
  const isOver = ref(false);
  /** Opened before there was a record to show. */
  const isAsked = ref(false);
  const isOpen = computed(() =>
    isNarrow.value ? isOver.value : (app.settings?.inspectorOpen ?? true) && (hasRecord() || isAsked.value),
  );

  function setOpen(open: boolean): void {
    if (isNarrow.value) isOver.value = open;
    else if (isOpen.value !== open) {
      isAsked.value = open;
      void app.update({ inspectorOpen: open });
    }
  }

  return { isOpen, setOpen, isOver: isNarrow } as const;
}
