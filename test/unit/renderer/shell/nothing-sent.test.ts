import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineComponent, h, type Component } from 'vue';
import ConnectionItem from '../../../../src-renderer/screens/connections/ConnectionItem.vue';
import HealthCard from '../../../../src-renderer/screens/overview/health/HealthCard.vue';
import OverviewBanners from '../../../../src-renderer/screens/overview/OverviewBanners.vue';
import AppSidebar from '../../../../src-renderer/shell/sidebar/AppSidebar.vue';
import StatusBar from '../../../../src-renderer/shell/StatusBar.vue';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { useStatusStore } from '../../../../src-renderer/stores/connections/status.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeHistory, makeSample, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const sample = makeSample({
  connectionId: 'a',
  failure: 'secrets.missing',
  roundTripMs: null,
  platform: 'not-checked',
  connector: 'not-checked',
});

let backend: ScriptedBackend;
let page: VueWrapper;
let global: Awaited<ReturnType<typeof provideApplication>>['global'];

beforeEach(async () => {
  backend = new ScriptedBackend({
    'app/get-info': () => ({ keychain: { kind: 'keychain' } }) as never,
    'settings/get': () => makeSettings(),
    'connections/list': () => [
      makeConnection({ secrets: 'missing' }),
      makeConnection({ id: 'b', secrets: 'missing' }),
      makeConnection({ id: 'c', kind: 'local', secrets: 'missing' }),
    ],
    'status/read-history': () => makeHistory(sample),
    'status/refresh': () => sample,
  });
  ({ global } = await provideApplication(backend, '/overview'));
  await useAppStore().load();
  await useConnectionsStore().load();
  useStatusStore();
  await flushPromises();
});
afterEach(() => page.unmount());

function show(component: Component, props: Record<string, unknown> = {}): string {
  // The tooltips around it need a provider that the application has.
  const Page = defineComponent({ setup: () => () => h(component, props) });
  const stubs = { TooltipWrap: { template: '<span><slot /></span>' } };
  page = mount(Page, { global: { ...global, stubs } });
  return page.text();
}

describe('a connection without credentials, to which nothing was sent, is not called unreachable', () => {
  it('in the sidebar', () => {
    const text = show(AppSidebar, { rail: false, switcherOpen: false });
    expect(text).toContain('No credentials saved');
    expect(text).not.toMatch(/unreachable|ago/i);
  });

  it('in the status bar', () => {
    expect(show(StatusBar)).not.toContain('no response');
  });

  it.each([
    ['a', 'No credentials saved'],
    ['b', 'No credentials saved'],
    ['c', 'Not checked'],
  ])('in the list of connections: %s', (connectionId, words) => {
    const text = show(ConnectionItem, { connectionId });
    expect(text).toContain(words);
    expect(text).not.toMatch(/unreachable/i);
  });

  it('in the Overview, which says what to do', () => {
    const shared = { nowMs: 2000, zone: 'UTC' };
    const text = show(OverviewBanners, { nowMs: 2000, connectionId: 'a', stale: null });
    expect(text).toContain('No credentials saved.');
    expect(text).toContain('Enter both under Settings, Connections.');
    expect(text).toContain('Edit connection');
    expect(text).not.toContain('Offline');
    page.unmount();
    const history = makeHistory(sample);
    show(HealthCard, {
      ...shared,
      field: 'platform',
      history,
      latest: sample,
      refreshSeconds: 30,
      figures: null,
      traffic: null,
      faults: { picture: null, figures: null, traffic: null },
      isRefreshing: false,
    });
    expect(page.get('.mark').text()).toBe('Not checked');
  });

  it('in the Overview of the built-in service, which can be started there', async () => {
    backend.emit('status/checked', {
      ...sample,
      checkedAtMs: sample.checkedAtMs + 1,
      failure: 'local-service.not-running',
    });
    await flushPromises();
    const text = show(OverviewBanners, { nowMs: 2000, connectionId: 'a', stale: null });
    expect(text).toContain("Local service isn't running.");
    expect(page.findAll('button').map((button) => button.text())).toContain('Start');
    expect(text).not.toContain('Offline');
  });
});
