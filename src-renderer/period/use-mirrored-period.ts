import { watch } from 'vue';
import { useRouter, type RouteLocationNormalized } from 'vue-router';
import { toQueryText } from '../address/query-text.ts';
import { usePeriodStore } from '../stores/window/period.ts';
import { fromPeriodText, toPeriodText } from './period-query.ts';
import type { PeriodSelection } from './period-selection.ts';

/**
 * Keeps the period of the store, which all screens share, and that of the address the same wherever a screen names a
 * period (`meta.hasPeriod`). The address wins when it is opened, by a link, back or forward; one without a period gets
 * that of the store; a period that is chosen is a step of its own.
 */
export function useMirroredPeriod(): void {
  const periods = usePeriodStore();
  const router = useRouter();
  let fromAddress: PeriodSelection | null = null;
  /** Where the window is on its way to. */
  let pending: string | null = null;

  function follow({ meta, query, params }: RouteLocationNormalized): void {
    if (meta['hasPeriod'] !== true) return;
    const text = toQueryText(query, 'period');
    if (text === '') {
      void router.replace({ params, query: { ...query, period: toPeriodText(periods.selection) } });
      return;
    }
    const selection = fromPeriodText(text);
    if (selection === null || text === toPeriodText(periods.selection)) return;
    fromAddress = selection;
    periods.select(selection);
  }

  router.beforeEach(({ fullPath }) => {
    pending = fullPath;
  });
  router.afterEach((to, _from, failure) => {
    if (pending === to.fullPath) pending = null;
    if (failure === undefined) follow(to);
  });
  // A screen that can't be loaded is not on its way any more.
  router.onError(() => {
    pending = null;
  });
  follow(router.currentRoute.value);

  watch(
    () => periods.selection,
    async (selection) => {
      // What chose the period may open another screen with it in the same breath: a step of its own would cancel that.
      await new Promise((resolve) => setTimeout(resolve));
      if (pending !== null || selection !== periods.selection) return;
      const { name, meta, query, params } = router.currentRoute.value;
      if (meta['hasPeriod'] !== true || selection === fromAddress) return;
      const period = toPeriodText(selection);
      const isPinned = (params['snapshotId'] ?? '') !== '';
      // A snapshot that was opened by itself gives way to the period, also to the one that it was opened from.
      if (period !== query['period'] || isPinned)
        void router.push({ name: name ?? '', query: { ...query, period } });
    },
  );
}
