import { mount } from '@vue/test-utils';
import { TooltipProvider } from 'reka-ui';
import { h } from 'vue';
import { expect, it } from 'vitest';
import StatusBar from '../../../../src-renderer/shell/StatusBar.vue';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

it.each([true, false])(
  'A13: says that others may read the data folder when that is so (%s)',
  async (isOpen) => {
    const backend = new ScriptedBackend({
      'app/get-info': () =>
        ({
          platform: 'windows',
          host: 'desktop',
          nowMs: 0,
          mayBeReadByOthers: isOpen,
          keychain: {},
        }) as never,
      'settings/get': () => makeSettings(),
      'app/read-proxy-challenge': () => null,
    });
    const { global } = await provideApplication(backend);
    await useAppStore().load();
    const page = mount({ render: () => h(TooltipProvider, () => h(StatusBar)) }, { global });
    expect(page.text().includes('may be open to others')).toBe(isOpen);
  },
);
