import { computed, type ComputedRef } from 'vue';
import { readDefault, type ShownSetting } from '../../src-main/common/model/settings/setting-sections.ts';
import type { Settings } from '../../src-main/common/model/settings/settings.ts';
import { useAttempt, type Attempt } from '../composables/use-attempt.ts';
import { useAppStore } from '../stores/window/app.ts';

/** A setting as a control shows and changes it. */
export function useSetting<Name extends ShownSetting>(
  readName: () => Name,
): {
  readonly value: ComputedRef<Settings[Name]>;
  /** Why the last change could not be saved. */
  readonly error: Attempt['error'];
  /** Saves at once; resolves to false where that failed. */
  set(value: Settings[Name]): Promise<boolean>;
} {
  const app = useAppStore();
  const { error, attempt } = useAttempt();
  return {
    value: computed(() => app.settings?.[readName()] ?? readDefault(readName())),
    error,
    set: (value) => attempt(() => app.update({ [readName()]: value })),
  };
}
