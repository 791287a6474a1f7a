import { useI18n } from 'vue-i18n';
import type { Histogram, HistogramSeries } from '../../../src-main/common/model/records/histogram.ts';
import { useNames } from '../../names/use-names.ts';
import { formatCount } from '../../format/numbers.ts';

/** Returns what a series of a histogram is called, by a person's own name where it has one. */
export function useSeriesNames(): (series: HistogramSeries, split: Histogram['split']) => string {
  const { t } = useI18n();
  const names = useNames();
  return (series, split) => {
    switch (series.kind) {
      case 'class':
        return t(`outcome.classes.${series.codeClass}`);
      case 'value':
        return series.value === null ? t('detail.filters.blank') : names.toText(split, series.value);
      case 'others':
        return t('detail.histogram.others', { count: formatCount(series.valueCount) }, series.valueCount);
    }
  };
}
