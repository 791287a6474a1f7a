import { useI18n } from 'vue-i18n';
import {
  isGroupPath,
  type GroupKey,
  type GroupValue,
} from '../../../../src-main/common/model/analysis/grouping.ts';
import { toVisible } from '../../../../src-main/common/words/visible-text.ts';
import { useNames } from '../../../names/use-names.ts';
import { formatCount } from '../../../format/formats.ts';
import { listFields, type Group } from './group-figures.ts';

/** Words for values of the fields that groups have. */
export function useGroupWords() {
  const { t } = useI18n();
  const names = useNames();

  /** Returns a value by itself, as in `Channel 3`, `Web chat 3`, `web`, `No origin`. */
  function toName(field: GroupKey, value: GroupValue): string {
    if (isGroupPath(field))
      return value === null ? t('summary.path.no', { field: toVisible(field) }) : toVisible(String(value));
    if (value === null || value === '') return t(`summary.no.${field}`);
    if (field === 'channel' || field === 'service') {
      return names.find(field, value) === null
        ? t(`summary.${field}`, { value })
        : names.toText(field, value);
    }
    if (field === 'outcome') return t(`outcome.names.${value}`);
    return field === 'actionId' ? names.toText(field, value) : toVisible(String(value));
  }

  /** Returns how many values of a field there are, as in `4 origins`. */
  function toCountWords(field: GroupKey, count: number): string {
    if (isGroupPath(field))
      return t('summary.path.countOf', { count: formatCount(count), field: toVisible(field) }, count);
    return t(`summary.countOf.${field}`, { count: formatCount(count) }, count);
  }

  /** Returns a group by all of its values, as in `Channel 3, Service 7, 504`. */
  function nameGroup(group: Group): string {
    return listFields(group)
      .map((field) => toName(field, group.values[field] ?? null))
      .join(', ');
  }

  return { toName, toCountWords, nameGroup };
}
