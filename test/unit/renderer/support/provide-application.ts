import { computed } from 'vue';
import { createMemoryHistory, createRouter, type Router } from 'vue-router';
import { backendKey, type Backend } from '../../../../src-renderer/backend/backend.ts';
import { zoneKey } from '../../../../src-renderer/composables/surroundings.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import { useClockStore } from '../../../../src-renderer/stores/window/times.ts';
import { installStores } from './scripted-backend.ts';

const Blank = { template: '<i />' };

/** What a component needs of the application around it: stores on a backend, words, and an address. */
export async function provideApplication(backend: Backend, path = '/') {
  const pinia = installStores(backend);
  const router: Router = createRouter({
    history: createMemoryHistory(),
    routes: [
      { path: '/first-run', name: 'first-run', component: Blank, meta: { withoutShell: true } },
      { path: '/overview', name: 'overview', component: Blank },
      {
        path: '/inbound/detail/:snapshotId?',
        name: 'inbound-detail',
        component: Blank,
        meta: { hasPeriod: true },
      },
      {
        path: '/outbound/detail/:snapshotId?',
        name: 'outbound-detail',
        component: Blank,
        meta: { hasPeriod: true },
      },
      { path: '/inbound/family', name: 'inbound-family', component: Blank, meta: { hasPeriod: true } },
      { path: '/outbound/family', name: 'outbound-family', component: Blank, meta: { hasPeriod: true } },
      { path: '/about/:part?', name: 'about', component: Blank },
      { path: '/session/:id', name: 'session', component: Blank },
      { path: '/cases/:id?', name: 'cases', component: Blank },
      { path: '/alerts/:id?', name: 'alerts', component: Blank },
      { path: '/service-levels/:id?', name: 'service-levels', component: Blank },
      { path: '/planned/:part?', name: 'planned', component: Blank },
      { path: '/settings/connections/:id?', name: 'connections', component: Blank },
      { path: '/settings/:section?/:setting?', name: 'settings', component: Blank },
      { path: '/:rest(.*)*', component: Blank },
    ],
  });
  await router.push(path);
  return {
    router,
    global: {
      plugins: [pinia, router, createMessages()],
      provide: {
        [backendKey as symbol]: backend,
        [zoneKey as symbol]: computed(() => useClockStore(pinia).zone),
      },
    },
  };
}
