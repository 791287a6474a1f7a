import { useI18n } from 'vue-i18n';
import type { Histogram, HistogramSeries } from '../../../src-main/common/model/records/histogram.ts';
import { isBodyField } from '../../../src-main/common/model/records/body-path.ts';
import { toVisible } from '../../../src-main/common/words/visible-text.ts';
import { spellPattern } from '../../components/errors/pattern-parts.ts';
import { useNames } from '../../names/use-names.ts';
import { formatCount } from '../../format/numbers.ts';

/** Words for the series of a histogram, and for what they are divided by. */
export function useSeriesNames() {
  const { t } = useI18n();
  const names = useNames();

  /** Returns what a series is called, by a person's own name where it has one. */
  function nameSeries(series: HistogramSeries, split: Histogram['split']): string {
    switch (series.kind) {
      case 'class':
        return t(`outcome.classes.${series.codeClass}`);
      case 'value':
        if (series.value === null) return t('detail.filters.blank');
        return split === 'errorFamily'
          ? toVisible(spellPattern(String(series.value), (kind) => t(`detail.families.folded.${kind}`)))
          : names.toText(split, series.value);
      case 'others':
        return t('detail.histogram.others', { count: formatCount(series.valueCount) }, series.valueCount);
    }
  }

  /** Returns what the records are divided by; a path is its own name. */
  function nameSplit(split: Histogram['split']): string {
    if (split === 'class') return t('detail.fields.outcome');
    return isBodyField(split) ? toVisible(split) : t(`detail.fields.${split}`);
  }

  return { nameSeries, nameSplit };
}
