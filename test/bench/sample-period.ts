import type { Period } from '../../src-main/common/model/period.ts';
import { toWireDate } from '../../src-main/common/reporting/wire-documents.ts';

/** Days of the sample history that benches ask a service for. */
export const SAMPLE_DAYS = 30;
const DAY_MS = 86_400_000;

/** More than the whole history of a service that was filled by now. */
export function toSamplePeriod(nowMs: number): Period {
  const toMs = Math.floor(nowMs / 1000) * 1000;
  const fromMs = toMs - (SAMPLE_DAYS + 1) * DAY_MS;
  const [startDate, endDate] = [toWireDate(fromMs, 'UTC'), toWireDate(toMs, 'UTC')];
  return { fromMs, toMs, startDate, endDate, zone: 'UTC' };
}
