import { flushPromises, mount } from '@vue/test-utils';
import { beforeEach, expect, test } from 'vitest';
import { defineComponent, h } from 'vue';
import { createMemoryHistory, createRouter } from 'vue-router';
import {
  type LocalServiceState,
  NO_SIMULATION,
} from '../../../../src-main/common/model/connections/local-service.ts';
import { backendKey } from '../../../../src-renderer/backend/backend.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import ServiceMark from '../../../../src-renderer/shell/sidebar/ServiceMark.vue';
import { useServiceStatus } from '../../../../src-renderer/shell/window.ts';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { useLocalServiceStore } from '../../../../src-renderer/stores/connections/local-service.ts';
import { makeConnection, makeHistory, makeSample, makeSettings } from '../support/samples.ts';
import { installStores, ScriptedBackend } from '../support/scripted-backend.ts';
import { makeState } from './local-service-samples.ts';

let backend: ScriptedBackend;
let settings = makeSettings();

beforeEach(() => {
  settings = makeSettings({ lastConnectionId: 'local' });
});

async function open(state: Partial<LocalServiceState>) {
  backend = new ScriptedBackend({
    'settings/get': () => settings,
    'settings/update': (change) => (settings = { ...settings, ...change }),
    'connections/list': () => [makeConnection({ id: 'local', kind: 'local' }), makeConnection()],
    'local-service/get-state': () => makeState(state),
    'status/refresh': () => makeSample({ connectionId: 'local' }),
    'status/read-history': () => makeHistory(null),
  });
  const pinia = installStores(backend);
  await useAppStore().update({});
  await useConnectionsStore().load();
  await useLocalServiceStore().load();
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [{ path: '/:rest(.*)*', component: ServiceMark }],
  });
  const Shell = defineComponent({
    setup: () => {
      useServiceStatus();
      return () => h(ServiceMark, { rail: false });
    },
  });
  return mount(Shell, {
    global: { plugins: [createMessages(), pinia, router], provide: { [backendKey as symbol]: backend } },
  });
}

const simulation = { ...NO_SIMULATION, connectorDown: true };

test('simulation and quirks are marked while the service runs, and only then', async () => {
  const shell = await open({ simulation });
  expect(shell.text()).toBe('Simulation is on');
  for (const [state, words] of [
    [makeState({ simulation, quirks: ['slow'] }), 'Simulation and 1 quirk'],
    [makeState({ quirks: ['slow', 'stalls'] }), '2 quirks are on'],
    [makeState({ state: 'stopped', simulation }), ''],
    [makeState({ state: 'crashed', simulation }), 'Service is starting again'],
    [makeState({ state: 'failed' }), 'Service stopped unexpectedly'],
    [makeState(), ''],
  ] as const) {
    backend.emit('local-service/changed', state);
    await flushPromises();
    expect(shell.text()).toBe(words);
  }
});

test('no mark stands beside another connection, whose outage is real', async () => {
  const shell = await open({ simulation });
  useConnectionsStore().show('a');
  await flushPromises();
  expect(shell.text()).toBe('');
});

test('a service that has ended, or is back, is asked for its status at once', async () => {
  await open({});
  await flushPromises();
  const before = backend.countCalls('status/refresh');
  const refreshes = () => backend.countCalls('status/refresh') - before;
  for (const [state, count] of [
    ['crashed', 1],
    ['starting', 1],
    ['running', 2],
  ] as const) {
    backend.emit('local-service/changed', makeState({ state }));
    await flushPromises();
    expect(refreshes()).toBe(count);
  }
});
