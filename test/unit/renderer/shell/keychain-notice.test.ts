import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { TooltipProvider } from 'reka-ui';
import { h, type Component } from 'vue';
import { expect, it } from 'vitest';
import type { Keychain } from '../../../../src-main/common/contract/operations/app.ts';
import KeychainNotice from '../../../../src-renderer/shell/KeychainNotice.vue';
import FirstRunScreen from '../../../../src-renderer/screens/first-run/FirstRunScreen.vue';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const SESSION: Keychain = { kind: 'session', failure: 'secrets.timeout', isWaiting: false, file: 'none' };

async function show(
  retries: Keychain[],
  component: Component = KeychainNotice,
): Promise<{ backend: ScriptedBackend; page: VueWrapper }> {
  const backend = new ScriptedBackend({
    'app/get-info': () => ({ platform: 'macos', host: 'desktop', nowMs: 0, keychain: SESSION }) as never,
    'settings/get': () => makeSettings(),
    'app/retry-keychain': () => retries.shift() ?? SESSION,
    'connections/list-set-aside': () => ({ names: [], fileName: '', keptFile: null }),
    'local-service/start': () => new Promise(() => undefined),
  });
  const { global } = await provideApplication(backend);
  await useAppStore().load();
  const page = mount({ render: () => h(TooltipProvider, () => h(component)) }, { global });
  return { backend, page };
}

it('A7: says where to look while the system keychain asks, and stops once it has its answer', async () => {
  const { backend, page } = await show([]);
  backend.emit('app/keychain-changed', {
    ...SESSION,
    kind: 'keychain',
    failure: null,
    isWaiting: true,
    file: 'none',
  });
  await flushPromises();
  expect(page.get('[role="status"]').text()).toContain('asking you in another window');
  backend.emit('app/keychain-changed', { kind: 'keychain', failure: null, isWaiting: false, file: 'none' });
  await flushPromises();
  expect(page.text()).toBe('');
});

it('A7: tries the keychain again on demand, and says when it still is not there', async () => {
  const { page } = await show([SESSION, { kind: 'keychain', failure: null, isWaiting: false, file: 'none' }]);
  const button = page.get('button');
  expect(button.text()).toBe('Secrets are kept for this session only');
  await button.trigger('click');
  await flushPromises();
  expect(button.text()).toContain('still');
  await button.trigger('click');
  await flushPromises();
  expect(page.find('button').exists()).toBe(false);
});

it('A7: the first screen says that the service waits for the keychain, and not that it is being made', async () => {
  const { backend, page } = await show([], FirstRunScreen);
  await page.get('button.choice').trigger('click');
  const note = page.get('button.choice [role="status"]');
  expect(note.text()).toContain('generating sample traffic');
  backend.emit('app/keychain-changed', {
    ...SESSION,
    kind: 'keychain',
    failure: null,
    isWaiting: true,
    file: 'none',
  });
  await flushPromises();
  expect(note.text()).toContain('asking you in another window');
});
