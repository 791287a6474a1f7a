import { useI18n } from 'vue-i18n';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import { toVisible } from '../../../../src-main/common/words/visible-text.ts';

/** Returns what a snapshot is called where it is compared. */
export function useSnapshotName(): (snapshot: Pick<Snapshot, 'name'>) => string {
  const { t } = useI18n();
  return ({ name }) => (name === '' ? t('comparison.snapshot') : toVisible(name));
}
