import type { Ref } from 'vue';
import type { DownloadPlan } from '../../../../src-main/common/model/download.ts';
import type { Period } from '../../../../src-main/common/model/period.ts';
import type { DetailKind } from '../../../../src-main/common/reporting/reports.ts';
import { useBackend } from '../../../backend/backend.ts';
import type { ErrorLike } from '../../../messages/error-like.ts';
import { useLoaded } from '../../../composables/use-loaded.ts';

/** More periods are not asked for one by one: each takes a call. */
const ASKED_LIMIT = 12;

/** Periods of a report that lack. */
export interface ReportHoles {
  readonly report: DetailKind;
  readonly periods: readonly Period[];
}

export interface HoleForecast {
  readonly recordCount: number;
  readonly durationMs: number;
  readonly diskBytes: number;
}

/** What fetching the periods would take; null while it is asked, where there are too many, or where it is unknown. */
export function useHoleForecast(
  connectionId: string,
  wanted: Readonly<Ref<readonly ReportHoles[]>>,
): {
  readonly forecast: Readonly<Ref<HoleForecast | null>>;
  readonly error: Readonly<Ref<ErrorLike | null>>;
} {
  const backend = useBackend();
  const { value, error } = useLoaded([wanted], async () => {
    const inputs = wanted.value.flatMap(({ report, periods }) =>
      periods.map((period) => ({ connectionId, report, period })),
    );
    if (inputs.length === 0 || inputs.length > ASKED_LIMIT) return null;
    const plans: DownloadPlan[] = [];
    for (const input of inputs) plans.push(await backend.call('downloads/plan', input));
    return addUp(plans);
  });
  return { forecast: value, error };
}

function addUp(plans: readonly DownloadPlan[]): HoleForecast | null {
  const sum = { recordCount: 0, durationMs: 0, diskBytes: 0 };
  for (const { recordCount, durationMs, diskBytes } of plans) {
    if (recordCount === null) return null;
    sum.recordCount += recordCount;
    sum.durationMs += durationMs ?? 0;
    sum.diskBytes += diskBytes ?? 0;
  }
  return sum;
}
