import { beforeEach, expect, it } from 'vitest';
import { followTheme } from '../../src-main/electron/run-desktop.ts';
import { makeSettings } from '../unit/renderer/support/samples.ts';
import { nativeTheme, resetFakeElectron } from '../support/electron/fake-electron.ts';
import { createStubCore } from '../support/fakes/stub-core.ts';

beforeEach(() => resetFakeElectron());

it("the window's title bar follows the chosen theme, from the start and when it changes", async () => {
  const core = createStubCore({ 'settings/get': () => makeSettings({ theme: 'dark' }) });
  const stop = await followTheme(core);
  expect(nativeTheme.themeSource).toBe('dark');
  core.send('settings/changed', makeSettings({ theme: 'light' }));
  expect(nativeTheme.themeSource).toBe('light');
  stop();
  expect(core.listenerCount()).toBe(0);
});
