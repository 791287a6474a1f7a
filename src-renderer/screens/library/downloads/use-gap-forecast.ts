import type { Ref } from 'vue';
import type { Period } from '../../../../src-main/common/model/period.ts';
import type { DetailKind } from '../../../../src-main/common/reporting/reports.ts';
import { useBackend } from '../../../backend/backend.ts';
import { runTask } from '../../../backend/run-task.ts';
import { useQuery } from '../../../composables/use-query.ts';
import type { ForecastSizes } from './use-forecast-words.ts';

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
