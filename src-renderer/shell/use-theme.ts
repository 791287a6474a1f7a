import { watch, watchEffect } from 'vue';
import { useAppStore } from '../stores/window/app.ts';

/** Keeps the page in step with the appearance of the settings or of the system: theme, density, motion. */
export function useTheme(): void {
  const app = useAppStore();
  watch(() => app.isDark, applyTheme, { immediate: true });
  watchEffect(() => {
    const { dataset } = document.documentElement;
    dataset['density'] = app.settings?.density ?? 'standard';
    dataset['motion'] = app.settings?.motion ?? 'system';
  });
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
