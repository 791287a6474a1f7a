import { useI18n } from 'vue-i18n';
import { isBodyField } from '../../src-main/common/model/records/body-path.ts';
import type { FilterField } from '../../src-main/common/model/records/record-filter.ts';
import { toVisible } from '../../src-main/common/words/visible-text.ts';

/** Returns the name of a field in the language of the window; a path in a body is its own name. */
export function useFieldName(): (field: FilterField) => string {
  const { t } = useI18n();
  return (field) => (isBodyField(field) ? toVisible(field) : t(`detail.fields.${field}`));
}
