import { onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue';
import type { DownloadPlan } from '../../../../src-main/common/model/download.ts';
import type { Period } from '../../../../src-main/common/model/period.ts';
import type { DetailKind } from '../../../../src-main/common/reporting/reports.ts';
import { useBackend } from '../../../backend/backend.ts';
import { toErrorLike, type ErrorLike } from '../../../messages/error-like.ts';

export interface Forecast {
  readonly report: DetailKind;
  /** Both null while the service is being asked. */
  readonly plan: DownloadPlan | null;
  readonly error: ErrorLike | null;
}

/** A person may still be choosing; the service is asked once they have stopped. */
const SETTLE_MS = 400;

/** What downloads of the reports would take, asked anew when they or the period change. Null asks for nothing. */
export function useForecasts(
  wanted: Readonly<Ref<{ connectionId: string; reports: readonly DetailKind[]; period: Period } | null>>,
): { readonly forecasts: Readonly<Ref<readonly Forecast[]>>; readonly isAsking: Readonly<Ref<boolean>> } {
  const backend = useBackend();
  const forecasts = shallowRef<readonly Forecast[]>([]);
  const isAsking = ref(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let latest = 0;

  async function ask(turn: number): Promise<void> {
    if (wanted.value === null) return;
    const { connectionId, reports, period } = wanted.value;
    const put = (forecast: Forecast): void => {
      if (turn !== latest) return;
      forecasts.value = forecasts.value.map((each) => (each.report === forecast.report ? forecast : each));
    };
    await Promise.all(
      reports.map(async (report) => {
        try {
          const plan = await backend.call('downloads/plan', { connectionId, report, period });
          put({ report, plan, error: null });
        } catch (thrown) {
          put({ report, plan: null, error: toErrorLike(thrown) });
        }
      }),
    );
    if (turn === latest) isAsking.value = false;
  }

  watch(
    () => JSON.stringify(wanted.value),
    () => {
      clearTimeout(timer);
      latest += 1;
      const turn = latest;
      const reports = wanted.value?.reports ?? [];
      forecasts.value = reports.map((report) => ({ report, plan: null, error: null }));
      isAsking.value = reports.length > 0;
      if (isAsking.value) timer = setTimeout(() => void ask(turn), SETTLE_MS);
    },
    { immediate: true },
  );
  onScopeDispose(() => clearTimeout(timer));

  return { forecasts, isAsking };
}
