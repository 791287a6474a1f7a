import { computed, type ComputedRef, type Ref } from 'vue';
import type { SetAsideSettings } from '../../../src-main/common/model/settings/set-aside-settings.ts';
import type { SettingSectionName } from '../../../src-main/common/model/settings/setting-sections.ts';
import { useAppStore } from '../../stores/window/app.ts';
import { useUpdatesStore } from '../../stores/window/updates.ts';

/** The sections with something that a person should look at. */
export function useSectionCare(
  setAside: Readonly<Ref<SetAsideSettings | null>>,
): ComputedRef<ReadonlySet<SettingSectionName>> {
  const app = useAppStore();
  const updates = useUpdatesStore();
  return computed(() => {
    const found = new Set<SettingSectionName>();
    if (app.secretsForSessionOnly || app.info?.mayBeReadByOthers === true) found.add('privacy');
    if (updates.waiting !== null) found.add('updates');
    const kept = setAside.value;
    if (kept !== null && (kept.keptFile !== null || kept.names.length > 0)) found.add('advanced');
    return found;
  });
}
