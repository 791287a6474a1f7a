import { useI18n } from 'vue-i18n';
import type { Remark } from '../../../src-main/common/model/snapshot.ts';
import { formatCount } from '../../format/numbers.ts';

/** Words for the remarks of a snapshot; a code without words is shown as it is. */
export function useRemarkWords(): (remark: Remark) => string {
  const { t, te } = useI18n();
  return ({ code, count, detail }) => {
    const key = `detail.remarks.${code}`;
    const words = te(key) ? t(key, { detail: detail ?? '' }) : code;
    return count === undefined || count <= 1
      ? words
      : t('detail.remarkCount', { words, count: formatCount(count) });
  };
}
