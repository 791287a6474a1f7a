import { useI18n } from 'vue-i18n';
import type { DifferingGroup } from '../../../../src-main/common/model/analysis/reconciliation.ts';
import { formatCount } from '../../../format/numbers.ts';

/** Returns why a group differs, in words: what makes it up, or what may have contributed. */
export function useReasonWords(): (group: DifferingGroup) => string {
  const { t } = useI18n();
  return ({ reasons, isExplained }) => {
    if (reasons.length === 0) return t('reconcile.unknown');
    const words = reasons
      .map(({ code, count }) => t(`reconcile.reason.${code}`, { count: formatCount(count ?? 0) }, count ?? 0))
      .join('; ');
    if (!isExplained) return t('reconcile.possible', { reasons: words });
    return words.charAt(0).toUpperCase() + words.slice(1);
  };
}
