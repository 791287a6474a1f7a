import { useEventListener, useFullscreen } from '@vueuse/core';
import { onMounted, onScopeDispose, ref } from 'vue';

/** Fills the screen, and keeps it from going dark, as long as the part is shown. Both are asked for, neither is needed. */
export function useFullScreen() {
  const { isSupported, isFullscreen, enter, exit } = useFullscreen(document.documentElement);
  let lock: WakeLockSentinel | null = null;
  const isGone = ref(false);

  async function stayAwake(): Promise<void> {
    try {
      lock = await navigator.wakeLock.request('screen');
      if (isGone.value) await lock.release();
    } catch {
      // The system decides: a screen that may not be kept on goes dark as usual.
    }
  }
  onMounted(() => void stayAwake());
  // A page that is hidden loses it for good.
  useEventListener(document, 'visibilitychange', () => {
    if (document.visibilityState === 'visible') void stayAwake();
  });
  onScopeDispose(() => {
    isGone.value = true;
    void lock?.release().catch(() => undefined);
    if (isFullscreen.value) void exit().catch(() => undefined);
  });

  return {
    isPossible: isSupported.value,
    isOn: isFullscreen,
    begin: () => void enter().catch(() => undefined),
  };
}
