import { watch } from 'vue';
import { useAppStore } from '../stores/app.ts';

/** Keeps the page's class in step with the theme of the settings or of the system. */
export function useTheme(): void {
  const app = useAppStore();
  watch(() => app.isDark, applyTheme, { immediate: true });
}

/** Sets the class without each colour fading on its own. */
function applyTheme(isDark: boolean): void {
  const page = document.documentElement;
  page.classList.add('no-transitions');
  page.classList.toggle('dark', isDark);
  page.classList.toggle('light', !isDark);
  document.body.dataset['agThemeMode'] = isDark ? 'dark' : 'light';
  requestAnimationFrame(() => requestAnimationFrame(() => page.classList.remove('no-transitions')));
}
