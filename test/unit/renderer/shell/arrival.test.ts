import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, expect, test, vi } from 'vitest';
import { defineComponent } from 'vue';
import { RouterView, type Router } from 'vue-router';
import { useAlertStore } from '../../../../src-renderer/stores/analysis/findings.ts';
import { useArrivalFocus, useWindowTitle } from '../../../../src-renderer/shell/window.ts';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { makeBoard } from '../alerts/alert-samples.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';

let page: VueWrapper;
afterEach(() => {
  page.unmount();
  document.body.innerHTML = '';
});

async function mountWindow(): Promise<{ router: Router; focused: () => string }> {
  const { router, global } = await provideApplication(new ScriptedBackend({}), '/start');
  router.addRoute({ path: '/start', component: { template: '<h1 tabindex="-1">Start</h1>' } });
  router.addRoute({
    path: '/alerts/:id',
    component: { template: '<h1 tabindex="-1">Alerts</h1><a class="rule" href="#">Rule</a>' },
  });
  router.addRoute({
    path: '/sql',
    component: {
      template: '<h1 tabindex="-1">SQL</h1><input ref="editor" class="editor" />',
      mounted(this: { $refs: { editor: HTMLElement } }) {
        this.$refs.editor.focus();
      },
    },
  });
  await router.replace('/start');
  page = mount(
    {
      components: { RouterView },
      setup: () => {
        useArrivalFocus();
        return {};
      },
      template: '<nav><a class="link" href="#">Link</a></nav><main><RouterView /></main><div id="over" />',
    },
    { global, attachTo: document.body },
  );
  await flushPromises();
  return {
    router,
    focused: () => document.activeElement?.textContent || document.activeElement?.className || '',
  };
}

/** Goes to a screen, and waits until it has arrived. */
async function go(router: Router, path: string): Promise<void> {
  await router.push(path);
  await flushPromises();
  await new Promise((done) => setTimeout(done));
}

test('the focus goes to the title of the screen that was gone to, from a link or from nowhere', async () => {
  const { router, focused } = await mountWindow();
  expect(document.activeElement).toBe(document.body);
  page.get<HTMLElement>('.link').element.focus();
  await go(router, '/alerts/one');
  expect(focused()).toBe('Alerts');
});

test('a screen keeps the focus that it has: in a list beside what was chosen, in a field of its own', async () => {
  const { router, focused } = await mountWindow();
  await go(router, '/alerts/one');
  page.get<HTMLElement>('.rule').element.focus();
  await go(router, '/alerts/two');
  expect(focused()).toBe('Rule');
  await go(router, '/sql');
  expect(focused()).toBe('editor');
});

test('another query of the same screen leaves the focus where it is, and so does a dialog', async () => {
  const { router, focused } = await mountWindow();
  page.get<HTMLElement>('.link').element.focus();
  await go(router, '/start?q=1');
  expect(focused()).toBe('Link');
  page.get('#over').element.className = 'cs-scrim';
  await go(router, '/alerts/one');
  expect(focused()).toBe('Link');
});

test('the title of the window says how many alerts fire, and which screen is shown', async () => {
  const backend = new ScriptedBackend({
    'connections/list': () => [makeConnection()],
    'alerts/list': () => makeBoard([{ state: { firingSinceMs: 5 } }]),
    'settings/get': () => makeSettings(),
    'app/get-info': () => ({}) as never,
  });
  const { global } = await provideApplication(backend);
  let nameScreen = vi.fn<(name: string) => void>();
  page = mount(
    defineComponent({
      setup: () => {
        nameScreen = vi.fn(useWindowTitle());
        return {};
      },
      template: '<i />',
    }),
    { global },
  );
  expect(document.title).toBe('Channelscope');
  nameScreen('Detail – Inbound');
  await flushPromises();
  expect(document.title).toBe('Detail – Inbound – Channelscope');
  await useConnectionsStore().load();
  await useAlertStore().load();
  await flushPromises();
  expect(document.title).toBe('(1) Detail – Inbound – Channelscope');
  await useAppStore().load();
  backend.emit('settings/changed', makeSettings({ alertBadge: false }));
  await flushPromises();
  expect(document.title).toBe('Detail – Inbound – Channelscope');
});
