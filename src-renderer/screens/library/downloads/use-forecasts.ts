import { watchDebounced } from '@vueuse/core';
import { computed, shallowRef, watch, type Ref } from 'vue';
import type { DownloadPlan } from '../../../../src-main/common/model/cache/download.ts';
import type { Period } from '../../../../src-main/common/model/period.ts';
import type { DetailKind } from '../../../../src-main/common/reporting/reports.ts';
import { useBackend } from '../../../backend/backend.ts';
import { runTask } from '../../../backend/run-task.ts';
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
  let controller = new AbortController();

  async function ask(): Promise<void> {
    if (wanted.value === null) return;
    const { connectionId, reports, period } = wanted.value;
    const { signal } = controller;
    const calls = reports.map(async (report) => {
      const input = { connectionId, report, period };
      const forecast = await runTask(backend, 'downloads/start-plan', input, signal).then(
        ({ plan = null }) => ({ report, plan, error: null }),
        (thrown: unknown) => ({ report, plan: null, error: toErrorLike(thrown) }),
      );
      if (signal.aborted) return;
      forecasts.value = forecasts.value.map((each) => (each.report === report ? forecast : each));
    });
    await Promise.all(calls);
  }

  watch(
    key,
    (_now, _before, onCleanup) => {
      forecasts.value = (wanted.value?.reports ?? []).map((report) => ({ report, plan: null, error: null }));
      controller = new AbortController();
      onCleanup(() => controller.abort());
    },
    { immediate: true },
  );
  watchDebounced(key, ask, { debounce: SETTLE_MS, immediate: true });
  return forecasts;
}
