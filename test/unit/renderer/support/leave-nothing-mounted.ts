/** Set up before each file of the window's tests: they share a document, so each leaves it as it found it. */
import { disableAutoUnmount, enableAutoUnmount } from '@vue/test-utils';
import { afterAll, afterEach, vi } from 'vitest';

disableAutoUnmount();
enableAutoUnmount(afterEach);

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  document.body.replaceChildren();
  localStorage.clear();
  sessionStorage.clear();
});
