import { mount } from '@vue/test-utils';
import { afterEach, expect, it, vi } from 'vitest';
import { useFullScreen } from '../../../../src-renderer/screens/glance/glance.ts';

afterEach(() => void Reflect.deleteProperty(navigator, 'wakeLock'));

it('keeps the screen on again after the page was hidden, and lets go of it at the end', async () => {
  const release = vi.fn(() => Promise.resolve());
  const request = vi.fn(() => Promise.resolve({ release }));
  Object.defineProperty(navigator, 'wakeLock', { value: { request }, configurable: true });
  const wall = mount({
    setup: () => {
      useFullScreen();
      return () => null;
    },
  });
  expect(request).toHaveBeenCalledTimes(1);
  document.dispatchEvent(new Event('visibilitychange'));
  await Promise.resolve();
  expect(request).toHaveBeenCalledTimes(2);
  wall.unmount();
  expect(release).toHaveBeenCalledTimes(1);
  document.dispatchEvent(new Event('visibilitychange'));
  expect(request).toHaveBeenCalledTimes(2);
});
