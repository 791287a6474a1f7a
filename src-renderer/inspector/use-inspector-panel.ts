import { computed, ref } from 'vue';
import { useNarrowWindow } from '../composables/use-narrow-window.ts';
import { useAppStore } from '../stores/window/app.ts';

/**
 * Whether the inspector is shown. Beside what it is about it stays as the person left it, also for the next start. Where it
 * covers that, as in a narrow window, it is opened for one record at a time.
 */
export function useInspectorPanel() {
  const app = useAppStore();
  const isNarrow = useNarrowWindow();
  const isOver = ref(false);
  const isOpen = computed(() => (isNarrow.value ? isOver.value : (app.settings?.inspectorOpen ?? true)));

  function setOpen(open: boolean): void {
    if (isNarrow.value) isOver.value = open;
    else if (isOpen.value !== open) void app.update({ inspectorOpen: open });
  }

  return { isOpen, setOpen, isOver: isNarrow } as const;
}
