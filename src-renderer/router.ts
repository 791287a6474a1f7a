import { createRouter, createWebHashHistory, type Router, type RouteRecordRaw } from 'vue-router';
import { DIRECTIONS } from '../src-main/common/reporting/reports.ts';

const openSummary = () => import('./screens/summary/SummaryScreen.vue');
const openFamily = () => import('./screens/family/FamilyScreen.vue');
const openDetail = () => import('./screens/detail/DetailScreen.vue');

const routes: RouteRecordRaw[] = [
  { path: '/', redirect: '/overview' },
  {
    path: '/first-run',
    name: 'first-run',
    component: () => import('./screens/first-run/FirstRunScreen.vue'),
    meta: { withoutShell: true },
  },
  {
    path: '/overview',
    name: 'overview',
    component: () => import('./screens/overview/OverviewScreen.vue'),
    meta: { hasPeriod: true },
  },
  {
    path: '/incidents',
    name: 'incidents',
    component: () => import('./screens/incidents/IncidentsScreen.vue'),
    meta: { hasPeriod: true },
  },
  {
    path: '/conversations',
    name: 'conversations',
    component: () => import('./screens/conversations/ConversationsScreen.vue'),
    meta: { hasPeriod: true },
  },
  {
    path: '/compare',
    name: 'compare',
    component: () => import('./screens/compare/CompareScreen.vue'),
    meta: { hasPeriod: true },
  },
  {
    path: '/alerts/:id?',
    name: 'alerts',
    component: () => import('./screens/alerts/AlertsScreen.vue'),
  },
  {
    path: '/cases/:id?',
    name: 'cases',
    component: () => import('./screens/cases/CasesScreen.vue'),
  },
  ...DIRECTIONS.flatMap((direction) => [
    {
      path: `/${direction}/summary`,
      name: `${direction}-summary`,
      component: openSummary,
      props: { direction },
      meta: { hasPeriod: true },
    },
    {
      path: `/${direction}/detail/:snapshotId?`,
      name: `${direction}-detail`,
      component: openDetail,
      props: { direction },
      meta: { hasPeriod: true },
    },
    {
      path: `/${direction}/family`,
      name: `${direction}-family`,
      component: openFamily,
      props: { direction },
      meta: { hasPeriod: true },
    },
  ]),
  {
    path: '/session/:id',
    name: 'session',
    component: () => import('./screens/session/SessionScreen.vue'),
    props: true,
  },
  { path: '/library', name: 'library', component: () => import('./screens/library/LibraryScreen.vue') },
  {
    path: '/deprecations',
    name: 'deprecations',
    component: () => import('./screens/deprecations/DeprecationsScreen.vue'),
  },
  {
    path: '/local-service',
    name: 'local-service',
    component: () => import('./screens/local-service/LocalServiceScreen.vue'),
  },
  {
    path: '/schedules/:id?',
    name: 'schedules',
    component: () => import('./screens/schedules/SchedulesScreen.vue'),
  },
  {
    path: '/planned/:part?',
    name: 'planned',
    component: () => import('./screens/planned/PlannedScreen.vue'),
  },
  {
    path: '/service-levels/:id?',
    name: 'service-levels',
    component: () => import('./screens/service-levels/ServiceLevelsScreen.vue'),
  },
  {
    path: '/sql',
    name: 'sql',
    component: () => import('./screens/sql/SqlScreen.vue'),
    meta: { hasPeriod: true },
  },
  {
    path: '/connections',
    name: 'all-connections',
    component: () => import('./screens/glance/GlanceScreen.vue'),
  },
  {
    path: '/wall',
    name: 'wall',
    component: () => import('./screens/glance/WallScreen.vue'),
    meta: { withoutShell: true },
  },
  {
    path: '/settings/connections/:id?',
    name: 'connections',
    component: () => import('./screens/connections/ConnectionsScreen.vue'),
  },
  {
    path: '/help/:page?/:section?',
    name: 'help',
    component: () => import('./screens/help/HelpScreen.vue'),
  },
  { path: '/about/:part?', name: 'about', component: () => import('./screens/about/AboutScreen.vue') },
  {
    path: '/settings/:section?/:setting?',
    name: 'settings',
    component: () => import('./screens/settings/SettingsScreen.vue'),
  },
  { path: '/:rest(.*)*', redirect: '/overview' },
];

/** Creates the router of the views; hash addresses work from a file and from any host. */
export function createViews() {
  const router = createRouter({ history: createWebHashHistory(), routes });
  keepEarlyAddress(router);
  return router;
}

/** The router follows the address only once its first view is loaded, and then writes that view's over a newer one. */
function keepEarlyAddress(router: Router): void {
  let newest: string | null = null;
  const note = () => {
    newest = window.location.hash.slice(1);
  };
  window.addEventListener('popstate', note);
  const follow = () => {
    window.removeEventListener('popstate', note);
    if (newest !== null) void router.replace(newest);
  };
  router.isReady().then(follow, follow);
}
