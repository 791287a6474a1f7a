import { flushPromises, mount } from '@vue/test-utils';
import { TooltipProvider } from 'reka-ui';
import { defineComponent, h } from 'vue';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Settings } from '../../../../src-main/common/model/settings/settings.ts';
import StatusBar from '../../../../src-renderer/shell/StatusBar.vue';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

it('says that clients are masked while they are, and the status bar shows them again', async () => {
  const changes: Partial<Settings>[] = [];
  const backend = new ScriptedBackend({
    'app/get-info': () => ({ platform: 'linux', nowMs: 0, keychain: {}, host: 'web' }) as never,
    'app/read-proxy-challenge': () => null,
    'settings/get': () => makeSettings({ maskTexts: true }),
    'settings/update': (change) => {
      changes.push(change);
      return makeSettings(change);
    },
  });
  const { global } = await provideApplication(backend);
  await useAppStore().load();
  const Shell = defineComponent(() => () => h(TooltipProvider, () => h(StatusBar)));
  const page = mount(Shell, { global });
  const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined);
  onTestFinished(() => reload.mockRestore());
  await page
    .findAll('button')
    .find((button) => button.text() === 'Clients masked')
    ?.trigger('click');
  await flushPromises();
  expect(changes).toEqual([{ maskTexts: false }]);
  // All that was shown is asked for again.
  expect(reload).toHaveBeenCalledOnce();
  expect(page.text()).not.toContain('Clients masked');
  page.unmount();
});
