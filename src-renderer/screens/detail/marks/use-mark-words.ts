import { useI18n } from 'vue-i18n';
import type { RecordMark } from '../../../../src-main/common/model/records/record-mark.ts';

/** Returns a function that puts a mark and its note into words. */
export function useMarkWords(): (mark: RecordMark) => string {
  const { t } = useI18n();
  return ({ mark, note }) => {
    const words = [
      ...(mark === null ? [] : [t(`marks.names.${mark}`)]),
      ...(note === '' ? [] : [t('marks.hasNote', { note })]),
    ];
    return words.join('. ');
  };
}
