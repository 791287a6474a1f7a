import { flushPromises, mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import type { Settings } from '../../../../src-main/common/model/settings/settings.ts';
import { useNamedConnection } from '../../../../src-renderer/shell/host/use-named-connection.ts';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

async function open(path: string) {
  let settings: Settings = makeSettings({ activeConnectionId: 'one' });
  const backend = new ScriptedBackend({
    'app/get-info': () => ({}) as never,
    'settings/get': () => settings,
    'settings/update': (change) => (settings = { ...settings, ...change }),
    'connections/list': () => [makeConnection({ id: 'one' }), makeConnection({ id: 'two' })],
  });
  const { global, router } = await provideApplication(backend, path);
  const Window = { template: '<i />', setup: () => useNamedConnection() };
  mount(Window, { global });
  await useAppStore().load();
  await useConnectionsStore().load();
  await flushPromises();
  return { router, backend };
}

it('an address that names a connection chooses it, and keeps the rest of the address', async () => {
  const { router, backend } = await open('/overview?connection=two&period=last-24h');
  expect(backend.calls.at(-1)).toEqual({ name: 'settings/update', input: { activeConnectionId: 'two' } });
  expect(useConnectionsStore().active?.id).toBe('two');
  expect(router.currentRoute.value.fullPath).toBe('/overview?period=last-24h');
  await router.push('/overview?connection=one');
  await flushPromises();
  expect(useConnectionsStore().active?.id).toBe('one');
  expect(router.currentRoute.value.fullPath).toBe('/overview');
});

it('a connection that is not there any more changes nothing', async () => {
  const { router, backend } = await open('/overview?connection=gone');
  expect(backend.countCalls('settings/update')).toBe(0);
  expect(router.currentRoute.value.fullPath).toBe('/overview');
});
