import { mount } from '@vue/test-utils';
import { nextTick } from 'vue';
import { expect, test } from 'vitest';
import { backendKey } from '../../../../src-renderer/backend/backend.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import ConnectionList from '../../../../src-renderer/screens/connections/ConnectionList.vue';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { makeConnection, makeSample } from '../support/samples.ts';
import { useStatusStore } from '../../../../src-renderer/stores/connections/status.ts';
import { installStores, ScriptedBackend } from '../support/scripted-backend.ts';

async function mountList(selected: string) {
  const backend = new ScriptedBackend({
    'connections/list': () => [makeConnection(), makeConnection({ id: 'b', name: 'Staging' })],
    'status/read-history': () => Promise.reject(new Error('not asked here')),
    'status/refresh': () => Promise.reject(new Error('not asked here')),
  });
  const pinia = installStores(backend);
  await useConnectionsStore().load();
  const list = mount(ConnectionList, {
    props: { modelValue: selected },
    global: { plugins: [pinia, createMessages()], provide: { [backendKey as symbol]: backend } },
  });
  return { backend, list };
}

test('lists the connections, and asks for the one that is clicked or for a new one', async () => {
  const { list } = await mountList('a');
  const options = list.findAll('[role=option]');
  expect(options.map((option) => option.attributes('aria-selected'))).toEqual(['true', 'false']);
  await options[1]?.trigger('click');
  await list.get('[aria-label="Add a connection"]').trigger('click');
  expect(list.emitted('update:modelValue')).toEqual([['b'], ['new']]);
});

test('keeps a selected connection selected when it is clicked again', async () => {
  const { list } = await mountList('a');
  await list.findAll('[role=option]')[0]?.trigger('click');
  expect(list.emitted('update:modelValue') ?? []).not.toContainEqual([undefined]);
});

test('follows a new name and the state of the active connection, and claims none for the others', async () => {
  const { backend, list } = await mountList('a');
  useStatusStore();
  backend.emit('connections/changed', [
    makeConnection({ name: 'Renamed' }),
    makeConnection({ id: 'b', name: 'Staging' }),
  ]);
  backend.emit('status/checked', makeSample());
  await nextTick();
  const [active, other] = list.findAll('[role=option]').map((option) => option.text());
  expect(active).toContain('Renamed');
  expect(active).toContain('Service reachable');
  expect(other).toContain('Not checked');
});

test('shows a new connection in the list while it is being written', async () => {
  const { list } = await mountList('new');
  expect(list.get('[aria-selected=true]').text()).toBe('New connection');
});
