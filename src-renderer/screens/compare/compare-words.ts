import { useI18n } from 'vue-i18n';
import type { GroupField, GroupValue } from '../../../src-main/common/model/analysis/grouping.ts';
import { toVisible } from '../../../src-main/common/words/visible-text.ts';
import { useNames } from '../../names/use-names.ts';

/** What the two sides are, and what each is called: its period in words, or its connection. */
export interface SideNames {
  /** Two connections in one period are no change in time, and are spoken of otherwise. */
  readonly kind: 'periods' | 'connections';
  readonly before: string;
  readonly after: string;
}

/** Returns the heading of a side: before or after, or its connection. */
export function useSideTitle(): (names: SideNames, side: 'before' | 'after') => string {
  const { t } = useI18n();
  return (names, side) => (names.kind === 'connections' ? names[side] : t(`comparison.sides.${side}`));
}

/**
 * Returns what a group is called: a person's own name, or its value with the word for its field. Names belong to one
 * connection, so that groups of two have none.
 */
export function useGroupWords(readKind: () => SideNames['kind']) {
  const { t } = useI18n();
  const names = useNames();
  return (field: GroupField, value: GroupValue): string => {
    if (value === null) return t(`comparison.noValue.${field}`);
    if (field === 'outcome') return t(`outcome.names.${value}`);
    const isNamed = readKind() === 'periods' && names.find(field, value) !== null;
    if (isNamed) return names.toText(field, value);
    return t(`comparison.value.${field}`, { value: toVisible(String(value)) });
  };
}
