import { watchDebounced } from '@vueuse/core';
import { computed, shallowRef, watch, type Ref } from 'vue';
import type { DownloadPlan } from '../../../../src-main/common/model/download.ts';
import type { Period } from '../../../../src-main/common/model/period.ts';
import type { DetailKind } from '../../../../src-main/common/reporting/reports.ts';
import { useBackend } from '../../../backend/backend.ts';
import { toErrorLike, type ErrorLike } from '../../../messages/error-like.ts';

export interface Forecast {
  readonly report: DetailKind;
  /** Null, as the error is, until the service has responded. */
  readonly plan: DownloadPlan | null;
  readonly error: ErrorLike | null;
}

/** While a person is still choosing, the service is not asked. */
const SETTLE_MS = 400;

/** Forecasts for downloads of the reports, renewed when they or the period change. Null asks for nothing. */
export function useForecasts(
  wanted: Readonly<Ref<{ connectionId: string; reports: readonly DetailKind[]; period: Period } | null>>,
): Readonly<Ref<readonly Forecast[]>> {
  const backend = useBackend();
  const forecasts = shallowRef<readonly Forecast[]>([]);
  const key = computed(() => JSON.stringify(wanted.value));

  function clear(): void {
    forecasts.value = (wanted.value?.reports ?? []).map((report) => ({ report, plan: null, error: null }));
  }

  async function ask(keyThen: string): Promise<void> {
    if (wanted.value === null) return;
    const { connectionId, reports, period } = wanted.value;
    const calls = reports.map(async (report) => {
      const forecast = await backend.call('downloads/plan', { connectionId, report, period }).then(
        (plan) => ({ report, plan, error: null }),
        (thrown: unknown) => ({ report, plan: null, error: toErrorLike(thrown) }),
      );
      if (keyThen !== key.value) return;
      forecasts.value = forecasts.value.map((each) => (each.report === report ? forecast : each));
    });
    await Promise.all(calls);
  }

  watch(key, clear, { immediate: true });
  watchDebounced(key, ask, { debounce: SETTLE_MS, immediate: true });
  return forecasts;
}
