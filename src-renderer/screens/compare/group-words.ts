import { useI18n } from 'vue-i18n';
import type { GroupField, GroupValue } from '../../../src-main/common/model/analysis/grouping.ts';
import { toVisible } from '../../../src-main/common/words/visible-text.ts';
import { useNames } from '../../names/use-names.ts';

/** Returns what a group is called: a person's own name, or its value with the word for its field. */
export function useGroupWords(): (field: GroupField, value: GroupValue) => string {
  const { t } = useI18n();
  const names = useNames();
  return (field, value) => {
    if (value === null) return t(`comparison.noValue.${field}`);
    if (field === 'outcome') return t(`outcome.names.${value}`);
    if (names.find(field, value) !== null) return names.toText(field, value);
    return t(`comparison.value.${field}`, { value: toVisible(String(value)) });
  };
}
