import { computed, type ComputedRef, type Ref } from 'vue';
import type { SetAsideSettings } from '../../../src-main/common/model/settings/set-aside-settings.ts';
import type { SettingSectionName } from '../../../src-main/common/model/settings/setting-sections.ts';
import { useAppStore } from '../../stores/app.ts';

/** The sections with something that a person should look at. */
export function useSectionCare(
  setAside: Readonly<Ref<SetAsideSettings | null>>,
): ComputedRef<ReadonlySet<SettingSectionName>> {
  const app = useAppStore();
  return computed(() => {
    const found = new Set<SettingSectionName>();
    if (app.secretsForSessionOnly || app.info?.mayBeReadByOthers === true) found.add('privacy');
    const kept = setAside.value;
    if (kept !== null && (kept.keptFile !== null || kept.names.length > 0)) found.add('advanced');
    return found;
  });
}
