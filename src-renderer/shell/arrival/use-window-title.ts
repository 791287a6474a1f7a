import { shallowRef, watchEffect } from 'vue';
import { useAlertStore } from '../../stores/analysis/alerts.ts';
import { useAppStore } from '../../stores/window/app.ts';

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
