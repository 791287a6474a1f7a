import { useI18n } from 'vue-i18n';
import type { DownloadPlan } from '../../../../src-main/common/model/cache/download.ts';
import { formatBytes, formatCount, formatSpan } from '../../../format/numbers.ts';

export type ForecastSizes = Pick<DownloadPlan, 'recordCount' | 'isAtLeast' | 'durationMs' | 'diskBytes'>;

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
