import { useI18n } from 'vue-i18n';
import type { Remark } from '../../src-main/common/model/cache/snapshot.ts';
import { formatCount } from '../format/formats.ts';

/** Returns a function that puts a remark of a snapshot into a sentence. A code without words is shown as it is. */
export function useRemarkWords(): (remark: Remark) => string {
  const { t, te } = useI18n();
  return ({ code, count, detail }) => {
    const key = `remarks.${code}`;
    return te(key)
      ? t(key, { count: formatCount(count ?? 1), detail: detail ?? '' }, count ?? 1)
      : t('remarks.other', { code });
  };
}
