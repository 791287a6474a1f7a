import { flushPromises, mount } from '@vue/test-utils';
import { expect, test } from 'vitest';
import TraySwitch from '../../../../src-renderer/screens/connections/TraySwitch.vue';
import { useAppStore } from '../../../../src-renderer/stores/app.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

async function show(info: { host: 'desktop' | 'web'; platform: string }) {
  const backend = new ScriptedBackend({
    'app/get-info': () => info as never,
    'settings/get': () => makeSettings(),
    'settings/update': (change) => makeSettings(change),
  });
  const { global } = await provideApplication(backend);
  await useAppStore().load();
  return { backend, panel: mount(TraySwitch, { global }) };
}

test('the desktop can be told to go on without its window', async () => {
  const { backend, panel } = await show({ host: 'desktop', platform: 'windows' });
  await panel.get('[role="switch"]').trigger('click');
  await flushPromises();
  expect(backend.calls.at(-1)).toEqual({ name: 'settings/update', input: { keepInTray: true } });
  expect(panel.get('[role="switch"]').attributes('aria-checked')).toBe('true');
});

test.each([
  { host: 'web', platform: 'linux' },
  { host: 'desktop', platform: 'macos' },
] as const)('it is not offered where it means nothing: %j', async (info) => {
  expect((await show(info)).panel.find('[role="switch"]').exists()).toBe(false);
});
