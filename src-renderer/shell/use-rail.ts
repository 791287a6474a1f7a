import { computed, onScopeDispose, ref, type ComputedRef } from 'vue';
import { useAppStore } from '../stores/app.ts';

/** True while the sidebar is only icons: the window is narrow, or the person chose it. */
export function useRail(): ComputedRef<boolean> {
  const app = useAppStore();
  const query = window.matchMedia('(max-width: 1199px)');
  const isNarrow = ref(query.matches);
  const follow = (): void => {
    isNarrow.value = query.matches;
  };
  query.addEventListener('change', follow);
  onScopeDispose(() => query.removeEventListener('change', follow));
  return computed(() => isNarrow.value || app.settings?.sidebarCollapsed === true);
}
