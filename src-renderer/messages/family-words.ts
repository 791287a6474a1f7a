import { useI18n } from 'vue-i18n';
import type { FamilyAct } from '../../src-main/common/model/connections/family-changes.ts';
import { toVisible } from '../../src-main/common/words/visible-text.ts';

/** Characters of a name that a sentence has room for. */
const MAX_CHARACTERS = 80;

const cut = (name: string): string =>
  toVisible(name.length > MAX_CHARACTERS ? `${name.slice(0, MAX_CHARACTERS - 1).trimEnd()}…` : name);

/** Words for what a person did to a family of errors. */
export function useFamilyWords() {
  const { t } = useI18n();
  return {
    describe(act: FamilyAct): string {
      const family = cut(act.family);
      switch (act.kind) {
        case 'rename':
          return t('family.did.rename', { family, name: cut(act.name) });
        case 'merge':
          return t('family.did.merge', { family, into: cut(act.into) });
        case 'split':
          return t('family.did.split', { family, variable: cut(act.variable) });
        case 'split-text':
          return t('family.did.splitText', { text: cut(act.text), name: cut(act.name) });
      }
    },
    cut,
  };
}
