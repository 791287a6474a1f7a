import { computed, type ComputedRef } from 'vue';
import { useI18n } from 'vue-i18n';
import { formatPercent } from '../../../../format/numbers.ts';
import { toCachedShare, type TimesBasis } from './times-basis.ts';

/** What computed figures rest on. */
export function useBasisNote(readBasis: () => TimesBasis): ComputedRef<string> {
  const { t } = useI18n();
  return computed(() => {
    const share = toCachedShare(readBasis());
    if (share === null) return t('summary.times.computed');
    return share >= 1
      ? t('summary.times.computedOfAll')
      : t('summary.times.computedOfPart', { share: formatPercent(share) });
  });
}
