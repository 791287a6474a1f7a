import { useI18n } from 'vue-i18n';
import type { DownloadPlan } from '../../../../src-main/common/model/cache/download.ts';
import { formatBytes, formatCount, formatSpan } from '../../../format/formats.ts';
import { watchDebounced } from '@vueuse/core';
import { computed, shallowRef, watch, type Ref } from 'vue';
import type { Period } from '../../../../src-main/common/model/period.ts';
import type { DetailKind } from '../../../../src-main/common/reporting/reports.ts';
import { useBackend, runTask } from '../../../backend/backend.ts';
import { toErrorLike, type ErrorLike } from '../../../messages/error-like.ts';
import { useQuery } from '../../../composables/use-query.ts';

type ForecastSizes = Pick<DownloadPlan, 'recordCount' | 'isAtLeast' | 'durationMs' | 'diskBytes'>;

const MIN_SPAN_MS = 1000;

/** Returns a function that says what a download would take in records, time and disk. */
export function useForecastWords(): (sizes: ForecastSizes) => string {
  const { t } = useI18n();
  return ({ recordCount, isAtLeast, durationMs, diskBytes }) => {
    if (recordCount === null) return t('library.forecast.unknown');
    const records = isAtLeast ? 'library.forecast.atLeast' : 'library.forecast.records';
    const parts = [t(records, { count: formatCount(recordCount) }, recordCount)];
    if (durationMs !== null) {
      parts.push(t('library.forecast.time', { span: formatSpan(Math.max(MIN_SPAN_MS, durationMs)) }));
    }
    if (diskBytes !== null) parts.push(t('library.forecast.disk', { size: formatBytes(diskBytes) }));
    return parts.join(' · ');
  };
}

interface Forecast {
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

/** More periods than this are not forecast: each takes a call to the service. */
const MAX_FORECAST_PERIODS = 12;

/** Periods of a report that are not cached. */
export interface ReportGaps {
  readonly report: DetailKind;
  readonly periods: readonly Period[];
}

/** What fetching the periods would take; null until it is known of just these, and where there are too many. */
export function useGapForecast(
  connectionId: string,
  wanted: Readonly<Ref<readonly ReportGaps[]>>,
): Readonly<Ref<ForecastSizes | null>> {
  const backend = useBackend();
  const { value } = useQuery(wanted, async (signal) => {
    const inputs = wanted.value.flatMap(({ report, periods }) =>
      periods.map((period) => ({ connectionId, report, period })),
    );
    if (inputs.length === 0 || inputs.length > MAX_FORECAST_PERIODS) return null;
    const plans: ForecastSizes[] = [];
    for (const input of inputs) {
      const { plan } = await runTask(backend, 'downloads/start-plan', input, signal);
      if (plan !== undefined) plans.push(plan);
    }
    return addUp(plans);
  });
  return value;
}

function addUp(plans: readonly ForecastSizes[]): ForecastSizes | null {
  const sum = { recordCount: 0, isAtLeast: false, durationMs: 0, diskBytes: 0 };
  for (const { recordCount, isAtLeast, durationMs, diskBytes } of plans) {
    if (recordCount === null) return null;
    sum.recordCount += recordCount;
    sum.isAtLeast ||= isAtLeast;
    sum.durationMs += durationMs ?? 0;
    sum.diskBytes += diskBytes ?? 0;
  }
  return sum;
}
