import { flushPromises, mount } from '@vue/test-utils';
import { expect, it, vi } from 'vitest';
import { RouterLink } from 'vue-router';
import type { Settings } from '../../../../src-main/common/model/settings/settings.ts';
import { useWindowAddress } from '../../../../src-renderer/address/window-address.ts';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { usePeriodStore } from '../../../../src-renderer/stores/window/times.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

async function open(path: string) {
  let settings: Settings = makeSettings({ lastConnectionId: 'one' });
  const backend = new ScriptedBackend({
    'app/get-info': () => ({}) as never,
    'settings/get': () => settings,
    'settings/update': (change) => (settings = { ...settings, ...change }),
    'connections/list': () => [makeConnection({ id: 'one' }), makeConnection({ id: 'two' })],
  });
  const { global, router } = await provideApplication(backend, path);
  let address: ReturnType<typeof useWindowAddress> | undefined;
  const page = mount(
    {
      components: { RouterLink },
      template: '<RouterLink to="/inbound/detail" />',
      setup: () => void (address = useWindowAddress()),
    },
    { global },
  );
  const connections = useConnectionsStore();
  await useAppStore().load();
  await connections.load();
  await flushPromises();
  const settle = async () => {
    // A step is taken by a timer of its own, which is due before this one.
    await new Promise((resolve) => setTimeout(resolve, 20));
    await flushPromises();
  };
  return { router, backend, connections, settle, page, address: address! };
}

it('a new window begins with the connection shown last, and its address names it', async () => {
  const { router, backend, connections } = await open('/overview');
  expect(connections.active?.id).toBe('one');
  expect(router.currentRoute.value.fullPath).toBe('/overview?connection=one');
  expect(backend.countCalls('settings/update')).toBe(0);
});

it('another window that shows another connection changes nothing here', async () => {
  const { backend, connections, router, settle } = await open('/overview');
  backend.emit('settings/changed', makeSettings({ lastConnectionId: 'two' }));
  await settle();
  expect(connections.active?.id).toBe('one');
  expect(router.currentRoute.value.fullPath).toBe('/overview?connection=one');
});

it('an address shows the connection that it names, which the next window begins with', async () => {
  const { router, backend, connections } = await open('/inbound/detail?connection=two&period=last-hour');
  expect(connections.active?.id).toBe('two');
  expect(router.currentRoute.value.query).toEqual({ connection: 'two', period: 'last-hour' });
  expect(backend.calls.at(-1)).toEqual({ name: 'settings/update', input: { lastConnectionId: 'two' } });
});

it('a connection that is chosen is a step, which back and forward undo and redo', async () => {
  const { router, connections, settle } = await open('/inbound/detail/3?q=channel:3&period=last-hour');
  connections.show('two');
  await settle();
  expect(router.currentRoute.value.path).toBe('/inbound/detail');
  expect(router.currentRoute.value.query).toEqual({ connection: 'two', q: 'channel:3', period: 'last-hour' });
  router.back();
  await vi.waitFor(() => expect(connections.active?.id).toBe('one'));
  expect(router.currentRoute.value.path).toBe('/inbound/detail/3');
  router.forward();
  await vi.waitFor(() => expect(connections.active?.id).toBe('two'));
});

it('a connection and a period that are chosen at once both hold, also on the screen that is opened with them', async () => {
  const { router, connections, settle } = await open('/inbound/detail?period=last-hour');
  connections.show('two');
  usePeriodStore().select({ kind: 'preset', preset: 'yesterday' });
  await settle();
  expect(router.currentRoute.value.query).toEqual({ connection: 'two', period: 'yesterday' });
  connections.show('one');
  await router.push('/session/abc');
  await settle();
  expect(router.currentRoute.value.fullPath).toBe('/session/abc?connection=one');
});

it('links name the connection of their window', async () => {
  const { page, connections, settle } = await open('/overview?connection=two');
  expect(page.get('a').attributes('href')).toBe('/inbound/detail?connection=two&period=last-24-hours');
  connections.show('one');
  await settle();
  expect(page.get('a').attributes('href')).toBe('/inbound/detail?connection=one&period=last-24-hours');
});

it('a connection that is not saved here leaves the one shown last, and that is said', async () => {
  const { router, connections, address, settle } = await open('/overview?connection=gone');
  expect(connections.active?.id).toBe('one');
  expect([router.currentRoute.value.fullPath, address.isUnknown.value]).toEqual([
    '/overview?connection=gone',
    true,
  ]);
  address.mend();
  await settle();
  expect([router.currentRoute.value.fullPath, address.isUnknown.value]).toEqual([
    '/overview?connection=one',
    false,
  ]);
});

it('a connection that is removed gives way to another, and its address with it', async () => {
  const { router, backend, connections, settle } = await open('/overview?connection=two');
  backend.emit('connections/changed', [makeConnection({ id: 'one' })]);
  await settle();
  expect(connections.active?.id).toBe('one');
  expect(router.currentRoute.value.fullPath).toBe('/overview?connection=one');
});
