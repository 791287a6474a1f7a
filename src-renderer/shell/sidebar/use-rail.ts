import { useMediaQuery } from '@vueuse/core';
import { computed, type ComputedRef } from 'vue';
import { useAppStore } from '../../stores/window/app.ts';

/** True while the sidebar shows only icons: the window is narrow, or the person collapsed it. */
export function useRail(): ComputedRef<boolean> {
  const app = useAppStore();
  const isNarrow = useMediaQuery('(max-width: 1199px)');
  return computed(() => isNarrow.value || app.settings?.sidebarCollapsed === true);
}
