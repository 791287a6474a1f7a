import { flushPromises, mount } from '@vue/test-utils';
import { TooltipProvider } from 'reka-ui';
import { h } from 'vue';
import { expect, it } from 'vitest';
import StatusBar from '../../../../src-renderer/shell/StatusBar.vue';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

async function show(info: { isSafe: boolean; host: 'desktop' | 'web' }) {
  let starts = 0;
  const backend = new ScriptedBackend({
    'app/get-info': () => ({ platform: 'linux', nowMs: 0, keychain: {}, ...info }) as never,
    'settings/get': () => makeSettings(),
    'app/read-proxy-challenge': () => null,
    'app/start-normally': () => {
      starts += 1;
      return { isStarting: true };
    },
  });
  const { global } = await provideApplication(backend);
  await useAppStore().load();
  const page = mount({ render: () => h(TooltipProvider, () => h(StatusBar)) }, { global });
  return { page, countStarts: () => starts };
}

it('the bar below every screen says that the start was a safe one, and only then', async () => {
  expect((await show({ isSafe: true, host: 'web' })).page.text()).toContain('Safe mode');
  expect((await show({ isSafe: false, host: 'web' })).page.text()).not.toContain('Safe mode');
});

it('on the desktop it starts the application as usual; a browser can not', async () => {
  for (const host of ['desktop', 'web'] as const) {
    const { page, countStarts } = await show({ isSafe: true, host });
    const notice = page.findAll('button').find((button) => button.text().includes('Safe mode'));
    await notice?.trigger('click');
    await flushPromises();
    expect(countStarts()).toBe(host === 'desktop' ? 1 : 0);
  }
});
